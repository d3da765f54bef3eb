"""Calendar dates written in a line of text."""

import re
import unicodedata
from datetime import date
from typing import Final

# Two-digit month and day with dashes; the other forms are written with or
# without the zero. ASCII classes throughout: \d and \w know other scripts.
_DATE: Final = re.compile(
    r"""
    (?<![0-9]) (?<![0-9][-./])              # not the tail of a longer number
    (?:
        (?<![A-Za-z])
        (?: ([0-9]{4})-([0-9]{2})-([0-9]{2})
          | ([0-9]{4})/([0-9]{1,2})/([0-9]{1,2}) (?!/[0-9])
          | (?<![-.]) ([0-9]{4})\.([0-9]{1,2})\.([0-9]{1,2})
            (?![-+.]?(?:rc|alpha|beta|dev|pre|post|snapshot|build))
        )
        (?: (?=T[0-9]) | (?![0-9A-Za-z]|\.[0-9]) )   # a time may follow, a version not
      | ([0-9]{4})[ ]?年[ ]?([0-9]{1,2})[ ]?月[ ]?([0-9]{1,2})[ ]?日
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)


_MARKS: Final = " -–—_:・,、。/|~()[]"
"""What sets a date apart from the words beside it."""


def find_date(text: str) -> str | None:
    """
    Give the first real date in *text* as `YYYY-MM-DD`, or None.

    Understood are 2026-06-11, 2026/6/11, 2026.6.11 and 2026年6月11日, full-width
    digits and marks too. Impossible dates, version numbers (`v2026.06.11-rc1`)
    and parts of longer numbers are passed over.
    """
    for match in _DATE.finditer(unicodedata.normalize("NFKC", text)):
        found = _real(match)
        if found is not None:
            return found
    return None


_ISO: Final = re.compile(
    r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][-.])([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:(?=T[0-9])|(?![0-9A-Za-z_]|[-.][0-9A-Za-z]))"
)


def find_iso_date(text: str) -> str | None:
    """
    Give the first real date in *text* that is written as `YYYY-MM-DD`, or None.

    For what a program writes: ASCII digits alone, a time may follow (`T10:00`), a
    letter or a further number may not. `find_date` understands each of these too.
    """
    for match in _ISO.finditer(text):
        try:
            return date.fromisoformat(match[1]).isoformat()
        except ValueError:
            continue
    return None


def without_dates(text: str) -> str:
    """Give *text*, NFKC, without what `find_date` would find, and without marks at its ends."""
    rest = _DATE.sub(
        lambda match: match[0] if _real(match) is None else " ", unicodedata.normalize("NFKC", text)
    )
    return " ".join(rest.split()).strip(_MARKS)


def _real(match: re.Match[str]) -> str | None:
    year, month, day = (int(group) for group in match.groups() if group is not None)
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None

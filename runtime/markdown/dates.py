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


def find_date(text: str) -> str | None:
    """
    Give the first real date in *text* as `YYYY-MM-DD`, or None.

    Understood are 2026-06-11, 2026/6/11, 2026.6.11 and 2026年6月11日, full-width
    digits and marks too. Impossible dates, version numbers (`v2026.06.11-rc1`)
    and parts of longer numbers are passed over.
    """
    for match in _DATE.finditer(unicodedata.normalize("NFKC", text)):
        year, month, day = (int(group) for group in match.groups() if group is not None)
        try:
            return date(year, month, day).isoformat()
        except ValueError:
            continue
    return None

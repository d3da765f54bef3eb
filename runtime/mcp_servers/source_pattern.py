r"""
A filter of sources: a regular expression whose comparison cannot take hours.

Nothing can stop a comparison that has begun, and whoever asks is a model. Comparing takes
long where several parts may share a text in many ways: so there is a bound on how many
repeat freely, and a group may do so only when its alternatives are plain and begin
differently. The original's expressions are Ruby's, where the end of a text is `\z`.
"""

import re
from typing import Final

from runtime.mcp_servers.refusals import PatternError

MOST_REPEATS: Final = 4
ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
CLASS: Final = re.compile(r"\[\^?\]?[^\]]*\]")
EXACT: Final = re.compile(r"(?<![)*+?}])\{\d{1,3}\}")
"""So many of one character: there is one way to share a text out."""
PLAIN_GROUP: Final = re.compile(r"\((?:\?:)?(\w[^()*+?{}.\[\]^$]*)\)(?=[*+{])")
REPEAT: Final = re.compile(r"(\)?)(?<!\()([*+?]|\{[\d,]+\})[+?]?")
CHAR: Final = "x"


def pattern(source_filter: str | None) -> re.Pattern[str]:
    """Return the filter; it finds everything when there is none. Raises PatternError."""
    text = ESCAPED.sub(_end_of_text, source_filter or "")
    problem = _problem(text)
    if problem:
        raise PatternError(text, problem)
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternError(text, str(error)) from error


def _problem(text: str) -> str:
    """Return why comparing might take hours, "" when it cannot."""
    shape = EXACT.sub("", CLASS.sub(".", ESCAPED.sub(_one_char, text)))
    # A plain group that repeats is no worse than a character that does.
    shape = PLAIN_GROUP.sub(lambda found: CHAR if _is_plain(found[1]) else found[0], shape)
    repeats = REPEAT.findall(shape)
    if len(repeats) > MOST_REPEATS:
        return f"it repeats {len(repeats)} times, at most {MOST_REPEATS} are compared in short time"
    if any(closing and sign != "?" for closing, sign in repeats):
        return "a group that repeats may take hours, unless its alternatives begin differently"
    return ""


def _is_plain(inside: str) -> bool:
    """Tell whether the alternatives of a group begin differently, so that one way fits at most."""
    begins = [part[:1] for part in inside.split("|")]
    return len(set(begins)) == len(begins) and "" not in begins


def _one_char(found: re.Match[str]) -> str:
    # A class of characters may be the same as its neighbour: no letter may stand for it.
    return "." if found[1].isalnum() else CHAR


def _end_of_text(found: re.Match[str]) -> str:
    return r"\Z" if found[1] == "z" else found[0]

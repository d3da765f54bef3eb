"""Where in a text a match was found: shown with the words around it, so that a person can judge."""

from collections.abc import Callable
from typing import Final

from runtime.store.search_filter import folded
from runtime.text import clean, one_line

BEFORE_CHARS: Final = 30
AFTER_CHARS: Final = 40
FOUND_CHARS: Final = 80
LEFT, RIGHT = "»", "«"


def place_of(text: str, match: str) -> str:
    """
    Return the first place of *match* on one line, between marks; "" where it is not.

    What counts is the folded text: any case, width and number of blanks, parts of words too.
    """
    wanted = folded(match)
    if not wanted or wanted not in folded(text):
        return ""
    end = _first(len(text), lambda at: wanted in folded(text[:at]))
    start = end - _first(end, lambda size: wanted in folded(text[end - size : end]))
    found = one_line(text[start:end], FOUND_CHARS)
    before = " ".join(clean(text[max(0, start - BEFORE_CHARS) : start] + "|").split())[:-1]
    after = " ".join(clean("|" + text[end : end + AFTER_CHARS]).split())[1:]
    more_before = "…" if start > BEFORE_CHARS else ""
    more_after = "…" if end + AFTER_CHARS < len(text) else ""
    return f"{more_before}{before}{LEFT}{found}{RIGHT}{after}{more_after}"


def _first(most: int, holds: Callable[[int], bool]) -> int:
    """Return the least number up to *most* for which it holds; it holds for all above, too."""
    least = 0
    while least < most:
        middle = (least + most) // 2
        if holds(middle):
            most = middle
        else:
            least = middle + 1
    return most

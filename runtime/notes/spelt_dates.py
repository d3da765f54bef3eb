"""Dates in eras and numerals, for a block whose heading has no date that the rules know."""

import re
import unicodedata
from typing import Final

from runtime.markdown.dates import find_date
from runtime.tokens.named_dates import arabic

_DIGITS: Final = "[0-9〇一二三四五六七八九十]"
_SPELT: Final = re.compile(
    rf"(?:(?:明治|大正|昭和|平成|令和) ?(?:元|{_DIGITS}{{1,3}})|{_DIGITS}{{4}}) ?年"
    rf" ?{_DIGITS}{{1,3}} ?月 ?{_DIGITS}{{1,3}} ?日"
)
_NUMERIC: Final = re.compile(r"[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}(?![0-9A-Za-z])")
_EMPTY_BRACKETS: Final = re.compile(r"\(\s*\)|\[\s*\]|【\s*】|「\s*」")
_EDGES: Final = " -–—_:・,、。/|"


def spelt_date(heading: str, body: str) -> tuple[str, str]:
    """
    Give a date as `YYYY-MM-DD`, "" for none, and the heading without it.

    Understood are eras and numerals too (令和8年6月11日, 二〇二六年六月十一日).
    Where the heading has no date, one that the body begins with counts; any
    other in the body may be a deadline.
    """
    written = unicodedata.normalize("NFKC", heading)
    for match in _SPELT.finditer(written):
        day = find_date(arabic(match[0]))
        if day:
            rest = f"{written[: match.start()]} {written[match.end() :]}"
            return day, " ".join(_EMPTY_BRACKETS.sub(" ", rest).split()).strip(_EDGES)
    return _beginning(body), heading


def _beginning(body: str) -> str:
    first = unicodedata.normalize("NFKC", body.lstrip().partition("\n")[0]).lstrip("-*+([ ")
    spelt = _SPELT.match(first)
    if spelt:
        return find_date(arabic(spelt[0])) or ""
    begins_with = _NUMERIC.match(first)
    return (find_date(begins_with[0]) if begins_with else None) or ""

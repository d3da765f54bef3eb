"""The date beside a word such as 来週 or "next year", so that it says the same tomorrow."""

import re
import unicodedata
from datetime import date
from typing import Final

from runtime.markdown.dates import find_date

DAY: Final = r"[0-9]{4} ?[-/.年] ?[0-9]{1,2} ?[-/.月] ?[0-9]{1,2}(?: ?日)?"
"""The shape of what `find_date` understands, which has the last word."""
MONTH_DAY: Final = (
    r"(?P<month>[0-9]{1,2})(?: ?月 ?(?P<day>[0-9]{1,2}) ?日"
    r"|/(?P<slashed>[0-9]{1,2})(?![/.]?[0-9])|(?<=[0-9]{2})-(?P<dashed>[0-9]{2})(?![-.]?[0-9]))"
)
SPELT_YEAR: Final = r"[0-9]{4} ?年度?(?! ?[0-9])|(?:令和|平成|昭和) ?(?:[0-9]{1,2}|元) ?年度?"
YEAR: Final = rf"{SPELT_YEAR}|(?:FY ?)?[0-9]{{4}}(?![-/.]?[0-9]|年)"
YEAR_MONTH: Final = r"[0-9]{4}(?: ?年 ?[0-9]{1,2} ?月|[-/][0-9]{1,2}(?![-/.]?[0-9]))"

YEAR_WORD: Final = re.compile("年|[春夏秋冬]|おととし|year", re.IGNORECASE)
MONTH_WORD: Final = re.compile("月(?!曜)|month", re.IGNORECASE)

WEEKDAY: Final = r"[月火水木金土日](?:曜日?)?(?![^\W0-9])"
TAIL: Final = re.compile(
    r"(?:年?度|末|明け|初め|始め|前半|後半|半ば|中|頃|ごろ)?"
    rf"(?: *の? *{WEEKDAY})?(?:の?[朝昼夕晩夜])?"
    r"(?:,? (?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)?",
    re.IGNORECASE,
)
"""What belongs to the word: 来年+度, 来週+の月曜日, next week+Monday."""
LINK: Final = re.compile(r"[ \t]*の?[ \t,、:=]*")
BRACKET: Final = re.compile(rf"[(\[【〔] *(?:{WEEKDAY}[ ,、:]*)?")
BEFORE: Final = re.compile(
    rf"(?<![0-9])(?:(?P<date>{DAY})|{MONTH_DAY}|(?P<year>{YEAR})) *[(\[【〔=] *\Z"
)
BEHIND_CHARS: Final = 64
BEFORE_CHARS: Final = 24
SUFFIX_CHARS: Final = 9
"""Of a version, behind what looks like a date; no second date has room in it."""
LEAP_YEAR: Final = 2000


def has_date_beside(line: str, word: re.Match[str]) -> bool:
    """
    Tell whether a real date stands right behind *word*, or before it and it in brackets.

    What belongs to the word may come between: 来週の月曜日（2026-12-07）. Within
    brackets a month and a day will do, a year for a year, a month for a month.
    """
    before = unicodedata.normalize("NFKC", line[max(0, word.start() - BEFORE_CHARS) : word.start()])
    behind = unicodedata.normalize("NFKC", line[word.end() : word.end() + BEHIND_CHARS])
    return _begins_with_date(behind, word[0]) or _ends_with_date(before, word[0])


def _begins_with_date(text: str, word: str) -> bool:
    # What may belong to the word may as well begin what links it to the date.
    tail = TAIL.match(text)
    text = text[tail.end() :] if tail else text
    link = LINK.match(text)
    text = text[link.end() :] if link else text
    bracket = BRACKET.match(text)
    if not bracket:
        return _is_day(text) or _is_span(text, word, SPELT_YEAR)
    text = text[bracket.end() :]
    return _is_day(text) or _is_month_day(re.match(MONTH_DAY, text)) or _is_span(text, word, YEAR)


def _ends_with_date(text: str, word: str) -> bool:
    found = BEFORE.search(text)
    if not found:
        return False
    if found["date"]:
        return find_date(found["date"]) is not None
    return _is_month_day(found) if found["month"] else bool(YEAR_WORD.search(word))


def _is_day(text: str) -> bool:
    found = re.match(DAY, text)
    return bool(found and find_date(text[: found.end() + SUFFIX_CHARS]))


def _is_month_day(found: re.Match[str] | None) -> bool:
    if not found:
        return False
    day = found["day"] or found["slashed"] or found["dashed"]
    try:
        date(LEAP_YEAR, int(found["month"]), int(day))
    except ValueError:
        return False
    return True


def _is_span(text: str, word: str, year: str) -> bool:
    """Tell whether *text* begins with a year and *word* means one, or with a month likewise."""
    return bool(
        (YEAR_WORD.search(word) and re.match(year, text, re.IGNORECASE))
        or (MONTH_WORD.search(word) and re.match(YEAR_MONTH, text))
    )

"""The day with which a date, a month or a year begins, in the spellings that texts have."""

from itertools import groupby

from runtime.days import day_number
from runtime.tokens.named_dates import ERAS, arabic, named_dates
from runtime.tokens.script import normalize

_DIGITS = frozenset("0123456789")
_COMPACT_DIGITS = 8
# Hyphens, dashes, the minus sign, and the long vowel that a Japanese keyboard has on that key.
_DASHES = dict.fromkeys(
    (0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0x30FC), "-"
)  # fmt: skip
# What stands between the numbers, and behind them in Japanese.
_PARTED = frozenset(map(tuple, ("", "-", "--", "/", "//", ".", "..", "年", "年月")))
_CLOSED = frozenset(map(tuple, ("年", "年月", "年月日")))


def first_day(text: str) -> str:
    """
    Return the first day (YYYY-MM-DD) of a date, a month or a year, "" for anything else.

    2026-06-11, 2026/6/11, 2026.6.11, 20260611, 2026年6月11日, 令和八年六月十一日,
    June 11, 2026 and 11th June 2026 are dates, 2026-06, 2026/6, 2026年6月 and June 2026
    are months, 2026, 2026年 and 令和8年 are years; of any width. What people read in two
    ways (6/11/2026) is none, nor is a day that no calendar has.
    """
    plain = arabic(normalize(text).translate(_DASHES)).strip()
    year, month, day = _numbers(plain) or _named(plain)
    padded = f"{year}-{month or '1':0>2}-{day or '1':0>2}"
    return "" if day_number(padded) is None else padded


def _numbers(text: str) -> list[str] | None:
    """Return year, month and day, "" for what is not told; None where there is anything else."""
    cuts = ["".join(chars) for _, chars in groupby(text, _DIGITS.__contains__)]
    if cuts and cuts[0].strip() in ERAS and cuts[2:3] == ["年"]:
        del cuts[0]  # its year has become one of ours
    numbers, signs = cuts[::2], tuple(cut.strip() for cut in cuts[1::2])
    if not numbers or not all(number[0] in _DIGITS for number in numbers):
        return None
    if not signs and len(numbers[0]) == _COMPACT_DIGITS:
        return [numbers[0][:4], numbers[0][4:6], numbers[0][6:]]
    if signs not in (_CLOSED if len(signs) == len(numbers) else _PARTED):
        return None
    return [*numbers, "", ""][:3]


def _named(text: str) -> tuple[str, str, str]:
    """Return the only date in a text that names an English month and says nothing else."""
    words = "".join(char if char.isalnum() else " " for char in text.casefold()).split()
    dates = named_dates(text)
    is_all = len(dates) == 1 and len(words) - words.count("of") == sum(map(bool, dates[0]))
    return dates[0] if is_all else ("", "", "")

"""Calendar dates in any spelling, as tokens they share."""

from itertools import groupby

from runtime.tokens.named_dates import Date, arabic, named_dates

_DIGITS = frozenset("0123456789")
_AFTER_YEAR = frozenset("-/.年")
_AFTER_MONTH = frozenset("-/月")
_POINT = "."
_LAST_MONTH = 12
_LAST_DAY = 31
_YEAR_DIGITS = 4
_DAY_DIGITS = 2
_COMPACT_DIGITS = 8
_CENTURIES = ("19", "20")


def date_tokens(text: str) -> list[str]:
    """
    Give ``d0611`` for every date in normalised *text*, ``d20260611`` and ``d202606`` with a year.

    2026-06-11, 2026/6/11, 2026.6.11, 20260611, 2026年6月11日, 令和八年六月十一日, 6月11日,
    6/11, 6/11/2026, 11.6.2026, June 11, 2026 and 11th June are dates, 2026年6月, 2026-06 and
    June 2026 are months; 6.11 alone is a version. The calendar is not checked beyond
    12 months and 31 days.
    """
    text = arabic(text)
    if _DIGITS.isdisjoint(text):
        return []
    cuts = ["".join(chars) for _, chars in groupby("".join((" ", text, " ")), _DIGITS.__contains__)]
    return tokens_of_dates(named_dates(text), cuts)


def tokens_of_dates(named: list[Date], cuts: list[str]) -> list[str]:
    """
    Give the tokens of the dates that name a month, and of those in *cuts*.

    These are gap, number, gap, number, ..., gap: every number has a neighbour on both sides.
    """
    tokens: list[str] = []
    for year, month, day in named:
        tokens += _tokens(year, month, day)
    at = 1
    while at < len(cuts):
        number = cuts[at]
        if _DAY_DIGITS < len(number) != _COMPACT_DIGITS:
            at += 2
            continue
        year, month, day = _numbered(at, cuts)
        found = _tokens(year, month, day) if month else []
        tokens += found
        # A day does not begin another date.
        at += 4 if found and number in {month, day} else 2
    return tokens


def _tokens(year: str, month: str, day: str) -> list[str]:
    """Give the tokens of a date of which the day or the year may be empty; none if it is none."""
    if not _is_number(month, _LAST_MONTH) or (day and not _is_number(day, _LAST_DAY)):
        return []
    tokens = [f"d{month:0>2}{day:0>2}"] if day else []
    if year and day:
        tokens.append(f"d{year}{month:0>2}{day:0>2}")
    if year:
        tokens.append(f"d{year}{month:0>2}")
    return tokens


def _is_number(digits: str, last: int) -> bool:
    return len(digits) <= _DAY_DIGITS and digits.isdecimal() and 1 <= int(digits) <= last


def _numbered(at: int, cuts: list[str]) -> tuple[str, str, str]:
    """Give year, month and day where the number at *at* is the month or all of it, else blanks."""
    number = cuts[at]
    if len(number) == _COMPACT_DIGITS and number.startswith(_CENTURIES):
        return number[:4], number[4:6], number[6:]
    year = _year_before(at, cuts)
    after = cuts[at + 1].strip(" ")
    if len(number) > _DAY_DIGITS:
        return "", "", ""
    day = cuts[at + 2] if at + 2 < len(cuts) else ""
    if day and len(day) <= _DAY_DIGITS and cuts[at + 3] != _POINT:
        if after == _POINT == cuts[at - 1].strip(" ") and year:
            return year, number, day
        if after in _AFTER_MONTH and (year or cuts[at - 1] != _POINT):
            return year or _year_after(at + 2, cuts, "/"), number, day
    elif day and after == _POINT == cuts[at + 3] and _year_after(at + 2, cuts, _POINT):
        return _year_after(at + 2, cuts, _POINT), day, number
    is_month = year and cuts[at - 1].strip(" ") != _POINT and after[:1] not in _DATE_GOES_ON
    return (year, number, "") if is_month else ("", "", "")


_DATE_GOES_ON = frozenset("-/.")


def _year_before(at: int, cuts: list[str]) -> str:
    if at > 1 and cuts[at - 1].strip(" ") in _AFTER_YEAR and len(cuts[at - 2]) == _YEAR_DIGITS:
        return cuts[at - 2]
    return ""


def _year_after(at: int, cuts: list[str], between: str) -> str:
    """Give the year that follows the number at *at* after that sign."""
    if at + 2 >= len(cuts) or cuts[at + 1] != between or cuts[at + 3] == _POINT:
        return ""
    if len(cuts[at + 2]) == _YEAR_DIGITS:
        return cuts[at + 2]
    return ""

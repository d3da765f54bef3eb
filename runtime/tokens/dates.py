"""Calendar dates in any spelling, as tokens they share."""

from itertools import groupby

_DIGITS = frozenset("0123456789")
_AFTER_YEAR = frozenset("-/.年")
_AFTER_MONTH = frozenset("-/月")
_POINT = "."
_LAST_MONTH = 12
_LAST_DAY = 31
_YEAR_DIGITS = 4
_DAY_DIGITS = 2


def date_tokens(text: str) -> list[str]:
    """
    Give ``d0611`` for every date in normalised *text*, and ``d20260611`` where the year is known.

    2026-06-11, 2026/6/11, 2026.6.11, 2026年6月11日, 6月11日 and 6/11 are dates;
    6.11 alone is a version. The calendar is not checked beyond 12 months and 31 days.
    """
    if _DIGITS.isdisjoint(text):
        return []
    # Gap, number, gap, number, ..., gap: every number has a neighbour on both sides.
    cuts = ["".join(chars) for _, chars in groupby("".join((" ", text, " ")), _DIGITS.__contains__)]
    tokens: list[str] = []
    for at in range(1, len(cuts) - 2, 2):
        month, between, day = cuts[at : at + 3]
        if _is_day(month, day):
            year = _year_before(at, cuts)
            if _is_date(at, cuts, between.strip(" "), year):
                tokens.append(f"d{month:0>2}{day:0>2}")
                if year:
                    tokens.append(f"d{year}{month:0>2}{day:0>2}")
    return tokens


def _is_day(month: str, day: str) -> bool:
    return (
        len(month) <= _DAY_DIGITS
        and len(day) <= _DAY_DIGITS
        and 1 <= int(month) <= _LAST_MONTH
        and 1 <= int(day) <= _LAST_DAY
    )


def _year_before(at: int, cuts: list[str]) -> str:
    if at > 1 and cuts[at - 1].strip(" ") in _AFTER_YEAR and len(cuts[at - 2]) == _YEAR_DIGITS:
        return cuts[at - 2]
    return ""


def _is_date(at: int, cuts: list[str], between: str, year: str) -> bool:
    if cuts[at + 3] == _POINT:
        return False  # The day begins a decimal number or a version.
    if between == _POINT:
        return bool(year) and cuts[at - 1].strip(" ") == _POINT
    return between in _AFTER_MONTH and (bool(year) or cuts[at - 1] != _POINT)

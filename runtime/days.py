"""
Calendar days as people count them: local, and told apart from the moments that are stored.

Moments are kept in UTC (`2026-06-11T22:30:00.000Z`); a day is what the person's own
calendar said then (`2026-06-12` in Tokyo). Standard library only, and of that no
`datetime`: the hook process imports this.
"""

import time

DAY_CHARS = 10
_SECONDS = 86_400
_YEAR_DAYS = 365
_MONTH_DAYS = 30
_WEEK_DAYS = 7


def local_day(moment: str) -> str:
    """Return the local day of a stored moment; a day, or what is neither, as it is, cut."""
    day = moment[:DAY_CHARS]
    number = day_number(day)
    clock = moment[DAY_CHARS + 1 : DAY_CHARS + 9].split(":")
    if number is None or len(clock) != 3 or not all(map(_is_number, clock)):  # noqa: PLR2004
        return day
    hours, minutes, seconds = map(int, clock)
    return day_at(number * _SECONDS + hours * 3600 + minutes * 60 + seconds) or day


def day_at(seconds: float) -> str:
    """Return the local day of a moment in seconds since 1970, "" where no calendar has it."""
    try:
        return time.strftime("%Y-%m-%d", time.localtime(seconds))
    except (OverflowError, OSError, ValueError):
        return ""


def begin_of(day: str) -> str:
    """Return the moment at which a local day begins, as the store keeps it."""
    year, month, date = (int(part) for part in day.split("-"))
    try:
        # The clocks may have been put forward at midnight: mktime takes the first moment there is.
        began = time.mktime((year, month, date, 0, 0, 0, 0, 1, -1))
        return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(began))
    except (OverflowError, OSError, ValueError):
        return f"{day}T00:00:00.000Z"


def day_number(day: str) -> int | None:
    """Return the number of days from 1970-01-01 to a real day, None for anything else."""
    parts = day.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not all(map(_is_number, parts)):
        return None
    year, month, date = map(int, parts)
    if not (year and 1 <= month <= 12 and 1 <= date <= days_of(year, month)):  # noqa: PLR2004
        return None
    # Years begin in March here, so that the leap day is a year's last.
    year -= month < 3  # noqa: PLR2004
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + date - 1
    return year * _YEAR_DAYS + year // 4 - year // 100 + year // 400 + day_of_year - 719_468


def days_of(year: int, month: int) -> int:
    """Return how many days a month has."""
    if month == 2:  # noqa: PLR2004
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in {4, 6, 9, 11} else 31


def age_of(day: str, today: str) -> str:
    """Return how long ago a day is, in words: "3 days ago"; "" for what is no day."""
    then, now = day_number(day), day_number(today)
    if then is None or now is None:
        return ""
    days = now - then
    if abs(days) <= 1:
        return ("today", "yesterday", "tomorrow")[days]
    for unit, length, least in (
        ("year", _YEAR_DAYS, _YEAR_DAYS),
        ("month", _MONTH_DAYS, 2 * _MONTH_DAYS),
        ("week", _WEEK_DAYS, 2 * _WEEK_DAYS),
        ("day", 1, 1),
    ):
        if abs(days) >= least:
            count = abs(days) // length
            text = f"{count} {unit}" if count == 1 else f"{count} {unit}s"
            return f"{text} ago" if days > 0 else f"in {text}"
    return ""


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()

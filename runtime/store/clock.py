"""Moments: the wall clock, and the one form in which the store keeps time."""

from datetime import UTC, datetime
from typing import Final

YEAR_9999_NS: Final = 253_370_764_800 * 10**9
"""Beyond it no date can be written; an id may be anybody's digits."""


def utc_now() -> datetime:
    """Return the wall clock: the one place that reads it."""
    return datetime.now(UTC)


def from_ns(moment_ns: int) -> datetime:
    """Return a moment given in ns since 1970; now for what tells none."""
    if 0 < moment_ns < YEAR_9999_NS:
        return datetime.fromtimestamp(moment_ns / 1e9, UTC)
    return utc_now()


def local_time(moment: str) -> str:
    """Return a stored moment as the person's clock shows it; what is none stays as it is."""
    try:
        return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError):  # a time zone may push it out of the calendar
        return moment


def utc(moment: datetime) -> str:
    """Return ISO 8601 in UTC to the millisecond: text that sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

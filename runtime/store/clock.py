"""Moments: the wall clock, and the one form in which the store keeps time."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the wall clock: the one place that reads it."""
    return datetime.now(UTC)


def from_ns(moment_ns: int) -> datetime:
    """Return a moment given in ns since 1970; now for 0, which tells none."""
    return datetime.fromtimestamp(moment_ns / 1e9, UTC) if moment_ns else utc_now()


def utc(moment: datetime) -> str:
    """Return ISO 8601 in UTC to the millisecond: text that sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

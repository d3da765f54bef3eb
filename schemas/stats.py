"""Counts of what the store holds."""

from typing import Final

from schemas.base import Own
from schemas.kinds import Kind

FAILURES_IN_A_ROW: Final = 3
"""From so many on, something is wrong that will not pass by itself."""


class CaptureHealth(Own):
    """When one kind of event last did its work, and what failed since."""

    name: str
    last_success_at: str | None
    failures_since: int
    last_error: str | None

    @property
    def is_failing(self) -> bool:
        """Whether it has failed so often in a row that somebody should look."""
        return self.failures_since >= FAILURES_IN_A_ROW


class OftenShown(Own):
    """A memory or a note that models were told of."""

    kind: Kind
    id: int | None
    path: str | None
    times: int
    last_at: str
    mean_rank: float
    """From 1, which stands first in an answer."""
    summary: str


class ShownStats(Own):
    """What models were told, since it is noted."""

    since: str | None
    """None: this store does not say."""
    total: int
    """Records in answers, each as often as it was told."""
    before_skills: int
    """Of these, before a skill; the rest at a session's start."""
    memories_shown: int
    memories_never: int
    """Memories that no model was told of since then."""
    often: tuple[OftenShown, ...]
    """Most often first."""


class Stats(Own):
    """Counts for `runtime stats`."""

    memories: int
    memories_deleted: int
    by_source: dict[str, int]
    chunks: int
    notes: int
    permanent: int
    """Permanent memories that a search finds."""
    permanent_as_of: str | None
    """When their copy of esa was last refreshed; None for a folder, or before the first time."""
    events: int
    events_by_outcome: dict[str, int]
    spool: int
    dead: int
    database_bytes: int
    oldest_at: str | None
    newest_at: str | None
    captures: tuple[CaptureHealth, ...]
    shown: ShownStats
    """Which records help."""

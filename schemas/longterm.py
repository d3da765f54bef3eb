"""What the commands and tools for long-term memories answer."""

from typing import Literal

from schemas.base import Own


class Kept(Own):
    """One memory that was stored by hand, or was there already."""

    id: int
    status: Literal["stored", "known"]
    """Known: a memory of this text was there, and was left as it is."""
    content_hash: str
    """SHA-256 of what is kept, 64 hex digits."""
    source: str
    """Of the memory that is there, which for a known one need not be what was given."""
    project: str | None
    note: str = ""
    """What else is to be known, "" for nothing: what was left out, or kept under other words."""


Removal = Literal["deleted", "already deleted", "not found"]
"""What became of a memory that was to be deleted."""


class Removed(Own):
    """The answer to one deletion."""

    id: int
    status: Removal
    note: str
    """What it means, and what to do."""


class ListedMemory(Own):
    """One line of a list: everything but the text itself."""

    id: int
    created_at: str
    source: str
    project: str | None
    tags: tuple[str, ...]
    summary: str
    chars: int
    """Length of the content."""
    tool: str | None
    target: str | None
    session_id: str | None
    host: str | None
    is_global: bool
    is_pinned: bool
    deleted_at: str | None


class LongtermStats(Own):
    """Counts of long-term memories. Deleted ones count in `deleted` alone."""

    total: int
    by_source: dict[str, int]
    """Most first."""
    oldest_at: str | None
    newest_at: str | None
    """Moments in UTC, None in an empty store."""
    by_project: dict[str, int]
    """Most first; "" for those of no project."""
    by_host: dict[str, int]
    deleted: int
    """Can be restored."""
    is_global: int
    is_pinned: int
    content_chars: int

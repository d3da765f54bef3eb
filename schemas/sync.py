"""What `runtime longterm dump` and `runtime longterm sync` did."""

from typing import Literal

from schemas.base import Own


class Dumped(Own):
    """One dump."""

    folder: str
    name: str | None
    """None: nothing had changed since the last one, and nothing was written."""
    kind: Literal["full", "incremental"]
    memories: int
    tombstones: int
    size_bytes: int
    removed: tuple[str, ...]
    """Dumps of this machine that the new one made needless."""


class SkippedLine(Own):
    """One line that could not be taken."""

    line: int
    reason: str


class SyncedFile(Own):
    """One file and what became of it."""

    name: str
    host: str
    state: str
    """`taken`, `unchanged` (read before), or why it was not taken."""
    lines: int = 0
    skipped: int = 0
    skipped_lines: tuple[SkippedLine, ...] = ()
    """The first of them."""


class SyncedHost(Own):
    """What was taken over from one machine."""

    host: str
    new: int = 0
    changed: int = 0
    deleted: int = 0
    same: int = 0
    """Lines that said nothing new."""
    skipped: int = 0
    ahead: int = 0
    """Lines whose moments lie in the future, which do not count: a clock is wrong."""


class Synced(Own):
    """All files and hosts, by name."""

    folder: str
    files: tuple[SyncedFile, ...]
    hosts: tuple[SyncedHost, ...]
    mended: int = 0
    """Memories of this machine's own whose moments lay in the future."""

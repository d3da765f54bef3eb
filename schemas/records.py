"""What the store keeps and gives back."""

from typing import Literal

from pydantic import AwareDatetime, Field

from schemas.base import Own

Kind = Literal["note", "long-term"]
"""The kind of memory a hit comes from (permanent memories have their own service)."""

DateOrigin = Literal["heading", "parent", "front matter", "file name", "file time", "event"]
"""Where a record's date was read: "event" is the moment of capture."""


class NewMemory(Own):
    """One long-term memory that a handler wants kept. Text fields are redacted again on write."""

    key: str
    """What makes it the same memory: a second one with this key updates or is absorbed."""
    content: str
    source: str
    """Who made it: `session`, `tool:Write`, or a caller's own word."""
    created_at: AwareDatetime
    tags: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    """Skills that ran within it, as the client names them (`plugin:skill` or `skill`)."""
    tool: str | None = None
    target: str | None = None
    """The path or URL that the tool worked on."""
    session_id: str | None = None
    message_id: str | None = None
    """uuid of the transcript line that opens the turn."""
    may_grow: bool = False
    """A turn grows until the next prompt: a longer text replaces the stored one."""
    replaces: tuple[str, ...] = ()
    """Keys of lesser records of the same thing, which go when this one is kept."""
    unless_turn_holds: str = ""
    """Not kept when a turn of the same session already holds this text."""


class Memory(Own):
    """One stored long-term memory."""

    id: int
    content: str
    source: str
    project: str | None
    project_key: str | None
    tags: tuple[str, ...]
    skills: tuple[str, ...]
    tool: str | None
    target: str | None
    session_id: str | None
    event_id: str | None
    message_id: str | None
    host: str | None
    is_global: bool
    is_pinned: bool
    content_hash: str
    """SHA-256 of the content's UTF-8 bytes, 64 hex digits."""
    summary: str
    created_at: str
    updated_at: str
    deleted_at: str | None


class Chunk(Own):
    """One indexed section of a note."""

    source: str
    """Absolute path of the file."""
    ordinal: int = Field(ge=0)
    heading: str
    heading_path: str
    content: str
    content_hash: str
    start_line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    date: str | None
    date_origin: DateOrigin | None


class SearchHit(Own):
    """One answer of a search, best first."""

    id: int
    kind: Kind
    source: str
    """A note's path, or a memory's origin."""
    heading: str
    date: str | None
    date_origin: DateOrigin | None
    score: float
    """bm25 with the sign turned: higher is better; comparable within one answer only."""
    share: float
    """How much of the query's weight the record holds, 0 to 1."""
    snippet: str
    more: int = 0
    """Records of the same place or text that it stands for, beside itself."""
    content: str
    project: str | None
    host: str | None
    tool: str | None = None
    target: str | None
    line: int | None
    is_pinned: bool = False


class ShownRecord(Own):
    """A record that a model is told of: a memory by its id, a note by its file."""

    kind: Kind
    id: int | None = None
    path: str | None = None


class TranscriptMark(Own):
    """How far a transcript was read: where its last turn begins."""

    path: str
    offset: int = Field(ge=0)
    """Byte offset of the first line of the last turn, which may still grow."""
    head: str
    """Hash of the file's first bytes: another file under the same path starts anew."""


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
    events: int
    events_by_outcome: dict[str, int]
    spool: int
    dead: int
    database_bytes: int
    oldest_at: str | None
    newest_at: str | None
    captures: tuple["CaptureHealth", ...]
    shown: ShownStats
    """Which records help."""


class CaptureHealth(Own):
    """When one kind of event last did its work, and what failed since."""

    name: str
    last_success_at: str | None
    failures_since: int
    last_error: str | None

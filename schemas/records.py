"""What the store keeps and gives back."""

from pydantic import AwareDatetime, Field

from schemas.base import Own


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


class TranscriptMark(Own):
    """How far a transcript was read: where its last turn begins."""

    path: str
    offset: int = Field(ge=0)
    """Byte offset of the first line of the last turn, which may still grow."""
    head: str
    """Hash of the file's first bytes: another file under the same path starts anew."""

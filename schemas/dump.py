"""
Lines of a dump: long-term memories on their way between machines (NDJSON, UTF-8).

Five fields come first and are those that long-term-memory's own dumps have; its
importer passes over fields that it does not know, and over lines whose content is
null (checked 2026-06). So its lines are read as they are, and it reads ours.
"""

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from schemas.base import Lenient

VERSION: Final = 1
"""Of the format. A reader leaves alone what a newer one has written."""


class DumpedMemory(Lenient):
    """One memory. Moments are ISO 8601; of ours, in UTC to the millisecond."""

    content: str
    source: str = "unknown"
    project: str | None = None
    tags: tuple[str, ...] | None = None
    created_at: str
    """When it happened."""
    v: int = 0
    """0: a line of five fields, which another system has written."""
    op: Literal["put"] = "put"
    uid: str | None = None
    """What makes it the same memory on every machine; None: its content does."""
    content_hash: str | None = None
    """SHA-256 of the content's UTF-8 bytes as they stand in the line, hex."""
    host: str | None = None
    """The machine that captured it."""
    updated_at: str | None = None
    """When its text and what belongs to it were last written."""
    deleted_at: None = None
    lived_at: str | None = None
    """When it was last brought back after a deletion; None: it never was."""
    marked_at: str | None = None
    """When it was last marked."""
    is_global: bool = False
    is_pinned: bool = False
    project_key: str | None = None
    skills: tuple[str, ...] | None = None
    tool: str | None = None
    target: str | None = None
    session_id: str | None = None
    event_id: str | None = None
    message_id: str | None = None


class DumpedTombstone(Lenient):
    """One memory that was deleted, without its text."""

    content: None = None
    source: str = "unknown"
    project: None = None
    tags: None = None
    created_at: str
    v: int = VERSION
    op: Literal["delete"] = "delete"
    uid: str = Field(min_length=1)
    content_hash: str | None = None
    """Of the text that it had."""
    deleted_at: str
    lived_at: str | None = None
    """As in a memory: the life that the deletion ended."""
    purged_at: str | None = None
    """When the text was taken out of the store for good: it goes elsewhere, too."""
    marked_at: str | None = None
    is_global: bool = False
    is_pinned: bool = False


class DumpTrailer(Lenient):
    """The last line: it proves that the file is whole."""

    content: None = None
    v: int = VERSION
    op: Literal["end"] = "end"
    host: str
    machine: str
    """Identity of the database that wrote it; two machines may bear one name."""
    written_at: str
    kind: Literal["full", "incremental"] = "full"
    count: int = Field(ge=0)
    """Lines before this one."""
    sha256: str
    """Over the bytes of those lines, line feeds included, hex."""


DumpLine = DumpedMemory | DumpedTombstone | DumpTrailer

OWN_LINE: TypeAdapter[DumpLine] = TypeAdapter(Annotated[DumpLine, Field(discriminator="op")])
"""Validates one decoded line that has `op`."""

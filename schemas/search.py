"""What is searched besides memories, and what a search gives."""

from typing import Literal

from pydantic import Field

from schemas.base import Own
from schemas.kinds import Kind

DateOrigin = Literal[
    "heading", "parent", "front matter", "file name", "file time", "event", "saved"
]
"""Where a record's date was read: "event" is the moment of capture, "saved" that of a
permanent memory's last revision."""


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
    """A note's path, a memory's origin, or the path or address of a permanent memory."""
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
    revision: int | None = None
    """Of a permanent memory."""
    seen_at: str | None = None
    """When a permanent memory that is a copy of esa's was last seen there."""

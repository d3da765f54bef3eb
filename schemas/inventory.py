"""What `runtime notes report` found. Nothing in it was changed."""

from typing import Literal

from pydantic import Field

from schemas.base import Own
from schemas.kinds import Kind
from schemas.search import DateOrigin


class Place(Own):
    """One block of a note, or one long-term memory."""

    kind: Kind
    file: str | None
    """Absolute path; None for a memory."""
    line: int | None
    """Where the block begins, from 1; None for a memory."""
    id: int | None
    """The memory's id; None for a block."""
    heading: str
    """The block's heading without its marks, or a memory's summary."""
    date: str | None
    """`YYYY-MM-DD`: the block's own; never the file's time."""
    date_origin: DateOrigin | None


class Duplicate(Own):
    """Two that say the same. *a* is the newer one, which would stay."""

    a: Place
    b: Place
    similarity: float = Field(ge=0, le=1)
    how: Literal["copy", "similar", "reordered"]
    """Equal but for the heading's date and blanks; difflib's ratio; common sentences."""


class Contradiction(Own):
    """
    A date that cannot be right, or two blocks that cannot both hold.

    Two of one title, date aside, have different dates, and texts that differ in
    more than blanks and punctuation; they are no `Duplicate`, however alike.
    """

    a: Place
    b: Place | None
    """The older one of the same title; None where *a* alone is the matter."""
    reason: Literal["same title, other date", "after today"]


class Size(Own):
    """Characters against what is allowed."""

    file: str
    chars: int
    limit: int


class Unreadable(Own):
    """A file that was left out."""

    file: str
    reason: str


class Comparison(Own):
    """How much of the search for duplicates was done."""

    pairs: int = 0
    """All pairs of different texts."""
    uncompared: int = 0
    """Pairs that might be duplicates and were not compared in full."""
    most_shared: float = 0.0
    """None of the uncompared has more than this share of its 4-grams in common."""


LookedAt = Literal["notes", "long-term"]


class Inventory(Own):
    """What could be tidied."""

    today: str
    stale_days: int
    looked_at: tuple[LookedAt, ...]
    """Of what is not among these, the totals are 0 whatever there is."""
    files_total: int
    blocks_total: int
    memories_total: int
    stale: tuple[Place, ...]
    """Oldest first."""
    duplicates: tuple[Duplicate, ...]
    """Most alike first. Of many copies each is listed once, against the newest."""
    contradictions: tuple[Contradiction, ...]
    oversized: tuple[Size, ...]
    """Files with more than 80 % of `notes.file_max_chars`."""
    long_preambles: tuple[Size, ...]
    """What stands above the first block, with more than 20 % of `notes.file_max_chars`."""
    empty: tuple[Place, ...]
    undated: tuple[Place, ...]
    unreadable: tuple[Unreadable, ...]
    comparison: Comparison

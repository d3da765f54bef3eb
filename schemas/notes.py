"""Writing notes by command: what may be asked for, and what is answered."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from schemas.base import Own


class Append(Own):
    """A new block: at the end, in a CONTEXT.md before the first."""

    op: Literal["append"] = "append"
    file: str
    heading: str
    body: str


class Replace(Own):
    """Another heading and body for the block that `match` names."""

    op: Literal["replace"] = "replace"
    file: str
    match: str
    heading: str
    body: str


class Delete(Own):
    """The block that `match` names goes."""

    op: Literal["delete"] = "delete"
    file: str
    match: str


class Move(Own):
    """The block that `match` names goes to another file, as it is."""

    op: Literal["move"] = "move"
    file: str
    match: str
    to: str


Operation = Append | Replace | Delete | Move

OPERATION: TypeAdapter[Operation] = TypeAdapter(Annotated[Operation, Field(discriminator="op")])
"""Validates one decoded operation of a batch."""

Action = Literal["appended", "replaced", "deleted", "moved"]


class NoteState(Own):
    """A file after the write, or as `runtime notes list` finds it."""

    file: str
    chars: int
    limit: int
    room: int
    """Characters left below the limit; 0 for a file that is over it."""
    blocks: int


class Change(Own):
    """One operation that was done."""

    action: Action
    file: str
    heading: str
    to: str | None = None
    """Where a block was moved to."""


class Saved(NoteState):
    """One operation, and the file after it: the one that a block was moved to."""

    action: Action
    heading: str
    source: str | None = None
    """Where a block was moved from."""
    indexed: bool
    """False when the database could not be had; the next search makes up for it."""


class SavedBatch(Own):
    """All operations in order, and every file after the last of them."""

    changes: tuple[Change, ...]
    files: tuple[NoteState, ...]
    indexed: bool


class Refused(Own):
    """Nothing was written."""

    refused: str
    """The reason in one word."""
    message: str
    headings: tuple[str, ...]
    """Blocks to choose from, or to consolidate."""
    operation: int | None
    """Which one of a batch, from 1."""


class BlockLine(Own):
    """One block in a listing."""

    heading: str
    line: int
    chars: int


class NoteListing(NoteState):
    """One file with its blocks, in order."""

    headings: tuple[BlockLine, ...]

"""What `runtime longterm cleanup` proposes, and what became of it."""

from typing import Literal

from pydantic import Field

from schemas.base import Own

Reason = Literal[
    "copy",
    "near-duplicate",
    "retry",
    "superseded",
    "chatter",
    "retention",
    "never-told",
    "oversized",
]
"""Why a memory could go: the first of these that holds."""


class Candidate(Own):
    """One memory that could go."""

    id: int
    reason: Reason
    why: str
    """In words, with what it was measured against."""
    keeps: int | None = None
    """The memory that says it too and stays."""
    similarity: float | None = None
    """To that one, 0 to 1."""
    hash: str
    """SHA-256 of its content: what the plan saw."""
    chars: int
    project: str | None
    date: str
    """The day of its capture, on the local calendar."""
    summary: str


class CleanupReport(Own):
    """What could go. Nothing was changed."""

    memories: int
    """Looked at."""
    pinned: int
    """Of these, never proposed."""
    candidates: tuple[Candidate, ...]
    uncompared: int
    """Pairs that may be alike and were not compared: the most were reached."""
    shown_since: str | None
    """From when on it is known what was told."""


class PlanLine(Own):
    """One line of a plan: what to delete, and what it was then."""

    op: Literal["delete"]
    id: int = Field(ge=1)
    hash: str
    keeps: int | None = None
    reason: str = ""
    why: str = ""
    similarity: float | None = None
    chars: int | None = None
    project: str | None = None
    date: str = ""
    summary: str = ""


class Skipped(Own):
    """A line of a plan that was not done."""

    id: int
    why: str


class Applied(Own):
    """What a plan did."""

    done: tuple[int, ...]
    """Ids that were deleted, or restored."""
    before: tuple[int, ...]
    """Ids that were so already."""
    skipped: tuple[Skipped, ...]

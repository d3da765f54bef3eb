"""
What handlers see of the world, as protocols.

Everything here reads, rotation and the index's refresh aside (they change files
and their shadow, not memory). What a handler wants remembered it returns.
"""

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.records import Memory, NewMemory, TranscriptMark
    from schemas.search import SearchHit
    from schemas.stats import CaptureHealth


class Limits(NamedTuple):
    """The settings that handlers need, in their words."""

    min_chars: int
    tool_max_chars: int
    inject: bool
    session_max_units: int
    skill_entries: int
    skill_max_units: int


class Conversation(NamedTuple):
    """New turns of one transcript."""

    turns: "tuple[NewMemory, ...]"
    mark: "TranscriptMark | None"
    problem: str | None
    """Why the transcript could not be read: missing, empty, not a file, not readable."""
    skipped: dict[str, int]
    """Lines left out, by kind."""
    hidden: tuple[str, ...] = ()
    """Keys of turns that are not to be kept, and of what was kept of them before."""
    is_private: bool = False
    """What the event brings may be of such a turn."""


class Overview(NamedTuple):
    """What a session is told about the notes."""

    context: str
    """The newest blocks of CONTEXT.md, "" when there is none."""
    context_path: str
    context_date: str | None
    older_blocks: int
    """Blocks of CONTEXT.md that are not shown."""
    contents: tuple[str, ...]
    """Names of the notes' files, by folder. The archive is none of them."""
    unlisted: int = 0
    """Files beyond those that are named."""


class Rotated(NamedTuple):
    """What a rotation did."""

    archived: int
    kept: int


class AboutSkill(NamedTuple):
    """What is known when a skill is called."""

    runs: "Sequence[Memory]" = ()
    """Memories of its earlier runs, newest first."""
    hits: "Sequence[SearchHit]" = ()
    """What its name and then its arguments find besides, best first."""


class Recall(Protocol):
    """Finds memories. Never raises for a query: no input is a mistake."""

    async def about_skill(self, name: str, arguments: str, limit: int) -> AboutSkill:
        """Return at most so many records about a skill; none when nothing is related."""
        ...


class Transcripts(Protocol):
    """Reads transcripts from where reading stopped."""

    async def new_turns(
        self, path: str, session_id: str, last_message: str, prompt_id: str | None = None
    ) -> Conversation:
        """
        Return the turns since last time, with the final answer when it is not on disk yet.

        *prompt_id* names the turn that the final answer belongs to.
        """
        ...


class NoteBook(Protocol):
    """The Markdown side."""

    async def overview(self) -> Overview:
        """Return the newest context and the table of contents."""
        ...

    async def rotate(self) -> Rotated | None:
        """Rotate the configured CONTEXT.md; None when none is configured or there."""
        ...

    async def refresh(self) -> None:
        """Bring the index up to date with the files."""
        ...


class Health(Protocol):
    """Tells whether capture does its work."""

    async def failing(self) -> "Sequence[CaptureHealth]":
        """Return the kinds of event that have failed again and again, and nothing since."""
        ...


class Services(Protocol):
    """Everything a handler may use. What none asks for need not be made."""

    @property
    def recall(self) -> Recall:
        """Memories that the event's project may see."""
        ...

    @property
    def transcripts(self) -> Transcripts:
        """The client's transcripts."""
        ...

    @property
    def notes(self) -> NoteBook:
        """The Markdown side."""
        ...

    @property
    def health(self) -> Health:
        """How capture is doing."""
        ...

    @property
    def limits(self) -> Limits:
        """The settings that concern handlers."""
        ...

    @property
    def project_name(self) -> str:
        """The project's name as it is shown."""
        ...

    @property
    def project_key(self) -> str:
        """The project's identity."""
        ...

    def now(self) -> datetime:
        """Return the moment that the event was received."""
        ...

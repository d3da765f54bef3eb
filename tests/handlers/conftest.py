"""Stand-ins for what handlers may use, and events as the pipeline hands them over."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from runtime.services import AboutSkill, Conversation, Limits, Overview, Rotated, Services
from schemas.events import HookEvent, validated
from schemas.records import Memory
from schemas.search import SearchHit
from schemas.stats import CaptureHealth

NOTHING: Final = Conversation((), None, None, {})
NO_NOTES: Final = Overview("", "", None, 0, ())
NOW: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
LIMITS: Final = Limits(200, 4000, True, 4000, 5, 2500)


@dataclass
class KnownRecall:
    """Finds what it was given, up to the limit."""

    runs: list[Memory] = field(default_factory=list)
    hits: list[SearchHit] = field(default_factory=list)
    asked: list[tuple[str, ...]] = field(default_factory=list)

    async def about_skill(self, name: str, arguments: str, limit: int) -> AboutSkill:
        self.asked.append((name, arguments))
        runs = self.runs[:limit]
        return AboutSkill(runs, self.hits[: limit - len(runs)])


@dataclass
class ReadTranscripts:
    """Has read one conversation already."""

    conversation: Conversation = NOTHING
    asked: list[tuple[str | None, ...]] = field(default_factory=list)

    async def new_turns(
        self, path: str, session_id: str, last_message: str, prompt_id: str | None = None
    ) -> Conversation:
        self.asked.append((path, session_id, last_message, prompt_id))
        return self.conversation


@dataclass
class WrittenNotes:
    """Notes with a fixed overview, and a list of what was asked of them."""

    seen: Overview = NO_NOTES
    rotated: Rotated | None = None
    asked: list[str] = field(default_factory=list)

    async def overview(self) -> Overview:
        self.asked.append("overview")
        return self.seen

    async def rotate(self) -> Rotated | None:
        self.asked.append("rotate")
        return self.rotated

    async def refresh(self) -> None:
        self.asked.append("refresh")


@dataclass
class KnownHealth:
    """Knows of the failures that it was given."""

    failures: tuple[CaptureHealth, ...] = ()

    async def failing(self) -> tuple[CaptureHealth, ...]:
        return self.failures


@dataclass(frozen=True)
class Given:
    """Services with the parts they were given."""

    recall: KnownRecall
    transcripts: ReadTranscripts
    notes: WrittenNotes
    limits: Limits = LIMITS
    project_name: str = "project"
    project_key: str = "key"
    health: KnownHealth = field(default_factory=KnownHealth)

    def now(self) -> datetime:
        return NOW


@pytest.fixture
def recall() -> KnownRecall:
    return KnownRecall()


@pytest.fixture
def transcripts() -> ReadTranscripts:
    return ReadTranscripts()


@pytest.fixture
def notes() -> WrittenNotes:
    return WrittenNotes()


@pytest.fixture
def services(recall: KnownRecall, transcripts: ReadTranscripts, notes: WrittenNotes) -> Given:
    return Given(recall, transcripts, notes)


@pytest.fixture
def limited(services: Given) -> Callable[..., Services]:
    """Services with other limits: `limited(inject=False)`."""
    return lambda **limits: replace(services, limits=LIMITS._replace(**limits))


@pytest.fixture
def event() -> Callable[..., HookEvent]:
    """An event by its name: `event("Stop", last_assistant_message="Done.")`."""

    def make(name: str, **fields: Any) -> HookEvent:
        base = {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/", **fields}
        return validated({**base, "hook_event_name": name})

    return make

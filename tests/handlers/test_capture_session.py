"""The conversation's new turns become memories, and what could not be read is told."""

from collections.abc import Callable

import pytest

from handlers.capture_session import handle
from runtime.routes import handlers_of
from runtime.services import Conversation, Services
from schemas.events import HookEvent
from schemas.outputs import HookOutput
from schemas.records import NewMemory, TranscriptMark
from tests.handlers.conftest import NOW, ReadTranscripts

TURN = NewMemory(key="turn:u", content="[user] a", source="session", created_at=NOW)
MARK = TranscriptMark(path="/t.jsonl", offset=7, head="h")

Make = Callable[..., HookEvent]


@pytest.mark.parametrize("name", ["Stop", "PreCompact", "SessionEnd"])
async def test_new_turns_and_the_mark_are_returned(
    name: str, event: Make, services: Services, transcripts: ReadTranscripts
) -> None:
    transcripts.conversation = Conversation((TURN,), MARK, None, {"progress": 1})

    output = await handle(event(name), services)

    assert output == HookOutput(memories=(TURN,), transcript=MARK)


async def test_a_stop_brings_its_final_answer_and_its_prompt(
    event: Make, services: Services, transcripts: ReadTranscripts
) -> None:
    await handle(event("Stop", last_assistant_message="Done.", prompt_id="p1"), services)
    await handle(event("SessionEnd", last_assistant_message="no Stop"), services)

    assert transcripts.asked == [("/t.jsonl", "s", "Done.", "p1"), ("/t.jsonl", "s", "", None)]


async def test_a_transcript_that_cannot_be_read_is_a_problem_not_a_failure(
    event: Make, services: Services, transcripts: ReadTranscripts
) -> None:
    transcripts.conversation = Conversation((), None, "missing", {})

    output = await handle(event("Stop"), services)

    assert output == HookOutput(problem="transcript missing")


def test_a_subagents_end_is_no_end_of_a_turn(event: Make) -> None:
    """Its transcript_path is the parent's."""
    assert handlers_of(event("SubagentStop")) == ()

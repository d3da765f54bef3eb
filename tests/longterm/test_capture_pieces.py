"""Transcripts read in pieces of any size: the words are the same as of the whole."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.app import open_app
from runtime.longterm import transcript_file
from runtime.paths import Home
from runtime.settings import Settings
from tests.longterm.conversation import Conversation, Step, conversations, steps
from tests.longterm.fixture_memories import MEMORIES
from tests.longterm.session import Session, answer, prompt
from tests.payloads import FIXTURES

TRANSCRIPTS = FIXTURES / "transcripts"


def run_session(work: Callable[[Session], Awaitable[None]]) -> None:
    """Run a session in a home of its own: an example of hypothesis has no fixtures."""

    async def run(home: Home) -> None:
        async with open_app(home, Settings()) as app:
            await work(Session(app, Path(home.root, "transcript.jsonl")))

    with TemporaryDirectory() as folder:
        home = Home(folder)
        home.prepare()
        anyio.run(run, home)


@given(data=st.data(), name=st.sampled_from(sorted(MEMORIES)))
@settings(max_examples=30)
def test_a_captured_transcript_that_grows_by_any_pieces_gives_the_same_memories(
    data: st.DataObject, name: str
) -> None:
    whole = (TRANSCRIPTS / f"{name}.jsonl").read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))

    async def grow(session: Session) -> None:
        for cut in [*cuts, len(whole)]:
            session.path.write_bytes(whole[:cut])
            await session.fire()

        assert sorted(await session.stored()) == sorted(MEMORIES[name])

    run_session(grow)


@given(data=st.data(), conversation=conversations())
@settings(max_examples=150)
def test_the_stored_words_are_the_conversations_words_however_it_is_cut(
    data: st.DataObject, conversation: Conversation
) -> None:
    """Also with final answers that come late, early, twice, or for another turn."""
    plan = [*data.draw(steps(conversation)), Step(len(conversation.data), "SessionEnd")]

    async def grow(session: Session) -> None:
        for step in plan:
            session.path.write_bytes(conversation.data[: step.cut])
            await session.fire(step.event, step.last, step.prompt_id)

        assert sorted(await session.stored()) == sorted(conversation.memories)

    run_session(grow)


@given(conversation=conversations(), limit=st.integers(40, 900))
@settings(max_examples=40)
def test_a_huge_transcript_is_read_in_pieces_and_no_word_is_lost_or_doubled(
    conversation: Conversation, limit: int
) -> None:
    """A turn that is longer than a piece goes on in another memory."""

    async def read(session: Session) -> None:
        session.path.write_bytes(conversation.data)
        mark, last = None, ()
        while mark != last:
            await session.fire()
            mark, last = await _mark(session), mark

        stored = await session.stored()
        for words in conversation.words:
            assert sum(words in memory for memory in stored) == 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcript_file, "MAX_READ_BYTES", limit)
        run_session(read)


async def _mark(session: Session) -> Any:
    async with session.app.opened.connection.execute("SELECT read_to FROM transcripts") as cursor:
        return tuple(await cursor.fetchone() or ())


async def test_an_event_reads_no_more_than_its_share_of_a_huge_transcript(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first capture of a transcript of many megabytes has to end within its budget."""
    turns = [prompt(f"u{n}", f"question {n}") + answer(f"a{n}", f"reply {n}") for n in range(40)]
    monkeypatch.setattr(transcript_file, "MAX_READ_BYTES", 4 * len(turns[0]))
    await session.write(*turns)

    counts = []
    for _ in range(14):
        await session.fire()
        counts.append(len(await session.stored()))

    assert counts[:3] == [4, 7, 10]
    assert await session.stored() == [
        f"[user] question {n}\n\n[assistant] reply {n}" for n in range(40)
    ]

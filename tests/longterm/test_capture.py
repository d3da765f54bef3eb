"""Transcripts through the pipeline: what was said is remembered, once, whatever happens."""

import json
import shutil
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from runtime.longterm.capture import Transcripts
from runtime.store.clock import utc_now
from runtime.store.longterm import Origin, keep
from tests.longterm.fixture_memories import MEMORIES
from tests.longterm.session import Session, answer, contents, prompt, rows, tool_result, tool_use

TRANSCRIPTS = Path(__file__).parents[1] / "fixtures" / "transcripts"


@pytest.mark.parametrize("name", MEMORIES)
async def test_of_a_captured_transcript_exactly_the_words_are_kept(
    name: str, session: Session
) -> None:
    shutil.copy(TRANSCRIPTS / f"{name}.jsonl", session.path)

    await session.fire()

    assert await session.stored() == MEMORIES[name]


@pytest.mark.parametrize("events", list(permutations(["Stop", "PreCompact", "SessionEnd"])))
@pytest.mark.parametrize("name", MEMORIES)
async def test_events_in_any_order_and_twice_keep_each_turn_once(
    name: str, events: tuple[str, ...], session: Session
) -> None:
    shutil.copy(TRANSCRIPTS / f"{name}.jsonl", session.path)

    for event in events:
        await session.fire(event)
        await session.fire(event)

    assert await session.stored() == MEMORIES[name]


async def test_a_final_answer_that_is_not_on_disk_yet_makes_one_turn(session: Session) -> None:
    """2.1.197 had it on disk in 2 of 12 Stops; the payload always has it."""
    await session.write(prompt("u1", "Which?"), answer("a1", "Looking."))

    await session.fire(last="JWT.")
    at_stop = await session.stored()
    await session.write(answer("a2", "JWT."))
    await session.fire("SessionEnd")

    assert at_stop == ["[user] Which?\n\n[assistant] Looking.\n\nJWT."]
    assert await session.stored() == at_stop


async def test_a_late_answer_of_several_blocks_is_not_kept_twice(session: Session) -> None:
    """One block of it is on disk, the payload has both."""
    await session.write(prompt("u1", "Which?"), answer("a1", "JWT."))

    await session.fire(last="JWT.\nNo sessions.")
    await session.write(answer("a2", "No sessions."))
    await session.fire("SessionEnd")

    assert await session.stored() == ["[user] Which?\n\n[assistant] JWT.\n\nNo sessions."]


async def test_a_stop_that_is_handled_late_does_not_answer_the_next_prompt(
    session: Session,
) -> None:
    await session.write(
        prompt("u1", "First?", promptId="p1"),
        answer("a1", "A long first answer."),
        prompt("u2", "Second?", promptId="p2"),
    )

    await session.fire(last="A long first answer.", prompt_id="p1")
    await session.write(answer("a2", "No."))
    await session.fire(last="No.", prompt_id="p2")

    assert await session.stored() == [
        "[user] First?\n\n[assistant] A long first answer.",
        "[user] Second?\n\n[assistant] No.",
    ]


async def test_the_same_short_answer_to_two_prompts_belongs_to_both(session: Session) -> None:
    await session.write(
        prompt("u1", "First?", promptId="p1"),
        answer("a1", "OK."),
        prompt("u2", "Second?", promptId="p2"),
    )

    await session.fire(last="OK.", prompt_id="p2")

    assert await session.stored() == [
        "[user] First?\n\n[assistant] OK.",
        "[user] Second?\n\n[assistant] OK.",
    ]


async def test_an_answer_without_a_transcript_gives_way_to_its_turn(session: Session) -> None:
    await session.fire(last="JWT.")
    alone = await session.stored()
    await session.write(prompt("u1", "Which?"), answer("a1", "JWT."), answer("a2", "Done."))
    await session.fire("SessionEnd")

    assert alone == ["[assistant] JWT."]
    assert await session.stored() == ["[user] Which?\n\n[assistant] JWT.\n\nDone."]


async def test_an_answer_whose_turn_is_stored_is_not_kept_again_without_it(
    session: Session,
) -> None:
    """The transcript may be gone when a second Stop is handled."""
    await session.write(prompt("u1", "Which?"), answer("a1", "JWT."))
    await session.fire(last="JWT.")
    session.path.unlink()

    await session.fire(last="JWT.")

    assert await session.stored() == ["[user] Which?\n\n[assistant] JWT."]


async def test_what_is_read_later_wins_whichever_is_committed_last(session: Session) -> None:
    """Two hooks of one session run at once and commit in the opposite order."""
    await session.write(prompt("u1", "Which?"), answer("a1", "Looking."))
    reader = Transcripts(session.app.store, 1000, utc_now())
    early = await reader.new_turns(str(session.path), "s", "")
    await session.write(answer("a2", "JWT."), prompt("u2", "Why?"))
    late = await reader.new_turns(str(session.path), "s", "")

    async with session.app.opened.transaction() as connection:
        for turn in (*late.turns, *early.turns):
            await keep(connection, turn, Origin(None, None, None, None), utc_now())

    assert await session.stored() == [
        "[user] Which?\n\n[assistant] Looking.\n\nJWT.",
        "[user] Why?",
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_a_turn_over_the_limit_goes_on_growing(
    order: tuple[int, ...], session: Session
) -> None:
    """Its length stays at the limit then; what was left out counts too."""
    reader = Transcripts(session.app.store, 1000, utc_now())
    await session.write(prompt("u1", "Go"))
    readings = []
    for step in range(3):
        await session.write(answer(f"a{step}", f"{'x' * 2000} end {step}"))
        readings.append((await reader.new_turns(str(session.path), "s", "")).turns[0])

    async with session.app.opened.transaction() as connection:
        for number in order:
            await keep(connection, readings[number], Origin(None, None, None, None), utc_now())

    [stored] = await session.stored()
    assert stored.startswith("[user] Go")
    assert stored.endswith("end 2")
    assert len(stored) <= 1000


async def test_resume_goes_on_in_the_same_file_and_session(session: Session) -> None:
    await session.write(prompt("u1", "One?"), answer("a1", "One."))
    await session.fire()
    await session.fire("SessionEnd")

    await session.write(prompt("u2", "Two?"), answer("a2", "Two."))
    await session.fire()

    assert await session.stored() == [
        "[user] One?\n\n[assistant] One.",
        "[user] Two?\n\n[assistant] Two.",
    ]


async def test_a_fork_adds_only_what_is_new_in_it(session: Session, tmp_path: Path) -> None:
    """A fork's file begins as a copy under a new session id, with the same uuids."""
    shutil.copy(TRANSCRIPTS / "fork.jsonl", session.path)
    await session.fire()
    forked = Session(session.app, tmp_path / "forked.jsonl", "22222222-2222-4222-8222-222222222222")
    records = [json.loads(raw) for raw in session.path.read_bytes().splitlines()]
    for record in records:
        record["sessionId"] = forked.session_id
    await forked.write(*(json.dumps(record).encode() + b"\n" for record in records))
    await forked.write(prompt("new", "Elsewhere?"), answer("new.1", "Elsewhere."))

    await forked.fire()

    assert await session.stored() == [
        *MEMORIES["fork"],
        "[user] Elsewhere?\n\n[assistant] Elsewhere.",
    ]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (prompt("v1", "Anew?") + answer("w1", "Anew."), "a shorter file"),
        (prompt("v1", "Anew?") + answer("w1", "Anew.") + answer("w2", "x" * 9000), "a longer one"),
        (
            prompt("u1", "One?") + prompt("v1", "Anew?") + answer("w1", "Anew." + "x" * 9000),
            "a longer one that begins alike",
        ),
    ],
)
async def test_another_file_under_the_same_path_is_read_from_its_start(
    other: bytes, why: str, session: Session
) -> None:
    await session.write(prompt("u1", "One?"), answer("a1", "One."), prompt("u2", "Two?"))
    await session.fire()

    session.path.write_bytes(other)
    await session.fire()

    stored = await session.stored()
    assert any(text.startswith("[user] Anew?\n\n[assistant] Anew.") for text in stored), why


async def test_a_turn_remembers_its_time_session_skill_and_tools(session: Session) -> None:
    await session.write(
        prompt("u1", "Review it"),
        tool_use("a1", "Skill", skill="plugin:review", args="now"),
        tool_result("r1", "Launching skill"),
        answer("a2", "Fine."),
    )

    await session.fire()

    columns = "key, created_at, session_id, message_id, skills, tags, tool"
    assert await rows(session.app, columns) == [
        (
            "turn:u1",
            "2026-11-30T12:00:00.000Z",
            session.session_id,
            "u1",
            '["plugin:review"]',
            f'["session", "{session.session_id}"]',
            None,
        )
    ]


async def test_lines_that_were_passed_over_are_counted_by_kind(session: Session) -> None:
    await session.write(
        b'{"type": "progress"}\n{"type": "progress"}\nbroken\n\n',
        answer("s1", "side", isSidechain=True),
        prompt("u1", "Hello"),
        prompt("u1", "Hello"),
    )
    reader = Transcripts(session.app.store, 1000, utc_now())

    found = await reader.new_turns(str(session.path), "s", "")

    assert found.skipped == {"progress": 2, "unreadable": 1, "sidechain": 1, "repeated": 1}
    assert [turn.content for turn in found.turns] == ["[user] Hello"]


@pytest.mark.parametrize("last", ["Only this.", None])
async def test_a_session_that_is_never_written_to_disk_keeps_its_answers(
    last: Any, session: Session
) -> None:
    """`--no-session-persistence`: the payload has a path that never exists."""
    await session.fire(last=last)
    await session.fire(last=last)

    assert await contents(session.app) == (["[assistant] Only this."] if last else [])

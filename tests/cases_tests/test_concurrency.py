"""Hooks that run at the same moment, and Stop hooks that must let the agent rest."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

from runtime.store.store import open_store
from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    Make,
    Playground,
    assistant,
    check,
    session_start,
    stop,
    tool_use,
    user,
)
from tests.processes import HOOK, Ran

PATIENCE_S: Final = 50
QUIET: Final = ("decision", "reason", "continue", "stopReason", "hookSpecificOutput")

WRITTEN = "SELECT count(*) FROM meta WHERE value = ''"


def at_once(ground: Playground, payloads: Sequence[Mapping[str, Any]]) -> list[Ran]:
    """Start one process for each payload, then feed them all, then wait for all."""
    running = [
        subprocess.Popen(
            HOOK,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **ground.product.environ},
        )
        for _payload in payloads
    ]
    for process, payload in zip(running, payloads, strict=True):
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.flush()
    done = [process.communicate(timeout=PATIENCE_S) for process in running]
    return [
        Ran(process.returncode, out, err.decode())
        for process, (out, err) in zip(running, done, strict=True)
    ]


def complaints(ground: Playground) -> list[str]:
    """Return what the log says about locks and tables."""
    lines = [json.dumps(line) for line in ground.product.logged()]
    return [
        line
        for line in lines
        if "locked" in line or "already exists" in line or "handler_failed" in line
    ]


@pytest.mark.parametrize("count", [2, 20])
def test_the_same_two_events_fired_many_times_at_once_are_stored_once(
    count: int, make: Make
) -> None:
    """The store does not exist before: all of them create it."""
    ground = make("C01")
    events = [ground.payload("event.json"), ground.payload("stop.json")]

    rans = at_once(ground, events * (count // 2))

    for ran in rans:
        check(ran)
        assert ran.out == b""
    assert ground.product.finds("twicefired")
    assert [len(ground.memories(word)) for word in ("twicefired", "twiceq", "twicea")] == [1, 1, 1]
    assert ground.rows("SELECT count(*), count(DISTINCT id) FROM events") == [(count, count)]
    assert complaints(ground) == []
    assert os.listdir(ground.product.home / "spool") == []


async def test_a_database_that_many_create_at_once_is_refused_to_none(tmp_path: Path) -> None:
    """Switching an empty database to WAL is refused at once, not after the busy timeout."""

    async def create(path: str) -> None:
        async with open_store(path, 20) as store, store.transaction() as connection:
            await connection.execute("INSERT INTO meta VALUES (hex(randomblob(8)), '')")

    for attempt in range(15):
        path = str(tmp_path / f"{attempt}.db")
        async with anyio.create_task_group() as group:
            for _number in range(8):
                group.start_soon(create, path)
        async with (
            open_store(path, 20) as store,
            store.connection.execute(WRITTEN) as cursor,
        ):
            assert [tuple(row) for row in await cursor.fetchall()] == [(8,)]


def test_events_of_many_sessions_at_once_are_all_kept(make: Make) -> None:
    """None is lost to another's lock, and the index holds each once."""
    ground = make()
    texts = [f"並行の試験 parallel{number}x " + "本文" * 120 for number in range(8)]

    rans = at_once(
        ground,
        [tool_use("WebFetch", {"result": text}, url="https://example.com/") for text in texts],
    )

    for ran in rans:
        check(ran)
    found = ground.product.search("並行の試験", limit=20)
    assert sorted(hit["content"] for hit in found) == sorted(texts)
    assert ground.rows("SELECT count(*) FROM search_index_docsize") == [(8,)]


def test_uniqueness_is_the_databases(make: Make) -> None:
    """A check before the insert could be outrun."""
    ground = make("C01")
    ground.hook(ground.payload("event.json"))

    indexes = ground.rows("SELECT name FROM pragma_index_list('memories') WHERE \"unique\"")
    columns = [ground.rows("SELECT name FROM pragma_index_info(?)", name) for (name,) in indexes]
    assert [("key",)] in columns


def test_two_session_starts_at_once_both_answer_and_store_nothing(make: Make) -> None:
    ground = make()
    (ground.notes / "CONTEXT.md").write_text("## 2026-06-01 今\nnowword\n", encoding="utf-8")

    rans = at_once(ground, [session_start(), session_start()])

    for ran in rans:
        check(ran, session_start())
        assert "nowword" in ran.context
    assert ground.memories() == []
    assert complaints(ground) == []


def test_a_hook_that_was_killed_half_way_leaves_nothing_that_is_lost_or_doubled(
    make: Make,
) -> None:
    """Its event is in the spool from the first moment; whoever comes next finishes it."""
    ground = make("C01")
    process = subprocess.Popen(
        HOOK, stdin=subprocess.PIPE, env={**os.environ, **ground.product.environ}
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(ground.payload("event.json")).encode())
    process.stdin.flush()
    spool = ground.product.home / "spool"
    while process.poll() is None:
        if spool.is_dir() and any(name[0].isdigit() for name in os.listdir(spool)):
            process.send_signal(signal.SIGKILL)
            break
    process.stdin.close()
    process.wait(PATIENCE_S)

    ground.hook(ground.payload("event.json"))

    assert ground.product.finds("twicefired")
    assert len(ground.memories("twicefired")) == 1
    assert os.listdir(spool) == []


STOPS: Final = {
    "false": False,
    "true": True,
    "a string": "false",
    "zero": 0,
    "null": None,
    "yes": "yes",
    "a list": [True],
    "an object": {"a": 1},
    "a huge number": 10**30,
}


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "SessionEnd", "PreCompact"])
def test_the_end_of_a_turn_is_answered_with_silence(event: str, make: Make) -> None:
    """Whatever stop_hook_active is, and whether or not there is a transcript."""
    ground = make()
    for active in (True, None):
        ran = ground.hook(
            {**stop("/nonexistent/x.jsonl", stop_hook_active=active), "hook_event_name": event}
        )
        assert ran.out == b""
        assert ran.err == ""


@pytest.mark.parametrize("active", STOPS)
async def test_every_value_of_stop_hook_active_is_accepted(active: str, pipeline: Pipeline) -> None:
    printed = await pipeline.handle(
        stop("/nonexistent/x.jsonl", stop_hook_active=STOPS[active], last_assistant_message="x y")
    )

    assert printed == b""
    assert await pipeline.rows("SELECT outcome FROM events") == [("ok",)]
    assert await pipeline.memories() == ["[assistant] x y"]


def test_the_cases_stop_events_are_answered_with_silence(make: Make) -> None:
    ground = make("C05")
    events = [ground.payload("stop_false.json"), ground.payload("stop_true.json")]

    for event in [*events, *ground.events("stop_odd.ndjson")]:
        ran = ground.hook(event)
        assert ran.answer is None
        assert not any(word in ran.err for word in QUIET)

    assert ground.rows("SELECT DISTINCT outcome FROM events") == [("ok",)]


FAILING: Final = """
import sys
from types import ModuleType
from runtime import routes
from runtime.routes import Route

async def handle(event, services):
    {body}

module = ModuleType("failing")
module.handle = handle
sys.modules["failing"] = module
routes.ROUTES["Stop"] = (Route("failing"), Route("failing"))
from runtime.client import main
main([])
"""


@pytest.mark.parametrize(
    "body",
    ["raise ValueError('x')", "sys.exit(2)", "return {'decision': 'block'}", "return 'text'"],
)
def test_a_stop_is_answered_with_silence_even_when_every_handler_fails(
    body: str, make: Make, run_script: Any
) -> None:
    ground = make()

    ran = run_script(ground, FAILING.format(body=body), stop("/nonexistent/x.jsonl"))

    assert ran.out == b""
    assert ground.rows("SELECT outcome FROM events") == [("failed",)]


def test_ten_stops_in_a_row_leave_what_one_leaves(make: Make) -> None:
    ground = make(MEMORY_KEEP_N="2")
    context = ground.notes / "CONTEXT.md"
    ground.product.environ["MEMORY_CONTEXT"] = str(context)
    context.write_text(
        "".join(f"## 2026-06-{day:02d}\nx{day}\n" for day in range(9, 4, -1)), encoding="utf-8"
    )
    archive = ground.root / "logs" / "context_archive.md"
    transcript = ground.write_transcript(user("u1", "一つの依頼"), assistant("a1", "一つの答え"))
    event = stop(str(transcript), last_assistant_message="一つの答え")

    ground.hook(event, may_change=[context, archive, archive.parent])
    after_one = (context.read_bytes(), archive.read_bytes(), ground.memories())
    for number in range(9):
        ground.hook({**event, "stop_hook_active": bool(number % 2)})

    assert (context.read_bytes(), archive.read_bytes(), ground.memories()) == after_one
    assert len(after_one[2]) == 1
    assert after_one[0].count(b"## ") == 2
    assert after_one[1].count(b"## ") == 3

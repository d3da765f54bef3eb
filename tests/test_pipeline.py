import json
import os
import re
import sqlite3
from itertools import groupby

import anyio
import pytest

from runtime.aside import Fate
from runtime.events.query import Selection, select
from runtime.pipeline import handle, leave_alone, read
from runtime.routes import ROUTES, Route
from runtime.settings import Settings
from runtime.spool import Captured
from schemas.answers import HookAnswer
from schemas.events import validated
from tests.spooled import BASE, put
from tests.test_dispatcher import SAID, handler, raising  # noqa: F401 - a fixture

SECRET = "sk-ant-" + "a1" * 20


async def stored(app):
    return [item.event for item in await select(app.opened.connection, Selection())]


def written(text="x" * 300):
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": "/nowhere/shop/a.md"},
        "tool_response": {"content": text},
    }


async def test_an_event_is_recorded_with_its_memory_and_leaves_the_spool(app):
    fate = await handle(put(app.home, written()), app)

    (event,) = await stored(app)
    assert fate is Fate.DONE
    assert (event.name, event.outcome, event.project) == ("PostToolUse", "ok", "shop")
    assert event.received_at.startswith("1970-01-01T00:00:00")
    assert [run.handler for run in event.handlers] == ["handlers.log_tool_result"]
    async with app.opened.connection.execute("SELECT event_id, project FROM memories") as cursor:
        assert [tuple(row) for row in await cursor.fetchall()] == [(event.id, "shop")]
    assert os.listdir(app.home.spool) == []


async def test_the_same_event_again_changes_nothing(app):
    """A crash between the commit and the unlink leaves the file: the id absorbs it."""
    await handle(put(app.home, written()), app)
    before = await stored(app)

    await handle(put(app.home, written("another text" * 50)), app)

    assert await stored(app) == before
    async with app.opened.connection.execute("SELECT count(*) FROM memories") as cursor:
        assert tuple(await cursor.fetchone()) == (1,)
    assert os.listdir(app.home.spool) == []


async def test_one_event_is_one_transaction(app):
    """The exact statements: all the writes stand between one BEGIN and one COMMIT."""
    statements = []
    await handle(put(app.home, {"hook_event_name": "Stop"}, number=1), app)
    await app.opened.connection.set_trace_callback(statements.append)

    await handle(put(app.home, written(), number=2), app)

    await app.opened.connection.set_trace_callback(None)
    # FTS5's own statements are comments; one that fires triggers is reported again for each.
    own = [" ".join(text.split()) for text in statements if not text.startswith("--")]
    lines = [text for text, _same in groupby(own)]
    assert [re.split(r"\(| 'tool:", line)[0].strip() for line in lines] == [
        "BEGIN IMMEDIATE",
        "SELECT 1 FROM events WHERE id = '00000000000000000002-1'",
        "INSERT INTO events",
        "INSERT INTO memories",
        "COMMIT",
        "SELECT max",
    ]
    assert lines[2].endswith("ON CONFLICT (id) DO NOTHING")


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "empty"),
        (b"not JSON", "not JSON"),
        (b'{"session_id": "s"}', "no event name"),
        (b"[1]", "no object"),
    ],
)
async def test_what_cannot_be_read_is_buried_redacted(app, logged, payload, why):
    data = payload + f' {{"key": "{SECRET}"'.encode() if payload else payload

    await handle(put(app.home, data), app)

    (name,) = os.listdir(app.home.dead)
    assert b"a1a1" not in await anyio.Path(app.home.dead, name).read_bytes(), why
    assert os.listdir(app.home.spool) == []
    assert await stored(app) == []
    assert "a1a1" not in str(logged)


async def test_without_a_store_the_event_waits(app):
    event = put(app.home, written())

    await handle(event, app._replace(store=None))

    assert os.listdir(app.home.spool) == [event.name]


async def test_what_cannot_be_committed_waits_and_is_handled_later(app):
    event = put(app.home, written())
    await app.opened.connection.execute("ALTER TABLE memories RENAME TO hidden")
    await handle(event, app)
    waiting = os.listdir(app.home.spool)
    await app.opened.connection.execute("ALTER TABLE hidden RENAME TO memories")

    await handle(event, app)

    assert waiting == [event.name]
    assert os.listdir(app.home.spool) == []
    assert len(await stored(app)) == 1


async def test_nothing_of_an_event_is_kept_when_a_part_of_it_fails(app):
    await app.opened.connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON memories BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    )

    await handle(put(app.home, written()), app)

    assert await stored(app) == []


@pytest.mark.parametrize(
    ("payload", "facts", "reason"),
    [
        ({"hook_event_name": "Notification"}, {}, "not routed"),
        ({"hook_event_name": "Later"}, {}, "not routed"),
        ({"hook_event_name": "PostToolUse", "tool_name": "Bash"}, {}, "not routed"),
        ({"hook_event_name": "SubagentStop"}, {}, "a subagent"),
        ({"hook_event_name": "Stop"}, {"entrypoint": "sdk-py"}, "a program's session (sdk-py)"),
        ({"hook_event_name": "Stop"}, {"nested": "1"}, "a session started by another session"),
    ],
)
async def test_what_is_none_of_ours_is_recorded_as_ignored(app, payload, facts, reason):
    await handle(put(app.home, payload, facts=facts), app)

    (event,) = await stored(app)
    assert (event.outcome, event.reason, event.handlers) == ("ignored", reason, ())


def test_settings_decide_about_programs_and_nested_sessions():
    event = validated({**BASE, "hook_event_name": "Stop"})
    settings = Settings.model_validate(
        {"capture": {"ignore_entrypoints": (), "nested_sessions": True}}
    )

    assert leave_alone(event, {"entrypoint": "sdk-py", "nested": "1"}, settings) is None


async def test_a_failing_handler_is_recorded_and_the_others_answer(app, handler, monkeypatch):  # noqa: F811
    async def says(event, services):
        return SAID

    routes = (
        Route(handler("fails", raising(ValueError(f"no {SECRET}")))),
        Route(handler("says", says)),
    )
    monkeypatch.setitem(ROUTES, "SessionStart", routes)

    told = []
    await handle(put(app.home, {"hook_event_name": "SessionStart"}), app, told.append)

    (answer,) = told
    (event,) = await stored(app)
    assert "said" in HookAnswer.model_validate_json(answer).hook_specific_output.additional_context
    assert event.outcome == "failed"
    assert event.reason.startswith("fails: ValueError: no ")
    assert "a1a1" not in event.model_dump_json()
    assert event.answer == json.loads(answer)


async def test_secrets_are_taken_out_before_anything_is_stored_or_logged(app, logged):
    payload = {**written(f"token {SECRET} " + "x" * 300), SECRET: SECRET}

    await handle(put(app.home, payload, facts={"project": f"/{SECRET}"}), app)

    await app.opened.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection = sqlite3.connect(app.home.database)
    dump = "\n".join(connection.iterdump())
    connection.close()
    (item,) = await select(app.opened.connection, Selection())
    assert "a1a1" not in dump
    assert "a1a1" not in json.dumps(item.payload)
    assert "a1a1" not in str(logged)


async def test_a_project_folder_whose_name_is_no_text_is_no_failure(app):
    facts = {"project": os.fsdecode(b"/nowhere/caf\xe9")}

    await handle(put(app.home, {"hook_event_name": "SessionStart"}, facts=facts), app)

    (event,) = await stored(app)
    assert (event.project, event.facts) == ("caf?", {"project": "/nowhere/caf\ufffd"})


@pytest.mark.parametrize("number", [0, 10**19, 10**40])
async def test_an_id_that_tells_no_time_is_received_now(app, number):
    await handle(put(app.home, {"hook_event_name": "Stop"}, number=number), app)

    (event,) = await stored(app)
    assert event.received_at >= "2026"


@pytest.mark.parametrize("keep_days", [0, 14, 1e12])
async def test_every_so_many_events_old_payloads_are_dropped(app, keep_days):
    settings = Settings.model_validate({"events": {"keep_days": keep_days, "keep_bytes": 10**30}})
    small = app._replace(settings=settings)
    for number in range(1, 51):
        await handle(put(app.home, {"hook_event_name": "Later"}, number=number), small)

    found = await select(app.opened.connection, Selection())
    assert len(found) == 50
    assert sum(item.payload is not None for item in found) == (50 if keep_days > 14 else 0)


def test_reading_gives_the_event_and_what_may_be_stored():
    data = json.dumps({**BASE, "hook_event_name": "Stop", "last_assistant_message": SECRET})

    event, payload = read(Captured("1-1", {}, data.encode()))

    assert event.hook_event_name == "Stop"
    assert "a1a1" not in json.dumps(payload)
    assert "a1a1" not in event.model_dump_json()

import json
import sqlite3
from pathlib import Path

import anyio
import pytest

from runtime.app import open_app
from runtime.errors import UnreadableFileError
from runtime.events.query import Selection, select
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.replay import Replayable, export, for_real, from_file, from_store, replay, scratch
from runtime.routes import ROUTES, Route
from runtime.settings import Settings
from runtime.spool import Captured
from tests.spooled import BASE, put
from tests.test_dispatcher import handler, raising  # noqa: F401 - a fixture

BLOCKS = "".join(f"## 2026-06-{day:02d}\n\nblock {day}\n\n" for day in range(20, 0, -1))
WRITE = {
    "hook_event_name": "PostToolUse",
    "tool_name": "Write",
    "tool_input": {"file_path": "/nowhere/shop/a.md"},
    "tool_response": {"content": "期限 " * 100},
}


def rows(home: Home) -> list[str]:
    connection = sqlite3.connect(home.database)
    try:
        # The counter of ids also moves for a row that is absorbed.
        left_out = ("search_index", "sqlite_sequence")
        return [line for line in connection.iterdump() if not any(n in line for n in left_out)]
    finally:
        connection.close()


async def stored(app, **wanted):
    return await select(app.opened.connection, Selection(**wanted))


async def replayed(app, context):
    items = [from_store(item) for item in await stored(app)]
    return [await replay(item, context) for item in items]


@pytest.fixture
async def noted(tmp_path):
    """An app with notes that a Stop rotates."""
    home = Home(str(tmp_path / "home"))
    await anyio.to_thread.run_sync(home.prepare)
    context = tmp_path / "memory" / "CONTEXT.md"
    await anyio.Path(context.parent).mkdir()
    await anyio.Path(context).write_text(BLOCKS, encoding="utf-8")
    settings = Settings.model_validate(
        {"notes": {"context": str(context), "dirs": (str(context.parent),)}}
    )
    async with open_app(home, settings) as opened:
        yield opened


async def test_a_dry_run_changes_neither_rows_nor_notes(noted):
    context = Path(noted.settings.notes.context)
    await handle(put(noted.home, WRITE, number=1), noted)
    await handle(put(noted.home, {"hook_event_name": "Stop"}, number=2), noted)
    await handle(put(noted.home, {"hook_event_name": "SessionStart"}, number=3), noted)
    await anyio.Path(context).write_text(BLOCKS, encoding="utf-8")
    before = rows(noted.home)
    files = sorted(context.parent.parent.rglob("*.md"))

    async with scratch(noted) as copy:
        results = await replayed(noted, copy)

    assert [item.error for item in results] == [None] * 3
    assert [item.handled.event.outcome for item in results] == ["ok"] * 3
    assert rows(noted.home) == before
    assert await anyio.Path(context).read_text(encoding="utf-8") == BLOCKS
    assert sorted(context.parent.parent.rglob("*.md")) == files


async def test_a_dry_run_tells_what_would_be_written(app):
    await handle(put(app.home, WRITE), app)
    await app.opened.connection.execute("DELETE FROM memories")

    async with scratch(app) as copy:
        (result,) = await replayed(app, copy)

    assert [item.status for item in result.written] == ["stored"]
    assert result.handled.model == "PostToolUse"
    assert result.differences == ()


async def test_applying_twice_is_applying_once(app):
    await handle(put(app.home, WRITE), app)
    await app.opened.connection.execute("DELETE FROM memories")

    (first,) = await replayed(app, for_real(app))
    once = rows(app.home)
    (second,) = await replayed(app, for_real(app))

    assert [item.status for item in (*first.written, *second.written)] == ["stored", "known"]
    assert rows(app.home) == once


async def test_a_failed_event_is_found_and_becomes_ok(app, handler, monkeypatch):  # noqa: F811
    with monkeypatch.context() as patched:
        broken = Route(handler("broken", raising(ValueError("x"))))
        patched.setitem(ROUTES, "PostToolUse", (broken,))
        await handle(put(app.home, WRITE, number=1), app)
    await handle(put(app.home, {"hook_event_name": "SessionStart"}, number=2), app)
    (failed,) = await stored(app, failed=True)

    result = await replay(from_store(failed), for_real(app))

    assert failed.event.name == "PostToolUse"
    assert await stored(app, failed=True) == []
    assert [item.status for item in result.written] == ["stored"]
    assert any("outcome: was failed, is ok" in line for line in result.differences)
    assert any(line.startswith("handlers: were broken failed") for line in result.differences)
    (mended,) = await stored(app, name="PostToolUse")
    assert (mended.event.outcome, mended.event.reason) == ("ok", None)


async def test_an_export_gives_another_home_the_same_memories(app, tmp_path):
    facts = {"project": "/nowhere/other"}
    await handle(put(app.home, WRITE, number=1, facts=facts), app)
    await handle(put(app.home, {"hook_event_name": "SessionStart"}, number=2), app)
    lines = [export(item).model_dump_json() for item in await stored(app)]
    file = tmp_path / "events.ndjson"
    await anyio.Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")

    other = Home(str(tmp_path / "other"))
    await anyio.to_thread.run_sync(other.prepare)
    async with open_app(other, Settings()) as second:
        for item in await from_file(file):
            await replay(item, for_real(second))
        there = await stored(second)
        memories = await memories_of(second)
        again = await from_file(file)
        for item in again:
            await replay(item, for_real(second))
        assert await memories_of(second) == memories

    here = await stored(app)
    assert memories == await memories_of(app)
    assert len(memories) == 1
    assert [item.event.project for item in there] == ["other", "shop"]
    kept = {"id", "name", "project", "project_key", "received_at", "facts", "session_id"}
    assert [item.event.model_dump(include=kept) for item in there] == [
        item.event.model_dump(include=kept) for item in here
    ]
    assert [item.payload for item in there] == [item.payload for item in here]


async def memories_of(app):
    async with app.opened.connection.execute(
        "SELECT key, content, source, project, project_key, created_at, event_id, host"
        " FROM memories ORDER BY key"
    ) as cursor:
        return [tuple(row) for row in await cursor.fetchall()]


async def test_bare_payloads_are_replayed_under_an_id_of_their_text(app, tmp_path):
    file = tmp_path / "payloads.ndjson"
    line = json.dumps({**BASE, **WRITE})
    await anyio.Path(file).write_text(f"\n{line}\n\n{line}\n", encoding="utf-8")

    items = await from_file(file)
    results = [await replay(item, for_real(app)) for item in items]

    assert len({item.captured.id for item in items}) == 1
    assert [result.written[0].status for result in results] == ["stored", "known"]
    assert len(await stored(app)) == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"a": 1}\nnonsense\n', "no JSON"),
        (b'{"a": 1}\n{"payload": {}}\n', "an exported event without an id"),
        (b'{"a": 1}\n' + b"[" * 100_000, "nested too deep"),
    ],
)
async def test_a_file_s_first_bad_line_is_named(tmp_path, content, why):
    file = tmp_path / "a.ndjson"
    await anyio.Path(file).write_bytes(content)

    with pytest.raises(UnreadableFileError) as caught:
        await from_file(file)

    assert "line 2" in str(caught.value), why


async def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnreadableFileError) as caught:
        await from_file(tmp_path / "none")

    assert caught.value.path == str(tmp_path / "none")


async def test_an_expired_payload_cannot_be_replayed_or_exported(app):
    await handle(put(app.home, WRITE), app)
    await app.opened.connection.execute("UPDATE events SET payload = NULL")

    (item,) = await stored(app)
    assert from_store(item) is None
    assert export(item) is None


async def test_input_that_cannot_be_read_is_told(app):
    result = await replay(Replayable(Captured("1-1", {}, b"nonsense"), None), for_real(app))

    assert result.handled is None
    assert result.error.startswith("not JSON")
    assert await stored(app) == []


async def test_an_answer_that_changed_is_shown_line_by_line(noted):
    await handle(put(noted.home, {"hook_event_name": "SessionStart"}), noted)
    context = Path(noted.settings.notes.context)
    await anyio.Path(context).write_text("## 2026-06-21\n\nnew\n", encoding="utf-8")

    async with scratch(noted) as copy:
        (result,) = await replayed(noted, copy)

    assert any(line.startswith("+│> ## 2026-06-21") for line in result.differences)


@pytest.mark.parametrize("event_id", ["99999999999999999999999999-1", "x", "", "0-0"])
async def test_any_exported_id_can_be_replayed(app, tmp_path, event_id):
    line = {"id": event_id, "payload": {**BASE, "hook_event_name": "Stop"}}
    file = tmp_path / "a.ndjson"
    await anyio.Path(file).write_text(json.dumps(line), encoding="utf-8")

    (item,) = await from_file(file)
    result = await replay(item, for_real(app))

    assert result.handled.event.id == event_id

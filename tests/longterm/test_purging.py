"""A purged memory is gone to the last byte, and stays gone."""

import os
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest

from runtime.context import AppContext
from runtime.events.query import Selection, select
from runtime.longterm.purging import purge
from runtime.pipeline import handle
from runtime.store.connection import fetch_all
from runtime.store.longterm import Origin, keep
from runtime.store.rebuild import find_fault
from runtime.store.store import Store, open_store
from schemas.records import NewMemory
from tests.longterm.session import Session, answer, prompt
from tests.spooled import put
from tests.store.kept import remember

SECRET = "zanzibarquux"
JAPANESE = "秘密饅頭工場"
AT = datetime(2026, 6, 11, tzinfo=UTC)


def written(text: str, path: str = "/nowhere/shop/a.md") -> dict[str, object]:
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": path, "content": text},
        "tool_response": {"content": text, "filePath": path},
    }


def secret_text(word: str = SECRET) -> str:
    return "\n".join(f"line {number} of the {word} report, long enough" for number in range(20))


async def ids(store: Store) -> list[int]:
    return [row["id"] for row in await fetch_all(store.connection, "SELECT id FROM memories")]


async def all_bytes(app: AppContext) -> bytes:
    """Every byte of the home, while the store is open."""
    parts = [
        await path.read_bytes()
        async for path in anyio.Path(app.home.root).rglob("*")
        if await path.is_file()
    ]
    return b"\n".join(parts)


async def terms(store: Store) -> set[str]:
    await store.connection.execute(
        "CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'search_index', 'row')"
    )
    found = {row[0] for row in await fetch_all(store.connection, "SELECT term FROM temp.terms")}
    await store.connection.execute("DROP TABLE temp.terms")
    return found


@pytest.mark.parametrize("word", [SECRET, JAPANESE])
async def test_no_byte_is_left_in_any_file_of_the_home(app: AppContext, word: str) -> None:
    """Database, index, log of changes, events, logs: all of them."""
    await handle(put(app.home, written("a harmless text " * 30), number=1), app)
    await handle(put(app.home, written(secret_text(word)), number=2), app)
    before = await terms(app.opened)
    assert word.encode() in await all_bytes(app)

    done = await purge(app.opened, [2])

    assert (done.memories, done.events) == (1, 1)
    left = await all_bytes(app)
    assert word.encode() not in left
    assert word.upper().encode() not in left
    gone = before - await terms(app.opened)
    assert any(term in word or word in term for term in gone)
    assert os.path.getsize(app.opened.path + "-wal") == 0


async def test_older_states_of_a_memory_leave_nothing_either(app: AppContext) -> None:
    """A turn grows: what it was before lies in freed pages and older parts of the index."""
    # What some builds of SQLite do by themselves, others do not.
    await fetch_all(app.opened.connection, "PRAGMA secure_delete = OFF")
    for number in range(1, 6):
        await keep_turn(app.opened, "grown " + "text of the turn " * 200 * number + f"w{number}x")
    await keep_turn(app.opened, secret_text() + "y" * 40_000)
    await keep_turn(app.opened, "harmless " * 6_000)
    assert SECRET.encode() in await all_bytes(app)

    await purge(app.opened, [1])

    assert SECRET.encode() not in await all_bytes(app)


async def keep_turn(store: Store, text: str) -> None:
    memory = NewMemory(key="turn:1", content=text, source="session", created_at=AT, may_grow=True)
    async with store.transaction() as connection:
        await keep(connection, memory, Origin("shop", "key", None, None), AT)


async def test_the_events_of_a_turn_lose_what_it_said(app: AppContext, session: Session) -> None:
    said = f"The {SECRET} will open in the spring of next year."
    await session.write(prompt("u1", "When does it open?"), answer("a1", said))
    await session.fire("Stop", last=said)
    await session.write(answer("a2", "Anything else that you need?"))
    await session.fire("Stop", last="Anything else that you need?")

    await purge(app.opened, [1])

    assert SECRET.encode() not in await all_bytes(app)
    events = await select(app.opened.connection, Selection())
    assert [item.event.name for item in events] == ["Stop", "Stop"]
    assert [item.payload for item in events] == [None, None]


async def test_an_answer_that_told_of_it_goes(app: AppContext) -> None:
    await remember(app.opened, f"the {SECRET} run", skills=("deploy",), key="turn:1")
    await remember(app.opened, "another run", skills=("deploy",), at="2026-06-01T00:00:00")
    async with app.opened.transaction() as connection:
        await connection.execute("UPDATE memories SET is_global = 1")
    skill = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Skill",
        "tool_input": {"skill": "deploy"},
    }
    await handle(put(app.home, skill), app)

    await purge(app.opened, [1])

    assert SECRET.encode() not in await all_bytes(app)


async def test_events_of_other_memories_keep_their_payload(app: AppContext) -> None:
    await handle(put(app.home, written("a harmless text " * 30), number=1), app)
    await handle(put(app.home, written(secret_text()), number=2), app)

    await purge(app.opened, [2])

    first, second = await select(app.opened.connection, Selection())
    assert first.payload is not None
    assert second.payload is None


async def test_key_and_hash_stay_so_that_it_does_not_come_back(app: AppContext) -> None:
    """Weakness B13 of the source system: what was deleted was back after the next sync."""
    event = written(secret_text())
    await handle(put(app.home, event, number=1), app)
    (before,) = await fetch_all(app.opened.connection, "SELECT key, content_hash FROM memories")

    await purge(app.opened, [1])
    await handle(put(app.home, event, number=2), app)

    rows = await fetch_all(
        app.opened.connection, "SELECT key, content_hash, content, deleted_at FROM memories"
    )
    assert [(row["key"], row["content_hash"], row["content"]) for row in rows] == [(*before, "")]
    assert rows[0]["deleted_at"] is not None


async def test_what_is_purged_cannot_be_restored(app: AppContext) -> None:
    await remember(app.opened, secret_text())
    await purge(app.opened, [1])

    cursor = await app.opened.connection.execute("UPDATE memories SET deleted_at = NULL")

    assert cursor.rowcount == 0
    (row,) = await fetch_all(app.opened.connection, "SELECT deleted_at FROM memories")
    assert row["deleted_at"] is not None


async def test_the_index_is_sound_and_others_are_still_found(app: AppContext) -> None:
    for number in range(50):
        await remember(app.opened, f"memory number {number} about teapots")
    await purge(app.opened, [3, 7])

    async with app.opened.transaction() as connection:
        fault = await find_fault(connection)
    rows = await fetch_all(
        app.opened.connection,
        "SELECT count(*) FROM search_index WHERE search_index MATCH 'teapot'",
    )
    assert fault is None
    assert rows[0][0] == 48


@pytest.fixture
async def other(app: AppContext) -> AsyncGenerator[Store]:
    """A second process's store, such as the worker's."""
    async with open_store(app.opened.path, 5) as store:
        yield store


async def test_a_store_that_is_open_elsewhere_goes_on(app: AppContext, other: Store) -> None:
    await remember(other, secret_text(), key="turn:1")
    await remember(other, "another memory of the shop")
    await purge(app.opened, await ids(app.opened))

    await remember(other, "written afterwards")

    assert await ids(other) == await ids(app.opened) == [1, 2, 3]
    assert SECRET.encode() not in await all_bytes(app)


async def test_a_pinned_answer_is_not_replaced_by_its_turn(app: AppContext) -> None:
    """Nothing but a deletion by hand takes a pinned memory."""
    await remember(app.opened, "an answer", key="answer:1")
    await app.opened.connection.execute("UPDATE memories SET is_pinned = 1")

    await remember(app.opened, "its turn, an answer", key="turn:9", replaces=("answer:1",))

    assert await ids(app.opened) == [1, 2]


def test_the_log_of_changes_lies_beside_the_database(tmp_path: Path) -> None:
    """What the tests above read: an open store has one."""

    async def run() -> bool:
        async with open_store(str(tmp_path / "memory.db"), 5) as store:
            await remember(store, "text")
            return await anyio.Path(store.path + "-wal").exists()

    assert anyio.run(run)

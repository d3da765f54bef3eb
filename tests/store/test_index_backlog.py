"""What is left out of the index for the time being gets into it, whatever happens meanwhile."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.store import index_backlog
from runtime.store.rebuild import find_fault, rebuild
from runtime.store.replicas import COLUMNS, insert_rows
from runtime.store.store import Store, open_store
from tests.store.indexes import check_index
from tests.store.kept import hits

ALL = "SELECT name FROM meta WHERE name GLOB 'unindexed*'"
LIVING = "SELECT id FROM memories WHERE deleted_at IS NULL ORDER BY id"


def row(
    number: int, *, session: str | None = "s", minute: int = 0, **fields: Any
) -> dict[str, Any]:
    at = f"2026-06-11T09:{minute:02}:00.000Z"
    return {
        **dict.fromkeys(COLUMNS),
        "key": f"key-{number}",
        "content": f"記憶 word{number} セッションの期限",
        "content_hash": f"{number}",
        "source": "session",
        "session_id": session,
        "summary": "",
        "created_at": at,
        "updated_at": at,
        "is_global": 0,
        "is_pinned": 0,
        **fields,
    }


async def put(store: Store, *rows: dict[str, Any]) -> None:
    async with store.transaction() as connection:
        await insert_rows(connection, rows)


async def finish(store: Store) -> int:
    """Take all steps that are left; returns their number."""
    steps = 1
    while not await store.change_index():
        steps += 1
    return steps


async def do(store: Store, statement: str, *values: Any) -> None:
    async with store.transaction() as connection:
        await connection.execute(statement, values)


async def test_memories_wait_and_are_found_after_the_last_step(tmp_path: Path, monkeypatch):
    path = str(tmp_path / "memory.db")
    monkeypatch.setattr(index_backlog, "STEP_CHARS", 1)
    async with open_store(path, 5) as store:
        await put(store, row(1), row(2), row(3, deleted_at="2026-06-12T00:00:00.000Z"))

        assert await index_backlog.waiting(store.connection) == 2
        assert await hits(store, "word1") == []
        assert await finish(store) == 2

        assert await hits(store, "word1") != []
        assert await index_backlog.waiting(store.connection) == 0
        assert list(await store.connection.execute_fetchall(ALL)) == []
    check_index(path)


async def test_whoever_opens_the_store_next_goes_on(tmp_path: Path):
    """Nothing but the rows was committed when the writer was killed."""
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await put(store, *(row(number) for number in range(5)))

    async with open_store(path, 5) as store:
        assert await index_backlog.waiting(store.connection) == 0
    check_index(path)


async def test_a_new_memory_is_found_at_once_while_others_wait(tmp_path: Path):
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await put(store, row(1))
        await do(
            store,
            "INSERT INTO memories (key, content, content_hash, source, summary, created_at,"
            " updated_at) VALUES ('k', 'direct', 'h', 'tool', '', '', '')",
        )

        assert await hits(store, "direct") != []
        assert await index_backlog.waiting(store.connection) == 1
        await finish(store)
    check_index(path)


async def test_what_waits_is_no_damage_and_what_is_missing_is(tmp_path: Path):
    async with open_store(str(tmp_path / "memory.db"), 5) as store:
        await put(store, row(1))
        await finish(store)
        await put(store, row(2))
        async with store.transaction() as connection:
            assert await find_fault(connection) is None

        await finish(store)
        await do(store, "INSERT INTO search_index (search_index) VALUES ('delete-all')")
        async with store.transaction() as connection:
            assert "2 records are not in it" in str(await find_fault(connection))


async def test_an_index_made_anew_holds_what_waited(tmp_path: Path):
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await put(store, row(1), row(2, minute=1))
        async with store.transaction() as connection:
            await rebuild(connection)

        assert await hits(store, "word2") != []
        await finish(store)
    check_index(path)


async def test_on_the_way_to_another_tokenizer_nothing_waits(tmp_path: Path):
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await put(store, row(1), row(2))
        await do(store, "UPDATE meta SET value = '0' WHERE name = 'tokenizer_version'")

    async with open_store(path, 5) as store:
        await put(store, row(3))
        await finish(store)
        assert await index_backlog.waiting(store.connection) == 0
    check_index(path)


async def test_what_another_process_has_put_in_is_passed_over(tmp_path: Path):
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await put(store, row(1), row(2))
        batch = await index_backlog.next_batch(store.connection, 10_000)
        assert batch is not None
        await finish(store)

        async with store.transaction() as connection:
            await index_backlog.put_in(connection, batch, {})
    check_index(path)


ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.just("put"),
            st.lists(
                st.tuples(st.sampled_from(["s", "t", None]), st.integers(0, 5)),
                min_size=1, max_size=4,
            ),
        ),
        st.tuples(st.just("insert"), st.integers(0, 5)),
        st.tuples(st.just("change"), st.integers(0, 30)),
        st.tuples(st.just("delete"), st.integers(0, 30)),
        st.tuples(st.just("restore"), st.integers(0, 30)),
        st.tuples(st.just("move"), st.integers(0, 30)),
        st.tuples(st.just("drop"), st.integers(0, 30)),
        st.tuples(st.just("step"), st.just(0)),
    ),
    max_size=20,
)  # fmt: skip
CHANGES = {
    "change": "UPDATE memories SET content = content || ' changed' WHERE id = ?",
    "delete": "UPDATE memories SET deleted_at = '2027-01-01T00:00:00.000Z' WHERE id = ?",
    "restore": "UPDATE memories SET deleted_at = NULL WHERE id = ?",
    "move": "UPDATE memories SET created_at = '2026-06-11T09:03:00.000Z' WHERE id = ?",
    "drop": "DELETE FROM memories WHERE id = ?",
}


@settings(max_examples=60, deadline=None)
@given(ACTIONS)
async def test_the_index_ends_equal_to_the_records_whatever_happens_meanwhile(actions):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/memory.db"
        async with open_store(path, 5) as store:
            number = 0
            for name, value in actions:
                if name == "put":
                    rows = []
                    for session, minute in value:
                        number += 1
                        rows.append(row(number, session=session, minute=minute))
                    await put(store, *rows)
                elif name == "insert":
                    number += 1
                    each = row(number, minute=value)
                    names = ", ".join(COLUMNS)
                    marks = ", ".join("?" for _ in COLUMNS)
                    statement = f"INSERT INTO memories ({names}) VALUES ({marks})"
                    await do(store, statement, *(each[name] for name in COLUMNS))
                elif name == "step":
                    await one_at_a_time(store)
                else:
                    await do(store, CHANGES[name], value)
            await finish(store)
            assert await index_backlog.waiting(store.connection) == 0
        check_index(path)


async def one_at_a_time(store: Store) -> None:
    batch = await index_backlog.next_batch(store.connection, 1)
    if batch is not None:
        async with store.transaction() as connection:
            await index_backlog.put_in(connection, batch, {})

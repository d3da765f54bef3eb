"""The index and what is to be taken out of it come from one version of the tokenizer."""

import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.longterm.catching_up import catch_up
from runtime.store import connection as connection_module
from runtime.store import index_change, index_tables
from runtime.store.index_change import progress, step
from runtime.store.index_tables import NEXT_VERSION, VERSION
from runtime.store.rebuild import rebuild
from runtime.store.store import Store, open_store
from runtime.tokens.index import TOKENIZER_VERSION
from tests.store.indexes import check_index
from tests.store.kept import hits, note, remember, texts

OLDER = "UPDATE meta SET value = '0' WHERE name = 'tokenizer_version'"
NONE_NOTED = "DELETE FROM meta WHERE name = 'tokenizer_version'"
VERSIONS = "SELECT name, value FROM meta WHERE name GLOB 'tokenizer*'"


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step puts one record in."""
    monkeypatch.setattr(index_change, "STEP_CHARS", 1)


async def fill(path: str, *texts_of: str) -> None:
    """Make a store of memories and sections that an older tokenizer has indexed."""
    async with open_store(path, 5) as store:
        for text in texts_of:
            await remember(store, text, session_id="s")
        await note(store, "/n/a.md", {f"h{number}": text for number, text in enumerate(texts_of)})
        await do(store, OLDER)


async def do(store: Store, *statements: str) -> None:
    async with store.transaction() as connection:
        for statement in statements:
            await connection.execute(statement)


async def finish(store: Store) -> int:
    """Take all steps that are left; returns their number."""
    steps = 1
    while not await step(store.connection, store.path):
        steps += 1
    return steps


@pytest.mark.parametrize("older", [OLDER, NONE_NOTED], ids=["another", "none noted"])
async def test_a_small_index_of_another_tokenizer_is_made_anew_at_once(
    tmp_path: Path, older: str
) -> None:
    path = str(tmp_path / "memory.db")
    await fill(path, "セッションの期限")
    async with open_store(path, 5) as store:
        await do(store, older, "INSERT INTO search_index (search_index) VALUES ('delete-all')")

    async with open_store(path, 5) as store:
        rows = await store.connection.execute_fetchall(VERSIONS)

    assert {row[0]: row[1] for row in rows} == {"tokenizer_version": str(TOKENIZER_VERSION)}
    check_index(path)


async def test_the_same_tokenizer_leaves_the_index_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await remember(store, "セッションの期限")

    async def refuse(*_args: object) -> bool:
        raise AssertionError

    monkeypatch.setattr(index_change, "step", refuse)

    async with open_store(path, 5) as store:
        assert await texts(store, "期限") == ["セッションの期限"]


async def test_while_the_next_index_is_made_the_old_one_answers(
    tmp_path: Path, small_steps: None
) -> None:
    path = str(tmp_path / "memory.db")
    await fill(path, "one apple", "two pears", "three plums")

    async with open_store(path, 5) as store:
        assert await progress(store.connection) == (1, 6)
        assert (await texts(store, "pears"))[0] == "two pears"
        await remember(store, "four figs", session_id="s")
        await note(store, "/n/a.md", {"h0": "one apple", "h1": "no fruit", "h2": "three plums"})
        await do(store, "UPDATE memories SET deleted_at = 'now' WHERE id = 3")

        assert await texts(store, "figs") == ["four figs"]
        assert await texts(store, "fruit") == ["no fruit"]
        assert {hit.kind for hit in await hits(store, "three plums")} == {"note"}

        # The first step was taken when the store was opened; the last one ends it.
        assert await finish(store) > 1
        assert await progress(store.connection) is None
        assert await texts(store, "figs") == ["four figs"]
    check_index(path)


async def test_another_process_goes_on_where_one_was_killed(
    tmp_path: Path, small_steps: None
) -> None:
    path = str(tmp_path / "memory.db")
    await fill(path, "one", "two", "three")
    seen = []

    for _life in range(5):  # each opening takes a step, and then the process is gone
        async with open_store(path, 5) as store:
            seen.append(await progress(store.connection))

    assert seen == [(1, 6), (2, 6), (3, 6), (4, 6), (5, 6)]
    async with open_store(path, 5) as store:
        assert await progress(store.connection) is None
    check_index(path)


async def test_a_step_that_does_not_end_leaves_no_trace(
    tmp_path: Path, small_steps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "memory.db")
    await fill(path, "one", "two", "three")

    async with open_store(path, 5) as store:
        await finish_all_but_one(store)

        async def stop(_connection: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(index_change, "take_over", stop)
        with pytest.raises(KeyboardInterrupt):
            await step(store.connection, store.path)
        monkeypatch.undo()
        assert await progress(store.connection) == (5, 6)
        assert await finish(store) == 1
    check_index(path)


async def finish_all_but_one(store: Store) -> None:
    while (await progress(store.connection) or (0, 0))[0] < 5:
        await step(store.connection, store.path)


async def test_a_process_of_another_version_reads_and_is_refused_when_it_writes(
    tmp_path: Path, small_steps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as old:
        await remember(old, "one")
        await remember(old, "two")
        be_version(monkeypatch, TOKENIZER_VERSION + 1)
        async with open_store(path, 5) as new:
            be_version(monkeypatch, TOKENIZER_VERSION)
            for statement in ("UPDATE memories SET content = 'x'", "DELETE FROM memories"):
                with pytest.raises(sqlite3.OperationalError):
                    await do(old, statement)
            assert await texts(old, "one") == ["one"]
            be_version(monkeypatch, TOKENIZER_VERSION + 1)
            await finish(new)
            be_version(monkeypatch, TOKENIZER_VERSION)
            with pytest.raises(sqlite3.OperationalError):
                await remember(old, "three")

    async with open_store(path, 5) as store:  # the older version is installed again
        await finish(store)
    check_index(path)


def be_version(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """Let all that is opened and run from here on be of this version of the tokenizer."""
    monkeypatch.setattr(connection_module, "TOKENIZER_VERSION", version)
    monkeypatch.setattr(index_change, "TOKENIZER_VERSION", version)
    monkeypatch.setattr(index_tables, "TOKENIZER_VERSION", version)
    for module in (index_change, index_tables):
        monkeypatch.setattr(module, "OURS", {"tokenizer_version": str(version)})


ACTIONS = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(("s", "t", None))),
    st.tuples(st.just("grow"), st.integers(1, 8)),
    st.tuples(st.just("delete"), st.integers(1, 8)),
    st.tuples(st.just("restore"), st.integers(1, 8)),
    st.tuples(st.just("remove"), st.integers(1, 8)),
    st.tuples(st.just("note"), st.integers(0, 4)),
    st.tuples(st.just("step"), st.none()),
    st.tuples(st.just("undone"), st.none()),
    st.tuples(st.just("reopen"), st.none()),
    st.tuples(st.just("rebuild"), st.none()),
)
STATEMENTS = {
    "grow": "UPDATE memories SET content = content || ' 増えた' WHERE id = ?",
    "delete": "UPDATE memories SET deleted_at = 'now' WHERE id = ?",
    "restore": "UPDATE memories SET deleted_at = NULL WHERE id = ?",
    "remove": "DELETE FROM memories WHERE id = ?",
}


@given(st.integers(0, 4), st.lists(ACTIONS, max_size=20))
@settings(max_examples=50)
def test_however_changes_and_kills_fall_between_the_steps_the_end_is_a_fresh_index(
    at_first: int, actions: list[tuple[str, Any]]
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_change, "STEP_CHARS", 1)
        path = str(Path(folder) / "memory.db")
        anyio.run(play, path, at_first, actions)
        check_index(path)


async def play(path: str, at_first: int, actions: list[tuple[str, Any]]) -> None:
    await fill(path, *(f"turn {number} の話" for number in range(at_first)))
    lives = [[]]
    for number, action in enumerate(actions):
        lives[-1].append((number, *action))
        if action[0] == "reopen":
            lives.append([])
    for life in lives:
        async with open_store(path, 5) as store:
            for number, what, value in life:
                await act(store, number, what, value)
    async with open_store(path, 5) as store:
        await finish(store)


async def act(store: Store, number: int, what: str, value: Any) -> None:
    if what == "step":
        await step(store.connection, store.path)
    elif what == "undone":
        with suppress(StoppedError):
            await stopped_step(store)
    elif what == "add":
        await remember(store, f"turn {number} 語", session_id=value)
    elif what == "note":
        await note(store, "/n/b.md", {f"h{at}": f"text {at} {number}" for at in range(value)})
    elif what == "rebuild":
        async with store.transaction() as connection:
            await rebuild(connection)
    elif what in STATEMENTS:
        async with store.transaction() as connection:
            await connection.execute(STATEMENTS[what], (value,))


class StoppedError(Exception):
    """Something ends a step before its commit."""


async def stopped_step(store: Store) -> None:
    """Take a step of which nothing is committed."""

    def stop() -> None:
        raise StoppedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.connection, "commit", stop)
        await step(store.connection, store.path)


@pytest.mark.parametrize("names", [(VERSION, NEXT_VERSION), (VERSION,), (NEXT_VERSION,)])
async def test_what_another_version_makes_meanwhile_is_left_to_it(
    store: Store, names: tuple[str, ...]
) -> None:
    """Nobody goes round for ever until it is ours."""
    async with store.transaction() as connection:
        await connection.execute("DELETE FROM meta WHERE name = ?", (NEXT_VERSION,))
        for name in names:
            await connection.execute(
                "INSERT INTO meta VALUES (?, '99')"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name,),
            )

    assert await store.change_index()
    with anyio.fail_after(10):
        await catch_up(store, 0)

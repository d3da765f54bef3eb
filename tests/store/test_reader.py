"""Whole questions in a thread: one at a time, each in one state of the database."""

import sqlite3
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import pytest

from runtime.errors import StoreUnusableError
from runtime.store.connection import Reader, open_reader
from runtime.store.store import Store

PATIENCE_S = 30


class Held:
    """A question that goes on until it is let go."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.may_end = threading.Event()

    def ask(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Return how many rows there are, before and after the wait."""
        before = count(connection)
        self.began.set()
        assert self.may_end.wait(PATIENCE_S)
        return before, count(connection)

    async def wait_until_it_began(self) -> None:
        assert await anyio.to_thread.run_sync(self.began.wait, PATIENCE_S)


def count(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("SELECT count(*) FROM meta").fetchone()[0]
    return number


async def add_row(store: Store, name: str) -> None:
    async with store.transaction() as connection:
        await connection.execute("INSERT INTO meta VALUES (?, '')", (name,))


@pytest.fixture
async def held() -> AsyncGenerator[Held]:
    made = Held()
    yield made
    made.may_end.set()


async def test_a_question_sees_one_state_and_the_next_one_what_was_written(
    store: Store, held: Held
) -> None:
    answers: list[tuple[int, int]] = []

    async def ask() -> None:
        answers.append(await store.reader.run(held.ask))

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await held.wait_until_it_began()
            await add_row(store, "a")
            held.may_end.set()
        after = await store.reader.run(count)

    [(before, still)] = answers
    assert (still, after) == (before, before + 1)


async def test_who_is_cancelled_leaves_at_once_and_the_next_question_waits(
    store: Store, held: Held
) -> None:
    done: list[str] = []

    async def next_one() -> None:
        await store.reader.run(count)
        done.append("next")

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            async with anyio.create_task_group() as left:
                left.start_soon(store.reader.run, held.ask)
                await held.wait_until_it_began()
                left.cancel_scope.cancel()
            done.append("left")
            group.start_soon(next_one)
            await anyio.wait_all_tasks_blocked()
            done.append("let go")
            held.may_end.set()

    assert done == ["left", "let go", "next"]


async def test_an_error_is_the_callers_and_the_next_question_is_answered(store: Store) -> None:
    def wrong(connection: sqlite3.Connection) -> None:
        connection.execute("SELECT nothing FROM nowhere")

    with pytest.raises(sqlite3.OperationalError):
        await store.reader.run(wrong)

    assert await store.reader.run(count) >= 0


async def test_closing_waits_for_what_still_runs(store: Store, held: Held) -> None:
    async def ask(reader: Reader) -> None:
        await reader.run(held.ask)

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group, open_reader(store.path, 5) as reader:
            group.start_soon(ask, reader)
            await held.wait_until_it_began()
            group.cancel_scope.cancel()
            # From here on nobody waits for it; the connection is closed all the same.
            held.may_end.set()

    with pytest.raises(sqlite3.ProgrammingError):
        await reader.run(count)


async def test_a_database_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusableError):
        async with open_reader(str(tmp_path / "none.db"), 5):
            pass

"""A store as seen from a thread that only answers."""

import asyncio
import sqlite3
import threading
from collections.abc import Awaitable, Callable

import anyio
import pytest

from runtime.store.aside import StoresAside
from runtime.store.store import Store, open_store
from runtime.worker.beside import run_beside

PATIENCE_S = 30
ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
Asks = Callable[[StoresAside], Awaitable[None]]


async def beside(asks: Asks) -> None:
    """Run what asks in a thread and a loop of its own, to its end."""
    loop, over = asyncio.get_running_loop(), anyio.Event()

    async def run(_leave: asyncio.Event) -> None:
        with StoresAside(loop) as stores:
            await asks(stores)
        loop.call_soon_threadsafe(over.set)

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(run_beside, run)
            await over.wait()
            group.cancel_scope.cancel()


def count(connection: sqlite3.Connection) -> int:
    number: int = connection.execute("SELECT count(*) FROM meta").fetchone()[0]
    return number


async def add_row(name: str, store: Store) -> int:
    """Write, and tell in which thread."""
    async with store.transaction() as connection:
        await connection.execute("INSERT INTO meta VALUES (?, '')", (name,))
    return threading.get_ident()


async def test_what_was_written_is_seen_and_questions_run_where_they_are_asked(
    store: Store,
) -> None:
    seen: list[int] = []
    threads: list[int] = []

    def ask(connection: sqlite3.Connection) -> int:
        threads.append(threading.get_ident())
        return count(connection)

    async def asks(stores: StoresAside) -> None:
        for name in ("a", "b"):
            seen.append(await stores.of(store).reader.run(ask))
            threads.append(threading.get_ident())
            threads.append(await stores.of(store).write(add_row, name))
        seen.append(await stores.of(store).reader.run(ask))

    await beside(asks)

    first, second, third = seen
    assert (second, third) == (first + 1, first + 2)
    asked_in, asking, written_in = threads[:3]
    assert asked_in == asking
    assert written_in == threading.get_ident() != asking


async def test_a_question_without_end_is_ended_by_its_time_limit(store: Store) -> None:
    """And the next one is answered."""
    outcome: list[object] = []

    async def asks(stores: StoresAside) -> None:
        reader = stores.of(store).reader
        with anyio.move_on_after(0.05) as scope:
            await reader.run(lambda connection: connection.execute(ENDLESS).fetchone())
        outcome.append(scope.cancelled_caught)
        outcome.append(await reader.run(count) > 0)

    await beside(asks)

    assert outcome == [True, True]


async def test_an_error_is_the_askers(store: Store) -> None:
    async def asks(stores: StoresAside) -> None:
        reader = stores.of(store).reader
        with pytest.raises(sqlite3.OperationalError):
            await reader.run(lambda connection: connection.execute("SELECT 1 FROM nowhere"))
        assert await reader.run(count) > 0

    await beside(asks)


async def test_it_cannot_be_written_to_from_there(store: Store) -> None:
    """Two loops would take turns at one connection without knowing of each other."""

    async def asks(stores: StoresAside) -> None:
        with pytest.raises(RuntimeError):
            await add_row("a", stores.of(store))

    await beside(asks)


async def test_what_is_remembered_of_a_store_is_forgotten_with_it(store: Store) -> None:
    """One that was opened anew under the same path may hold other memories."""
    async with open_store(store.path, 5) as anew:

        async def asks(stores: StoresAside) -> None:
            old = stores.of(store)
            assert old.common is not None
            old.common["word"] = (1000, 2000)
            assert stores.of(store).common == {"word": (1000, 2000)}
            assert stores.of(anew).common == {}
            assert await stores.of(anew).reader.run(count) > 0

        await beside(asks)

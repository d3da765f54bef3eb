"""The same questions have the same answers, whatever was done to the file in between."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from runtime.store.migrations import latest
from runtime.store.rebuild import find_fault, rebuild
from runtime.store.store import Store, open_store
from tests.store.indexes import check_index
from tests.store.kept import hits, note, remember

QUESTIONS = ["retry policy", "期限", '"retry policy"', "retry -shop", "kind:note", "after:2026-06"]
Step = Callable[[str], str]
"""Does something to the database of this path; returns the path of what is to be asked then."""


async def fill(store: Store) -> None:
    for number in range(40):
        await remember(
            store, f"retry policy {number} of the shop", at=f"2026-05-{number % 28 + 1:02}"
        )
    await remember(store, "セッションの期限は30日", tool="Write", target="/a/期限.md")
    await note(
        store, "/n/a.md", {f"2026-06-{day:02}": f"retry {day} の期限" for day in range(1, 9)}
    )
    # What was replaced and deleted must not come back by any of this.
    await note(store, "/n/a.md", {f"2026-06-{day:02}": f"retry {day} 期限" for day in range(3, 12)})
    await store.connection.execute("UPDATE memories SET deleted_at = 'now' WHERE id % 5 = 0")
    await store.connection.execute("DELETE FROM memories WHERE id % 7 = 0")


async def answers(store: Store) -> list[list[tuple[Any, ...]]]:
    return [list(await hits(store, question)) for question in QUESTIONS]


def vacuum(path: str) -> str:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("VACUUM")
    return path


def vacuum_into(path: str) -> str:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", (f"{path}.copy",))
    return f"{path}.copy"


def back_up(path: str) -> str:
    copy = f"{path}.backup"
    with closing(sqlite3.connect(path)) as here, closing(sqlite3.connect(copy)) as there:
        here.backup(there)
    return copy


def copy_file(path: str) -> str:
    Path(f"{path}.file").write_bytes(Path(path).read_bytes())
    return f"{path}.file"


@pytest.mark.parametrize("step", [vacuum, vacuum_into, back_up, copy_file])
async def test_a_copy_answers_like_its_original(tmp_path: Path, step: Step) -> None:
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await fill(store)
        before = await answers(store)

    asked = await anyio.to_thread.run_sync(step, path)
    async with open_store(asked, 5) as store:
        after = await answers(store)
        async with store.transaction() as connection:
            fault = await find_fault(connection)

    assert after == before
    assert all(before)
    assert fault is None
    check_index(asked)


async def test_a_dump_answers_like_its_original_once_its_index_is_made(tmp_path: Path) -> None:
    """A dump is SQL, in which the index's own tables are of no use: they are made anew."""
    path, restored = str(tmp_path / "memory.db"), str(tmp_path / "restored.db")
    async with open_store(path, 5) as store:
        await fill(store)
        before = await answers(store)

    await anyio.to_thread.run_sync(_dump_and_restore, path, restored)
    async with open_store(restored, 5) as store:
        async with store.transaction() as connection:
            count = await rebuild(connection)
        after = await answers(store)

    assert after == before
    assert count == sum(_counts(restored))
    check_index(restored)


def _dump_and_restore(path: str, restored: str) -> None:
    with closing(sqlite3.connect(path)) as here, closing(sqlite3.connect(restored)) as there:
        # Triggers name the index, which comes last; until then nothing may fire.
        lines = [line for line in here.iterdump() if "search_index" not in line.partition("(")[0]]
        kept = [line for line in lines if "'search_index" not in line and "writable" not in line]
        rows = [line for line in kept if not line.startswith("CREATE TRIGGER")]
        triggers = [line for line in here.iterdump() if line.startswith("CREATE TRIGGER")]
        there.executescript("\n".join(rows))
        there.executescript("\n".join(triggers))
        there.execute(f"PRAGMA user_version = {latest():d}")  # no dump tells it


def _counts(path: str) -> tuple[int, int]:
    with closing(sqlite3.connect(path)) as connection:
        (memories,) = connection.execute(
            "SELECT count(*) FROM memories WHERE deleted_at IS NULL"
        ).fetchone()
        (chunks,) = connection.execute("SELECT count(*) FROM note_chunks").fetchone()
    return memories, chunks


async def test_an_index_made_anew_answers_like_the_old_one(store: Store) -> None:
    await fill(store)
    before = await answers(store)

    async with store.transaction() as connection:
        await rebuild(connection)

    assert await answers(store) == before
    check_index(store.path)


async def test_what_was_deleted_and_kept_again_is_found_as_before(store: Store) -> None:
    await fill(store)
    before = await answers(store)
    for statement in (
        "UPDATE memories SET deleted_at = 'then' WHERE deleted_at IS NULL",
        "UPDATE memories SET deleted_at = NULL WHERE deleted_at = 'then'",
    ):
        await store.connection.execute(statement)

    assert await answers(store) == before
    check_index(store.path)

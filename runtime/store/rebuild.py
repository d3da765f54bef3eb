"""
The index made anew from the records that it stands for.

FTS5's own 'rebuild' reads the text from a content table, and ours has none. A
damaged index is no error: a search just finds nothing, and SQLite's integrity
check says ok. So it is asked in three ways whether it can be trusted.
"""

import sqlite3
from typing import Final

from runtime.store.connection import Connection

SPOT_CHECKS: Final = 10
"""Newest memories, and as many sections, that must be found by a word of theirs."""


async def find_fault(connection: Connection) -> str | None:
    """
    Return what is wrong with the index, None for a sound one.

    Runs in the caller's write transaction, since FTS5 takes its check for a
    write; changes nothing.
    """
    try:
        await connection.execute(_CHECK)
        missing = await _number(connection, _MISSING)
        extra = await _number(connection, _EXTRA)
        lost = await _lost(connection)
    except sqlite3.DatabaseError as error:
        return str(error)
    if missing or extra:
        return f"{missing} records are not in it, {extra} in it are no records"
    return f"{lost} of the newest records are not found by their own words" if lost else None


async def rebuild(connection: Connection) -> int:
    """
    Empty the index and fill it again, in the caller's transaction. Returns the records.

    One that FTS5 can no longer open is made anew; the triggers know it by name.
    """
    try:
        await connection.execute("INSERT INTO search_index (search_index) VALUES ('delete-all')")
    except sqlite3.DatabaseError:
        await _make_anew(connection)
    count = 0
    for statement in (FILL_MEMORIES, FILL_CHUNKS):
        cursor = await connection.execute(statement)
        count += cursor.rowcount
    return count


async def repair(connection: Connection) -> int:
    """
    Rebuild the index if it is damaged, in the caller's transaction. Returns the records.

    Of two processes that saw the damage, the second finds it gone.
    """
    return await rebuild(connection) if await find_fault(connection) else 0


async def _make_anew(connection: Connection) -> None:
    # DROP TABLE would have to open it first.
    await connection.execute("PRAGMA writable_schema = ON")
    await connection.execute("DELETE FROM sqlite_master WHERE name = 'search_index'")
    await connection.execute("PRAGMA writable_schema = RESET")
    for part in ("data", "idx", "docsize", "config"):
        await connection.execute(f"DROP TABLE IF EXISTS search_index_{part}")
    await connection.execute(CREATE)


async def _lost(connection: Connection) -> int:
    lost = 0
    async with connection.execute(_NEWEST, {"limit": SPOT_CHECKS}) as cursor:
        rows = list(await cursor.fetchall())
    for row in rows:
        word = next(iter(str(row["tokens"]).split()), "")
        if word:
            values = {"rowid": row["rowid"], "word": '"' + word.replace('"', '""') + '"'}
            lost += not await _number(connection, _FINDS, values)
    return lost


async def _number(
    connection: Connection, statement: str, values: dict[str, object] | None = None
) -> int:
    async with connection.execute(statement, values or {}) as cursor:
        row = await cursor.fetchone()
    return int(row[0]) if row else 0


CREATE: Final = (
    "CREATE VIRTUAL TABLE search_index USING fts5 (tokens, content = '', tokenize = 'porter ascii')"
)
"""As in the first migration; a test compares them."""

_MEMORIES: Final = """
SELECT id * 4 AS rowid, index_tokens(coalesce(target || char(10), '') || content) AS tokens
FROM memories WHERE deleted_at IS NULL
"""
_CHUNKS: Final = """
SELECT id * 4 + 1 AS rowid, index_tokens(heading_path || char(10) || content) AS tokens
FROM note_chunks
"""
FILL_MEMORIES: Final = "INSERT INTO search_index (rowid, tokens)" + _MEMORIES
FILL_CHUNKS: Final = "INSERT INTO search_index (rowid, tokens)" + _CHUNKS

_CHECK: Final = "INSERT INTO search_index (search_index) VALUES ('integrity-check')"
_RECORDS: Final = """
SELECT id * 4 AS id FROM memories WHERE deleted_at IS NULL
UNION ALL SELECT id * 4 + 1 FROM note_chunks
"""
_MISSING: Final = f"SELECT count(*) FROM ({_RECORDS} EXCEPT SELECT id FROM search_index_docsize)"  # noqa: S608 - a constant
_EXTRA: Final = (
    f"SELECT count(*) FROM (SELECT id FROM search_index_docsize EXCEPT SELECT id FROM ({_RECORDS}))"  # noqa: S608 - a constant
)
_NEWEST: Final = f"""
SELECT rowid, tokens FROM ({_MEMORIES} ORDER BY id DESC LIMIT :limit)
UNION ALL SELECT rowid, tokens FROM ({_CHUNKS} ORDER BY id DESC LIMIT :limit)
"""  # noqa: S608 - a constant
_FINDS: Final = (
    "SELECT count(*) FROM search_index WHERE search_index MATCH :word AND rowid = :rowid"
)

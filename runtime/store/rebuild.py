"""
The index made anew from the records that it stands for.

FTS5's own 'rebuild' reads the text from a content table, and ours has none. A
damaged index is no error: a search just finds nothing, and SQLite's integrity
check says ok. So it is asked in three ways whether it can be trusted.
"""

import sqlite3
from typing import Final

from runtime.store.connection import Connection
from runtime.store.index_backlog import tell_waiting, waiting
from runtime.store.index_tables import (
    INDEX,
    OURS,
    chunk_text,
    fill_chunks,
    fill_memories,
    fill_posts,
    make_anew,
    memory_text,
    post_text,
    tokens_of,
    versions,
)

SPOT_CHECKS: Final = 10
"""Newest memories, and as many of the other kinds, that must be found by a word of theirs."""


async def find_fault(connection: Connection) -> str | None:
    """
    Return what is wrong with the index, None for a sound one.

    Runs in the caller's write transaction, since FTS5 takes its check for a
    write; changes nothing.
    """
    try:
        await connection.execute(_CHECK)
        if await versions(connection) != OURS:
            return None  # it is about to go, and lags behind the records until then
        missing = await _number(connection, _MISSING) - await waiting(connection)
        extra = await _number(connection, _EXTRA)
        lost = await _lost(connection)
    except sqlite3.DatabaseError as error:
        return str(error)
    if missing or extra:
        return f"{missing} records are not in it, {extra} in it are no records"
    return f"{lost} of the newest records are not found by their own words" if lost else None


async def rebuild(connection: Connection) -> int:
    """
    Make the index anew, in the caller's transaction. Returns the records.

    Also one that FTS5 can no longer open, and one of another version of the tokenizer.
    """
    await make_anew(connection)
    await tell_waiting(connection)
    count = 0
    for statement in (fill_memories(INDEX), fill_chunks(INDEX), fill_posts(INDEX)):
        cursor = await connection.execute(statement)
        count += cursor.rowcount
    return count


async def repair(connection: Connection) -> int:
    """
    Rebuild the index if it is damaged, in the caller's transaction. Returns the records.

    Of two processes that saw the damage, the second finds it gone.
    """
    return await rebuild(connection) if await find_fault(connection) else 0


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


_MEMORIES: Final = f"""
SELECT id * 4 AS rowid, {tokens_of(memory_text("memories"), INDEX)} AS tokens
FROM memories
WHERE deleted_at IS NULL AND EXISTS (SELECT 1 FROM search_index_docsize WHERE id = memories.id * 4)
"""
_CHUNKS: Final = f"""
SELECT id * 4 + 1 AS rowid, {tokens_of(chunk_text("note_chunks"), INDEX)} AS tokens
FROM note_chunks
"""
_POSTS: Final = f"""
SELECT id * 4 + 2 AS rowid, {tokens_of(post_text("permanent_posts"), INDEX)} AS tokens
FROM permanent_posts
"""

_CHECK: Final = "INSERT INTO search_index (search_index) VALUES ('integrity-check')"
_RECORDS: Final = """
SELECT id * 4 AS id FROM memories WHERE deleted_at IS NULL
UNION ALL SELECT id * 4 + 1 FROM note_chunks
UNION ALL SELECT id * 4 + 2 FROM permanent_posts
"""
_MISSING: Final = f"SELECT count(*) FROM ({_RECORDS} EXCEPT SELECT id FROM search_index_docsize)"
_EXTRA: Final = (
    f"SELECT count(*) FROM (SELECT id FROM search_index_docsize EXCEPT SELECT id FROM ({_RECORDS}))"
)
_NEWEST: Final = f"""
SELECT rowid, tokens FROM ({_MEMORIES} ORDER BY id DESC LIMIT :limit)
UNION ALL SELECT rowid, tokens FROM ({_CHUNKS} ORDER BY id DESC LIMIT :limit)
UNION ALL SELECT rowid, tokens FROM ({_POSTS} ORDER BY id DESC LIMIT :limit)
"""
_FINDS: Final = (
    "SELECT count(*) FROM search_index WHERE search_index MATCH :word AND rowid = :rowid"
)

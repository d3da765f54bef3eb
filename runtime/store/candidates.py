"""What clean-up looks at: living memories, page by page, and what was told of them."""

import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from datetime import datetime
from typing import Final

from runtime.store.clock import utc
from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.longterm import to_memory
from schemas.records import Memory

PAGE: Final = 500


async def living_rows(connection: Connection) -> AsyncGenerator[Row]:
    """Yield every living memory, oldest id first."""
    after = 0
    while rows := await fetch_all(connection, _LIVING, {"after": after, "limit": PAGE}):
        for row in rows:
            yield row
        after = rows[-1]["id"]


async def contents(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the contents of memories by id."""
    rows = await fetch_all(connection, _CONTENTS, {"ids": json.dumps(list(ids))})
    return {row["id"]: row["content"] for row in rows}


async def memory_of(connection: Connection, memory_id: int) -> Memory | None:
    """Return a memory that is not deleted."""
    rows = await fetch_all(connection, _ONE, (memory_id,))
    return to_memory(rows[0]) if rows else None


async def told(connection: Connection) -> tuple[dict[int, int], str | None]:
    """Return how often each memory was told, and since when that is noted."""
    rows = await fetch_all(connection, _TOLD)
    since = await fetch_all(connection, _SINCE)
    return {row[0]: row[1] for row in rows}, since[0][0] if since else None


async def sizes(connection: Connection) -> list[Row]:
    """Return what rules for retention measure, newest first; pinned memories are left out."""
    return await fetch_all(connection, _SIZES)


async def delete_unpinned(
    connection: Connection, hashes: Mapping[int, str], now: datetime
) -> set[int]:
    """
    Delete memories that are still what was seen, in the caller's transaction.

    *hashes* by id. Returns the ids of those that were deleted.
    """
    return await _each(connection, _DELETE, hashes, now)


async def undelete(connection: Connection, hashes: Mapping[int, str], now: datetime) -> set[int]:
    """Take deletions back, in the caller's transaction. Returns the ids of those."""
    return await _each(connection, _UNDELETE, hashes, now)


async def _each(
    connection: Connection, statement: str, hashes: Mapping[int, str], now: datetime
) -> set[int]:
    done = set()
    for memory_id, digest in hashes.items():
        values = {"id": memory_id, "hash": digest, "now": utc(now)}
        cursor = await connection.execute(statement, values)
        if cursor.rowcount:
            done.add(memory_id)
    return done


async def states(connection: Connection, ids: Iterable[int]) -> dict[int, Row]:
    """Return what has become of memories: hash, mark and deletion, by id."""
    rows = await fetch_all(connection, _STATES, {"ids": json.dumps(list(ids))})
    return {row["id"]: row for row in rows}


_LIVING: Final = """
SELECT id, content, source, project, project_key, session_id, tool, target, created_at,
    content_hash, coalesce(summary, substr(content, 1, 200)) AS summary, is_pinned
FROM memories WHERE deleted_at IS NULL AND id > :after ORDER BY id LIMIT :limit
"""
_CONTENTS: Final = """
SELECT id, content FROM memories WHERE id IN (SELECT value FROM json_each(:ids))
"""
_ONE: Final = "SELECT * FROM memories WHERE id = ? AND deleted_at IS NULL"
_TOLD: Final = """
SELECT record_id, count(*) FROM shown WHERE record_id IS NOT NULL GROUP BY record_id
"""
_SINCE: Final = "SELECT value FROM meta WHERE name = 'shown_since'"
_SIZES: Final = """
SELECT id, source, project, project_key, created_at, content_hash,
    length(CAST(content AS BLOB)) AS size_bytes
FROM memories WHERE deleted_at IS NULL AND NOT is_pinned ORDER BY created_at DESC, id DESC
"""
_DELETE: Final = """
UPDATE memories SET deleted_at = :now, updated_at = :now
WHERE id = :id AND content_hash = :hash AND deleted_at IS NULL AND NOT is_pinned
"""
_UNDELETE: Final = """
UPDATE memories SET deleted_at = NULL, updated_at = :now
WHERE id = :id AND content_hash = :hash AND deleted_at IS NOT NULL AND content <> ''
"""
_STATES: Final = """
SELECT id, content_hash, is_pinned, deleted_at FROM memories
WHERE id IN (SELECT value FROM json_each(:ids))
"""

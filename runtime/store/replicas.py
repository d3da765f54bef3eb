"""
Rows of `memories` as other machines hold them too: read whole, written whole.

A row that stays in its text keeps its place in the index: SQLite fires a trigger
for every column that a statement names, changed or not, and an entry of the index
takes longer to make than anything else here.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.index_backlog import insert_unindexed

COLUMNS: Final = (
    "content", "source", "project", "tags", "content_hash", "created_at", "summary", "key",
    "project_key", "session_id", "event_id", "message_id", "host", "tool", "target", "skills",
    "is_global", "is_pinned", "updated_at", "deleted_at", "lived_at", "marked_at", "purged_at",
)  # fmt: skip
"""All that makes a memory, but for its number on this machine."""
INDEXED: Final = frozenset({"content", "target", "deleted_at"})
"""What the index is made from."""


async def rows_of(connection: Connection, keys: Iterable[str]) -> dict[str, Row]:
    """Return the rows of these keys, deleted ones too."""
    rows = await fetch_all(connection, _OF_KEYS, (json.dumps(list(keys)),))
    return {row["key"]: row for row in rows}


async def insert_rows(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Put new memories in, in the caller's transaction; the index is left for later."""
    if rows:
        await insert_unindexed(connection, _INSERT, rows)


async def update_rows(
    connection: Connection, rows: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | Row]]
) -> None:
    """Write memories over, each given as (new, as it was), in the caller's transaction."""
    whole = [new for new, old in rows if any(new[name] != old[name] for name in INDEXED)]
    rest = [new for new, old in rows if all(new[name] == old[name] for name in INDEXED)]
    for statement, values in ((_UPDATE, whole), (_UPDATE_REST, rest)):
        if values:
            await connection.executemany(statement, values)


def rows_after(connection: sqlite3.Connection, row_id: int, limit: int) -> list[Row]:
    """Return the next rows by id, deleted ones too; for a reader's thread."""
    return connection.execute(_AFTER, {"id": row_id, "limit": limit}).fetchall()


async def rows_ahead(connection: Connection, latest: str) -> list[Row]:
    """Return the rows of which some moment comes later than *latest*."""
    return await fetch_all(connection, _AHEAD, {"latest": latest})


_SELECT: Final = f"SELECT id, {', '.join(COLUMNS)} FROM memories"  # noqa: S608 - constants
_OF_KEYS: Final = f"{_SELECT} WHERE key IN (SELECT value FROM json_each(?))"  # noqa: S608
_AFTER: Final = f"{_SELECT} WHERE id > :id ORDER BY id LIMIT :limit"
_AHEAD: Final = f"""
{_SELECT} WHERE max(
    created_at, updated_at, coalesce(deleted_at, ''), coalesce(lived_at, ''),
    coalesce(marked_at, ''), coalesce(purged_at, '')
) > :latest
"""
_INSERT: Final = (
    f"INSERT INTO memories ({', '.join(COLUMNS)})"  # noqa: S608 - constants
    f" VALUES ({', '.join(':' + name for name in COLUMNS)})"
)
_UPDATE: Final = (
    f"UPDATE memories SET {', '.join(f'{name} = :{name}' for name in COLUMNS)}"  # noqa: S608
    " WHERE key = :key"
)
_UPDATE_REST: Final = (
    f"UPDATE memories SET {', '.join(f'{name} = :{name}' for name in COLUMNS if name not in INDEXED)}"  # noqa: S608, E501
    " WHERE key = :key"
)

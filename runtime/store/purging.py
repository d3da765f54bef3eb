"""
Memories that are gone for good: their rows, and every byte of them in the file.

A row without content stays, deleted: its key and its hash keep other machines
and later events from bringing the memory back. Bytes that SQLite has freed lie
in the file until something else is written there, in pages of the index too,
whose older parts hold what was taken out of it. So the index is merged into one
part, the file is written anew, and its log of changes is emptied.
"""

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import Final

import anyio

from runtime.errors import StoreBusyError, StoreLockedError
from runtime.store.clock import utc
from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.index_tables import OURS, versions
from runtime.store.rebuild import rebuild

WAIT_S: Final = 10.0
"""For others to end what they are reading: questions take milliseconds."""
LOOK_S: Final = 0.05


async def deleted(connection: Connection, ids: Iterable[int] = (), before: str = "") -> list[Row]:
    """
    Return what can be purged, oldest deletion first: id, summary, moment of deletion.

    *ids*: these alone, all for none. *before*: only what was deleted before this moment.
    """
    wanted = list(ids)
    values = {"ids": json.dumps(wanted), "all": not wanted, "before": before or "9"}
    return await fetch_all(connection, _DELETED, values)


async def empty_rows(connection: Connection, ids: Iterable[int], now: datetime) -> None:
    """
    Take everything but key and hash out of memories, in the caller's transaction.

    One that was not deleted is from now on.
    """
    await connection.execute(_EMPTY, {"ids": json.dumps(list(ids)), "now": utc(now)})


async def merge_index(connection: Connection) -> None:
    """
    Merge the index into one part, in which nothing is left of what was taken out of it.

    From one of another version of the tokenizer nothing was taken out: it goes first.
    """
    if await versions(connection) != OURS:
        await rebuild(connection)
    await connection.execute("INSERT INTO search_index (search_index) VALUES ('optimize')")


async def write_anew(connection: Connection, path: str) -> None:
    """
    Write the database file anew and empty its log, outside of any transaction.

    Raises StoreLockedError and StoreBusyError.
    """
    await fetch_all(connection, "PRAGMA secure_delete = ON")
    try:
        await connection.execute("VACUUM")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise StoreLockedError(path, WAIT_S) from error
        raise
    until = anyio.current_time() + WAIT_S
    while True:
        ((is_busy, *_pages),) = await fetch_all(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        if not is_busy:
            return
        if anyio.current_time() > until:
            raise StoreBusyError(path, WAIT_S)
        await anyio.sleep(LOOK_S)


_DELETED: Final = """
SELECT id, coalesce(summary, substr(content, 1, 200)) AS summary, deleted_at FROM memories
WHERE deleted_at < :before AND content <> ''
    AND (:all OR id IN (SELECT value FROM json_each(:ids)))
ORDER BY deleted_at, id
"""
_EMPTY: Final = """
UPDATE memories SET
    content = '', summary = '', target = NULL, tags = NULL, keywords = NULL, skills = NULL,
    project = NULL, session_id = NULL, event_id = NULL, message_id = NULL, tool = NULL,
    is_pinned = 0, deleted_at = coalesce(deleted_at, :now), updated_at = :now
WHERE id IN (SELECT value FROM json_each(:ids))
"""

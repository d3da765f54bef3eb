"""Deletes memories so that it can be taken back, and takes it back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from runtime.store.clock import utc
from runtime.store.connection import Connection, fetch_all
from schemas.longterm import Removal


async def delete(connection: Connection, ids: Sequence[int], now: datetime) -> dict[int, Removal]:
    """
    Delete memories in the caller's transaction. Returns what became of each id, in order.

    The row stays with the moment of its deletion: it can be restored, other
    machines can be told of it, and what was captured is not captured again.
    """
    found: dict[int, Removal] = {}
    for memory_id in ids:
        values = {"id": memory_id, "now": utc(now)}
        cursor = await connection.execute(_DELETE, values)
        if cursor.rowcount:
            found[memory_id] = "deleted"
        elif memory_id not in found:
            is_there = await fetch_all(connection, _IS_THERE, values)
            found[memory_id] = "already deleted" if is_there else "not found"
    return found


async def restore(connection: Connection, ids: Sequence[int], now: datetime) -> dict[int, str]:
    """
    Take deletions back in the caller's transaction. Returns what became of each id, in order.

    That is "restored", "not deleted" or "not found".
    """
    found: dict[int, str] = {}
    for memory_id in ids:
        values = {"id": memory_id, "now": utc(now)}
        cursor = await connection.execute(_RESTORE, values)
        if cursor.rowcount:
            found[memory_id] = "restored"
        elif memory_id not in found:
            is_there = await fetch_all(connection, _IS_THERE, values)
            found[memory_id] = "not deleted" if is_there else "not found"
    return found


_DELETE: Final = """
UPDATE memories SET deleted_at = :now, updated_at = :now WHERE id = :id AND deleted_at IS NULL
"""
_RESTORE: Final = """
UPDATE memories SET deleted_at = NULL, updated_at = :now
WHERE id = :id AND deleted_at IS NOT NULL
"""
_IS_THERE: Final = "SELECT 1 FROM memories WHERE id = :id AND content <> ''"
"""A purged memory is a row without content: nothing that could be restored."""

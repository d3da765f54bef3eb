"""Counts of what the store holds."""

from typing import Final

from runtime.store.connection import Connection, Row
from runtime.store.note_files import OUTSIDE


async def counts(connection: Connection) -> Row:
    """Return one row of totals."""
    async with connection.execute(_COUNTS, {"outside": OUTSIDE}) as cursor:
        row = await cursor.fetchone()
    if row is None:
        msg = "an aggregate query gave no row"
        raise RuntimeError(msg)
    return row


_COUNTS: Final = """
SELECT
    (SELECT count(*) FROM memories WHERE deleted_at IS NULL) AS memories,
    (SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL) AS memories_deleted,
    (SELECT count(*) FROM note_chunks) AS chunks,
    (SELECT count(*) FROM notes WHERE error IS NOT :outside) AS notes,
    (SELECT count(*) FROM permanent_posts) AS permanent,
    (SELECT refreshed_at FROM permanent_place WHERE is_copy) AS permanent_as_of,
    (SELECT count(*) FROM events) AS events,
    (SELECT min(created_at) FROM memories WHERE deleted_at IS NULL) AS oldest_at,
    (SELECT max(created_at) FROM memories WHERE deleted_at IS NULL) AS newest_at
"""


async def by_source(connection: Connection) -> dict[str, int]:
    """Return the number of memories per source, most first."""
    return await _pairs(
        connection,
        "SELECT source, count(*) FROM memories WHERE deleted_at IS NULL"
        " GROUP BY source ORDER BY 2 DESC, 1",
    )


async def by_outcome(connection: Connection) -> dict[str, int]:
    """Return the number of events per outcome."""
    return await _pairs(
        connection, "SELECT outcome, count(*) FROM events GROUP BY outcome ORDER BY 1"
    )


async def _pairs(connection: Connection, statement: str) -> dict[str, int]:
    async with connection.execute(statement) as cursor:
        return {row[0]: row[1] for row in await cursor.fetchall()}

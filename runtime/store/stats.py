"""Counts, and when each kind of event last did its work."""

import sqlite3
from typing import Final

from runtime.store.connection import Connection, Row
from runtime.store.note_files import OUTSIDE
from schemas.stats import CaptureHealth


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


async def capture_health(connection: Connection) -> tuple[CaptureHealth, ...]:
    """
    Return, per kind of event, the last success and what went wrong since.

    A transcript that was not there is no failure of the handler, but nothing was
    captured either: it counts here.
    """
    async with connection.execute(_HEALTH) as cursor:
        return tuple(CaptureHealth.model_validate(dict(row)) for row in await cursor.fetchall())


def failing(connection: sqlite3.Connection) -> tuple[CaptureHealth, ...]:
    """Return those of `capture_health` that have failed so often that somebody should look."""
    found = [CaptureHealth.model_validate(dict(row)) for row in connection.execute(_HEALTH)]
    return tuple(health for health in found if health.is_failing)


_HEALTH: Final = """
WITH RECURSIVE kinds (name) AS (
    SELECT min(name) FROM events
    UNION ALL
    SELECT (SELECT min(name) FROM events WHERE name > kinds.name) FROM kinds
    WHERE kinds.name IS NOT NULL
),
last AS (
    SELECT name, (
        SELECT seq FROM events
        WHERE events.name = kinds.name AND outcome = 'ok' AND reason IS NULL
        ORDER BY seq DESC LIMIT 1
    ) AS seq
    FROM kinds
    WHERE EXISTS (
        SELECT 1 FROM events WHERE events.name = kinds.name AND outcome IN ('ok', 'failed')
    )
)
SELECT
    last.name,
    (SELECT received_at FROM events WHERE seq = last.seq) AS last_success_at,
    (SELECT count(*) FROM events WHERE name = last.name AND outcome IN ('ok', 'failed')
        AND seq > coalesce(last.seq, 0)) AS failures_since,
    (SELECT reason FROM events WHERE name = last.name AND outcome IN ('ok', 'failed')
        AND seq > coalesce(last.seq, 0) ORDER BY seq DESC LIMIT 1) AS last_error
FROM last ORDER BY last.name
"""
"""Each step is a look into the index of names and outcomes: of a year's events none is read but
those that failed since."""


async def _pairs(connection: Connection, statement: str) -> dict[str, int]:
    async with connection.execute(statement) as cursor:
        return {row[0]: row[1] for row in await cursor.fetchall()}

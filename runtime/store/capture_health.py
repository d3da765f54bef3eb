"""When each kind of event last did its work, and what has gone wrong since."""

import sqlite3
from typing import TYPE_CHECKING, Final

from runtime.store.connection import Connection, Row, fetch_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.stats import CaptureHealth


async def capture_health(connection: Connection) -> "tuple[CaptureHealth, ...]":
    """
    Return, per kind of event, the last success and what went wrong since.

    A transcript that was not there is no failure of the handler, but nothing was
    captured either: it counts here.
    """
    return _validated(await fetch_all(connection, _HEALTH))


def failing(connection: sqlite3.Connection) -> "tuple[CaptureHealth, ...]":
    """Return those of `capture_health` that have failed so often that somebody should look."""
    some = [row for row in connection.execute(_HEALTH) if row["failures_since"]]
    return tuple(health for health in _validated(some) if health.is_failing)


def _validated(rows: "Sequence[Row]") -> "tuple[CaptureHealth, ...]":
    if not rows:
        return ()
    # Not before: a session's start asks each time, and as a rule there is nothing to tell.
    from schemas.stats import CaptureHealth  # noqa: PLC0415

    return tuple(CaptureHealth.model_validate(dict(row)) for row in rows)


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

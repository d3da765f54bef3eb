"""Who was told of which record, and which records help: those that are told often."""

from collections.abc import Sequence
from typing import Final

from runtime.store.connection import Connection, fetch_all
from schemas.captured import CapturedEvent
from schemas.shown import ShownRecord
from schemas.stats import OftenShown, ShownStats

MOST_SHOWN: Final = 5


async def note_shown(
    connection: Connection, event: CapturedEvent, records: Sequence[ShownRecord]
) -> None:
    """Write down what an event's answer told, in the transaction of the event's own row."""
    place = "session start" if event.name == "SessionStart" else "skill"
    rows = [
        {
            "event_id": event.id,
            "rank": rank,
            "kind": record.kind,
            "record_id": record.id,
            "path": record.path,
            "place": place,
            "project_key": event.project_key,
            "shown_at": event.received_at,
        }
        for rank, record in enumerate(records, start=1)
    ]
    if rows:
        await connection.executemany(_INSERT, rows)


_INSERT: Final = """
INSERT INTO shown (event_id, rank, kind, record_id, path, place, project_key, shown_at)
VALUES (:event_id, :rank, :kind, :record_id, :path, :place, :project_key, :shown_at)
ON CONFLICT (event_id, rank) DO NOTHING
"""


async def shown_stats(connection: Connection, limit: int = MOST_SHOWN) -> ShownStats:
    """Return how much was told since it is noted, and the memories and notes told most often."""
    (counts,) = await fetch_all(connection, _COUNTS)
    rows = await fetch_all(connection, _OFTEN, {"limit": limit})
    often = tuple(OftenShown.model_validate(dict(row)) for row in rows)
    return ShownStats.model_validate({**dict(counts), "often": often})


_COUNTS: Final = """
SELECT
    (SELECT value FROM meta WHERE name = 'shown_since') AS since,
    (SELECT count(*) FROM shown) AS total,
    (SELECT count(*) FROM shown WHERE place = 'skill') AS before_skills,
    (SELECT count(*) FROM memories WHERE deleted_at IS NULL
        AND id IN (SELECT record_id FROM shown WHERE record_id IS NOT NULL)) AS memories_shown,
    (SELECT count(*) FROM memories WHERE deleted_at IS NULL
        AND id NOT IN (SELECT record_id FROM shown WHERE record_id IS NOT NULL)) AS memories_never
"""
_OFTEN: Final = """
SELECT shown.kind, record_id AS id, path, count(*) AS times, max(shown_at) AS last_at,
    round(avg(rank), 1) AS mean_rank, coalesce(summary, path) AS summary
FROM shown LEFT JOIN memories ON memories.id = record_id
WHERE record_id IS NULL OR memories.deleted_at IS NULL
GROUP BY shown.kind, record_id, path ORDER BY times DESC, last_at DESC, 2, 3 LIMIT :limit
"""

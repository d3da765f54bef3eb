"""Which records help: those that models are told of often."""

from typing import Final

from runtime.store.connection import Connection, fetch_all
from schemas.stats import OftenShown, ShownStats

MOST_SHOWN: Final = 5


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
    round(avg(rank), 1) AS mean_rank, coalesce(summary, substr(content, 1, 200), path) AS summary
FROM shown LEFT JOIN memories ON memories.id = record_id
WHERE record_id IS NULL OR memories.deleted_at IS NULL
GROUP BY shown.kind, record_id, path ORDER BY times DESC, last_at DESC, 2, 3 LIMIT :limit
"""

"""Counts of long-term memories."""

from typing import Final

from runtime.store.connection import Connection, fetch_all
from schemas.longterm import LongtermStats


async def longterm_stats(connection: Connection) -> LongtermStats:
    """Return what there is, all from one state of the database."""
    (totals,) = await fetch_all(connection, _TOTALS)
    groups: dict[str, dict[str, int]] = {"source": {}, "project": {}, "host": {}}
    for row in await fetch_all(connection, _GROUPS):
        groups[row["field"]][row["value"]] = row["count"]
    named = {f"by_{field}": counts for field, counts in groups.items()}
    return LongtermStats.model_validate({**dict(totals), **named})


_TOTALS: Final = """
SELECT
    count(*) FILTER (WHERE deleted_at IS NULL) AS total,
    min(created_at) FILTER (WHERE deleted_at IS NULL) AS oldest_at,
    max(created_at) FILTER (WHERE deleted_at IS NULL) AS newest_at,
    count(*) FILTER (WHERE deleted_at IS NOT NULL AND content <> '') AS deleted,
    count(*) FILTER (WHERE deleted_at IS NULL AND is_global) AS is_global,
    count(*) FILTER (WHERE deleted_at IS NULL AND is_pinned) AS is_pinned,
    coalesce(sum(length(content)) FILTER (WHERE deleted_at IS NULL), 0) AS content_chars
FROM memories
"""
_GROUPS: Final = """
SELECT 'source' AS field, source AS value, count(*) AS count
FROM memories WHERE deleted_at IS NULL GROUP BY source
UNION ALL
SELECT 'project', coalesce(project, ''), count(*)
FROM memories WHERE deleted_at IS NULL GROUP BY coalesce(project, '')
UNION ALL
SELECT 'host', coalesce(host, ''), count(*)
FROM memories WHERE deleted_at IS NULL GROUP BY coalesce(host, '')
ORDER BY 3 DESC, 2
"""

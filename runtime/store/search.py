"""
Find memories and notes by words.

Candidates come from one FTS5 index by bm25 over an OR of the query's terms. Of
those, records that match too little of the query's weight are dropped, so that
one shared bigram is no answer.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from runtime.store.connection import Connection, Row
from runtime.store.snippets import snippet
from runtime.tokens.query import phrase_terms, query_terms
from schemas.records import SearchHit

CANDIDATES: Final = 200
POSTINGS_CAP: Final = 20_000
"""Terms are counted up to this; beyond, one more makes no difference to its weight."""
MIN_SHARE: Final = 0.2
"""Least part of the query's weight that a hit must match."""
KINDS: Final = 4
"""A row of the index is a record's id times this, plus its kind's number."""


class Scope(NamedTuple):
    """Whose memories may be found."""

    project_key: str | None = None
    """Only this project's and global ones; None: all (the person's own search)."""


async def search(
    connection: Connection,
    query: str,
    limit: int,
    *,
    scope: Scope = Scope(),  # noqa: B008 - immutable
    min_share: float = MIN_SHARE,
) -> list[SearchHit]:
    """Return the best hits, best first. Any text is a query; none raises."""
    terms = query_terms(query).terms
    return await _ranked(connection, query, terms, limit, scope, min_share)


async def search_name(
    connection: Connection, name: str, limit: int, *, scope: Scope
) -> list[SearchHit]:
    """Return hits that hold the whole of a name, in whatever way it is written."""
    terms = phrase_terms(name)
    if not terms:
        return []
    return await _ranked(connection, name, terms, limit, scope, 1.0)


async def _ranked(
    connection: Connection,
    query: str,
    terms: Sequence[str],
    limit: int,
    scope: Scope,
    min_share: float,
) -> list[SearchHit]:
    if not terms or limit < 1:
        return []
    scores = await _candidates(connection, terms, scope)
    if not scores:
        return []
    shares = await _shares(connection, terms, scores)
    # Floating-point sums of one and the same set may differ in the last bit.
    kept = [row for row in scores if shares[row] >= min_share - 1e-9][:limit]
    records = await _load(connection, kept)
    return [_hit(records[row], scores[row], shares[row], query) for row in kept if row in records]


async def _candidates(
    connection: Connection, terms: Sequence[str], scope: Scope
) -> dict[int, float]:
    """Return row ids of the index with their scores, best first."""
    values = {
        "match": " OR ".join(terms),
        "limit": CANDIDATES,
        "project_key": scope.project_key,
    }
    async with connection.execute(_CANDIDATES, values) as cursor:
        return {row[0]: -row[1] for row in await cursor.fetchall()}


_CANDIDATES: Final = """
SELECT rowid, rank FROM search_index
WHERE search_index MATCH :match AND (
    :project_key IS NULL OR rowid % 4 <> 0 OR EXISTS (
        SELECT 1 FROM memories WHERE id = search_index.rowid / 4
            AND (project_key = :project_key OR is_global)
    )
)
ORDER BY rank LIMIT :limit
"""


async def _shares(
    connection: Connection, terms: Sequence[str], rows: Iterable[int]
) -> dict[int, float]:
    """Return what part of the query's weight each row matches, 0 to 1."""
    total = await _one(connection, "SELECT count(*) FROM search_index_docsize", {})
    rows = list(rows)
    matched, weights = dict.fromkeys(rows, 0.0), 0.0
    low, high = min(rows), max(rows)
    for term in terms:
        found = await _one(connection, _COUNT, {"term": term, "cap": POSTINGS_CAP})
        # Smoothed, so that in a store of three records a missing word does not
        # outweigh all that were found.
        weight = math.log(1 + (total + 10) / (found + 1))
        weights += weight
        if not found:
            continue
        values = {"term": term, "low": low, "high": high}
        async with connection.execute(_MATCHING, values) as cursor:
            for (row,) in await cursor.fetchall():
                if row in matched:
                    matched[row] += weight
    return {row: value / weights for row, value in matched.items()}


_COUNT: Final = """
SELECT count(*) FROM (SELECT 1 FROM search_index WHERE search_index MATCH :term LIMIT :cap)
"""
_MATCHING: Final = """
SELECT rowid FROM search_index WHERE search_index MATCH :term AND rowid BETWEEN :low AND :high
"""


async def _one(connection: Connection, statement: str, values: Mapping[str, Any]) -> int:
    async with connection.execute(statement, values) as cursor:
        row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def _load(connection: Connection, rows: Sequence[int]) -> dict[int, Row]:
    """Return the records of index rows, by index row."""
    memories = [row // KINDS for row in rows if row % KINDS == 0]
    chunks = [row // KINDS for row in rows if row % KINDS]
    found = {}
    for statement, ids, number in ((_MEMORIES, memories, 0), (_CHUNKS, chunks, 1)):
        # Only question marks are put in; a list of ids cannot be bound as one value.
        marks = ", ".join("?" * len(ids))
        async with connection.execute(statement.format(marks), ids) as cursor:
            for record in await cursor.fetchall():
                found[record["id"] * KINDS + number] = record
    return found


_MEMORIES: Final = """
SELECT id, 'long-term' AS kind, source, '' AS heading, created_at AS date,
    'event' AS date_origin, content, project, host, target, NULL AS line
FROM memories WHERE id IN ({})
"""
_CHUNKS: Final = """
SELECT id, 'note' AS kind, source, heading_path AS heading, date, date_origin, content,
    NULL AS project, NULL AS host, NULL AS target, start_line AS line
FROM note_chunks WHERE id IN ({})
"""


def _hit(record: Row, score: float, share: float, query: str) -> SearchHit:
    date = record["date"]
    return SearchHit.model_validate(
        {
            **{name: record[name] for name in SearchHit.model_fields if name in record.keys()},  # noqa: SIM118
            "date": date[:10] if date else None,
            "score": round(score, 4),
            "share": round(share, 4),
            "snippet": snippet(record["content"], query),
        }
    )

"""
Find memories and notes by words.

Candidates come from one FTS5 index by bm25 over an OR of the query's terms. Of
those, records that match too little of the query's weight are dropped, so that
one shared bigram is no answer.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.snippets import snippet
from runtime.tokens.query import phrase_terms, query_terms
from schemas.records import SearchHit

CANDIDATES: Final = 200
ENOUGH: Final = 20
"""Candidates of the own project with which one looks no further."""
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
    weights = await _weights(connection, terms)
    needed = _needed(weights, min_share)
    scores = await _candidates(connection, needed, scope) if needed else {}
    if not scores:
        return []
    shares = await _shares(connection, weights, scores)
    # Floating-point sums of one and the same set may differ in the last bit.
    kept = [row for row in scores if shares[row] >= min_share - 1e-9][:limit]
    records = await _load(connection, kept)
    return [_hit(records[row], scores[row], shares[row], query) for row in kept if row in records]


async def _weights(connection: Connection, terms: Sequence[str]) -> dict[str, tuple[float, int]]:
    """Return each term's weight and the number of rows that hold it (up to a cap)."""
    values = {"terms": json.dumps(list(dict.fromkeys(terms))), "cap": POSTINGS_CAP}
    found = {}
    for term, rows, total in await fetch_all(connection, _COUNTS, values):
        # Smoothed, so that in a store of three records a missing word does not
        # outweigh all that were found.
        found[term] = (math.log(1 + (total + 10) / (rows + 1)), rows)
    return found


_COUNTS: Final = """
SELECT term.value,
    (SELECT count(*) FROM (
        SELECT 1 FROM search_index WHERE search_index MATCH term.value LIMIT :cap
    )),
    (SELECT count(*) FROM search_index_docsize)
FROM json_each(:terms) AS term
"""


def _needed(weights: Mapping[str, tuple[float, int]], min_share: float) -> list[str]:
    """
    Return the terms of which every acceptable hit holds at least one, the rarest first.

    What matches only the others stays under the least share, however often it
    does: common words need not be looked up at all. A person's own search asks
    for so little that every word is left to rank by.
    """
    if min_share <= MIN_SHARE:
        return [term for term, (_weight, rows) in weights.items() if rows]
    total = sum(weight for weight, _rows in weights.values())
    needed, left = [], total
    for term, (weight, rows) in sorted(weights.items(), key=lambda item: item[1][1]):
        if left < min_share * total - 1e-9:
            break
        left -= weight
        if rows:
            needed.append(term)
    return needed


async def _candidates(
    connection: Connection, terms: Sequence[str], scope: Scope
) -> dict[int, float]:
    """Return row ids of the index with their scores, best first."""
    values: dict[str, Any] = {
        "match": " OR ".join(terms),
        "limit": CANDIDATES,
        "project_key": scope.project_key,
    }
    rows = {row[0]: -row[1] for row in await fetch_all(connection, _BEST, values)}
    if scope.project_key is None or not rows:
        return rows
    values["ids"] = json.dumps([row // KINDS for row in rows if row % KINDS == 0])
    ours = {row[0] * KINDS for row in await fetch_all(connection, _OURS, values)}
    seen = {row: score for row, score in rows.items() if row % KINDS or row in ours}
    if len(rows) < CANDIDATES or len(seen) >= ENOUGH:
        return seen
    # Another project's records fill the page: only now is every match looked at.
    every = await fetch_all(connection, _BEST_OF_PROJECT, values)
    return {row[0]: -row[1] for row in every}


_BEST: Final = """
SELECT rowid, rank FROM search_index WHERE search_index MATCH :match ORDER BY rank LIMIT :limit
"""
_OURS: Final = """
SELECT id FROM memories
WHERE id IN (SELECT value FROM json_each(:ids)) AND (project_key = :project_key OR is_global)
"""
_BEST_OF_PROJECT: Final = """
SELECT rowid, rank FROM search_index
WHERE search_index MATCH :match AND (
    rowid % 4 <> 0 OR EXISTS (
        SELECT 1 FROM memories WHERE id = search_index.rowid / 4
            AND (project_key = :project_key OR is_global)
    )
)
ORDER BY rank LIMIT :limit
"""


async def _shares(
    connection: Connection, weights: Mapping[str, tuple[float, int]], rows: Iterable[int]
) -> dict[int, float]:
    """Return what part of the query's weight each row matches, 0 to 1."""
    matched = dict.fromkeys(rows, 0.0)
    total = sum(weight for weight, _found in weights.values())
    values = {
        "terms": json.dumps([term for term, (_weight, found) in weights.items() if found]),
        "low": min(matched),
        "high": max(matched),
        "rows": json.dumps(list(matched)),
    }
    for term, row in await fetch_all(connection, _MATCHING, values):
        matched[row] += weights[term][0]
    return {row: value / total for row, value in matched.items()}


_MATCHING: Final = """
SELECT term.value, search_index.rowid FROM json_each(:terms) AS term
JOIN search_index ON search_index MATCH term.value AND search_index.rowid BETWEEN :low AND :high
WHERE +search_index.rowid IN (SELECT value FROM json_each(:rows))
"""


async def _load(connection: Connection, rows: Sequence[int]) -> dict[int, Row]:
    """Return the records of index rows, by index row."""
    memories = [row // KINDS for row in rows if row % KINDS == 0]
    chunks = [row // KINDS for row in rows if row % KINDS]
    found = {}
    for statement, ids, number in ((_MEMORIES, memories, 0), (_CHUNKS, chunks, 1)):
        # Only question marks are put in; a list of ids cannot be bound as one value.
        marks = ", ".join("?" * len(ids))
        for record in await fetch_all(connection, statement.format(marks), ids):
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

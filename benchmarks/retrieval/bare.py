"""
The least that a ranking over the tokens can be: any term, bm25, and a bound in large stores.

No other words, no share of the query, nothing grouped, no snippet: what is above it is what
the rest of the search costs.
"""

from sqlite3 import Connection
from typing import Final

from benchmarks.retrieval.measures import PLACES
from runtime.tokens.query import query_terms

LARGE: Final = 20_000
"""Rows from which on the rarest terms are read until so many entries are."""


def best(connection: Connection, table: str, query: str, rows: int) -> list[int]:
    """Return the ids of the best rows of an FTS5 table of so many rows that holds the tokens."""
    terms = list(query_terms(query).terms)
    if rows > LARGE and len(terms) > 1:
        terms = _affordable(connection, table, terms)
    if not terms:
        return []
    statement = (
        f"SELECT rowid FROM {table} WHERE {table} MATCH ? ORDER BY bm25({table}) LIMIT {PLACES}"
    )
    return [row[0] for row in connection.execute(statement, (" OR ".join(terms),))]


def _affordable(connection: Connection, table: str, terms: list[str]) -> list[str]:
    statement = f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"
    counts = {
        term: connection.execute(statement, (term, LARGE + 1)).fetchone()[0] for term in terms
    }
    read: list[str] = []
    spent = 0
    for term in sorted(filter(counts.__getitem__, terms), key=counts.__getitem__):
        spent += counts[term]
        if read and spent > LARGE:
            break
        read.append(term)
    return read

"""
A registered database searched by words, where the original would compare vectors.

Every text is looked at, and ranked by how many of the query's pieces it holds: words,
and pairs of characters of scripts without spaces. There is no vector here to compare.
"""

import sqlite3
import time
from contextlib import closing
from typing import Any, Final

from runtime.mcp_servers.refusals import QueryFailedError, QueryTooSlowError
from runtime.mcp_servers.registered import Database
from runtime.mcp_servers.source_pattern import pattern
from runtime.mcp_servers.sql_query import LIMIT_S, OPCODES, opened
from runtime.tokens.script import normalize
from schemas.chiebukuro import Semantic

MOST_PIECES: Final = 32
PAIR: Final = 2
OVERFETCHED: Final = 3
"""With a filter of sources, so many times the hits are fetched, as in the original."""


def search(
    database: Database, semantic: Semantic, query: str, limit: int, source_filter: str | None
) -> list[dict[str, Any]]:
    """Return the best texts, each with content, source and distance. Blocking."""
    is_wanted = pattern(source_filter)
    wanted = pieces(query)
    if not wanted:
        return []
    fetched = limit * OVERFETCHED if source_filter else limit
    statement = _STATEMENT.format(
        content=_quoted(semantic.content_column),
        source=_quoted(semantic.source_column),
        table=_quoted(semantic.content_table),
        hits=" + ".join(f"(instr(folded, :piece{number}) > 0)" for number in range(len(wanted))),
    )
    values = {f"piece{number}": piece for number, piece in enumerate(wanted)}
    with closing(opened(database.name, database.path)) as connection:
        end = time.monotonic() + LIMIT_S
        connection.set_progress_handler(lambda: time.monotonic() > end, OPCODES)
        try:
            rows = connection.execute(statement, {**values, "limit": fetched}).fetchall()
        except sqlite3.Error as error:
            if "interrupted" in str(error):
                raise QueryTooSlowError(database.name, LIMIT_S) from error
            raise QueryFailedError(database.name, str(error)) from error
    found = [
        {
            "content": str(row["content"]),
            "source": str(row["source"]),
            "distance": round(1 - row["hits"] / len(wanted), 4),
        }
        for row in rows
    ]
    return [hit for hit in found if is_wanted.search(str(hit["source"]))][:limit]


def pieces(query: str) -> list[str]:
    """Return what to look for, folded: words, and pairs of characters where there are no words."""
    found: list[str] = []
    for word in normalize(query).casefold().split():
        if word.isascii() or len(word) <= PAIR:
            found.append(word)
        else:
            found += [word[at : at + PAIR] for at in range(len(word) - 1)]
    return list(dict.fromkeys(found))[:MOST_PIECES]


def _quoted(name: str) -> str:
    """Return a name of a table or column as SQL takes it."""
    return '"' + name.replace('"', '""').replace("\0", "") + '"'


_STATEMENT: Final = """
SELECT content, source, hits FROM (
    SELECT content, source, {hits} AS hits FROM (
        SELECT {content} AS content, {source} AS source, lower({content}) AS folded FROM {table}
    )
) WHERE hits > 0 ORDER BY hits DESC LIMIT :limit
"""

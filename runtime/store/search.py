"""
Find memories and notes by words.

A question runs as a whole in the reader's thread, in one state of the database;
what it found becomes hits here.
"""

from collections.abc import Sequence
from functools import cache
from sqlite3 import Connection, Row
from typing import Final, NamedTuple

from runtime.store.connection import Reader
from runtime.store.search_index import Index
from runtime.store.search_ranking import CANDIDATES, MIN_SHARE, Found, Query, name, rank
from runtime.store.search_records import load
from runtime.store.search_skill import related
from runtime.store.search_words import Asked, rank_words
from runtime.store.snippets import snippet
from runtime.tokens.alternatives import alternatives
from runtime.tokens.glossary import Glossary, read_glossary
from runtime.tokens.query import query_terms, whole_phrase
from schemas.records import SearchHit

__all__ = ["CANDIDATES", "Scope", "by_skill_words", "search", "search_name"]

Answer = tuple[str, Found, Row]
"""What it was found by, how well, and the record."""


class Scope(NamedTuple):
    """Whose memories may be found."""

    project_key: str | None = None
    """Only this project's and global ones; None: all (the person's own search)."""


async def search(
    reader: Reader,
    query: str,
    limit: int,
    *,
    scope: Scope = Scope(),  # noqa: B008 - immutable
    min_share: float = MIN_SHARE,
    glossary: Glossary | None = None,
) -> list[SearchHit]:
    """
    Return the best hits, best first. Any text is a query; none raises.

    Words are also looked for by their meanings in *glossary*, None for the project's own.
    """
    return _hits(await reader.run(_found, query, limit, scope.project_key, min_share, glossary))


async def search_name(reader: Reader, text: str, limit: int, *, scope: Scope) -> list[SearchHit]:
    """Return hits that hold the whole of a name, in whatever way it is written."""
    return _hits(await reader.run(_answer, name(text), limit, scope.project_key))


def by_skill_words(
    connection: Connection, skill: str, arguments: str, limit: int, *, project_key: str
) -> list[SearchHit]:
    """
    Return hits about a skill's name, then about its arguments; each record once.

    For a reader's thread.
    """
    return _hits(_loaded(connection, related(connection, skill, arguments, limit, project_key)))


def _answer(
    connection: Connection, query: Query, limit: int, project_key: str | None
) -> list[Answer]:
    found = rank(Index(connection), query, limit, project_key)
    return _loaded(connection, [(query.text, hit) for hit in found])


def _found(
    connection: Connection,
    query: str,
    limit: int,
    project_key: str | None,
    min_share: float,
    glossary: Glossary | None,
) -> list[Answer]:
    known = _own_glossary() if glossary is None else glossary
    asked = Asked(query_terms(query).terms, alternatives(query, known), whole_phrase(query))
    found = rank_words(Index(connection), asked, limit, project_key, min_share)
    return _loaded(connection, [(query, hit) for hit in found])


_own_glossary = cache(read_glossary)


def _loaded(connection: Connection, found: Sequence[tuple[str, Found]]) -> list[Answer]:
    records = load(connection, [hit.row for _text, hit in found])
    return [(text, hit, records[hit.row]) for text, hit in found if hit.row in records]


WORKED_OUT: Final = frozenset({"date", "score", "share", "snippet"})
COLUMNS: Final = tuple(field for field in SearchHit.model_fields if field not in WORKED_OUT)
"""What a hit takes from its record as it is."""


def _hits(answers: Sequence[Answer]) -> list[SearchHit]:
    return [_hit(*answer) for answer in answers]


def _hit(text: str, found: Found, record: Row) -> SearchHit:
    date = record["date"]
    return SearchHit.model_validate(
        {
            **{column: record[column] for column in COLUMNS},
            "date": date[:10] if date else None,
            "score": round(found.score, 4),
            "share": round(found.share, 4),
            "snippet": snippet(record["content"], text),
        }
    )

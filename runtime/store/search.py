"""
Find memories and notes by words, beside other tasks.

A question runs as a whole in the reader's thread, in one state of the database;
what it found becomes records here.
"""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import NamedTuple

from runtime.days import local_day
from runtime.query import Asked, parse
from runtime.store.clock import utc, utc_now
from runtime.store.connection import Reader
from runtime.store.search_hits import Hit, Question, find, hits
from runtime.store.search_index import Common, Index
from runtime.store.search_ranking import CANDIDATES, MIN_SHARE, Query, name, rank
from runtime.store.search_skill import related
from runtime.tokens.glossary import Glossary
from schemas.search import SearchHit

__all__ = ["CANDIDATES", "Scope", "by_skill_words", "search", "search_name"]


class Scope(NamedTuple):
    """Whose memories may be found."""

    project_key: str | None = None
    """Only this project's and global ones; None: all (the person's own search)."""


async def search(
    reader: Reader,
    query: str | Asked,
    limit: int,
    *,
    scope: Scope = Scope(),  # noqa: B008 - immutable
    min_share: float = MIN_SHARE,
    glossary: Glossary | None = None,
) -> list[SearchHit]:
    """
    Return the best hits, best first. Any text is a query; none raises.

    A text is read as `runtime.query` has it. Words are also looked for by their
    meanings in *glossary*, None for the project's own.
    """
    asked = parse(query) if isinstance(query, str) else query
    today = local_day(utc(utc_now()))
    question = Question(asked, limit, today, glossary, scope.project_key, min_share)
    return _records(await reader.run(find, question))


async def search_name(reader: Reader, text: str, limit: int, *, scope: Scope) -> list[SearchHit]:
    """Return hits that hold the whole of a name, in whatever way it is written."""
    return _records(await reader.run(_answer, name(text), limit, scope.project_key))


def by_skill_words(
    connection: Connection,
    skill: str,
    arguments: str,
    limit: int,
    *,
    project_key: str,
    common: Common | None = None,
) -> list[SearchHit]:
    """
    Return hits about a skill's name, then about its arguments; each record once.

    Both are taken to the letter: they are no query of a person's. For a reader's
    thread.
    """
    found = related(connection, skill, arguments, limit, project_key, common)
    return _records(hits(connection, [(text, hit, 0) for text, hit in found]))


def _answer(connection: Connection, query: Query, limit: int, project_key: str | None) -> list[Hit]:
    found = rank(Index(connection, is_own=True), query, limit, project_key)
    return hits(connection, [(query.text, hit, 0) for hit in found])


def _records(found: Sequence[Hit]) -> list[SearchHit]:
    return [SearchHit.model_validate(hit._asdict()) for hit in found]

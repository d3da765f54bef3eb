"""
One question of a person's, from what was typed to what is shown.

Synchronous, over a plain connection, and without the packages that the rest of the
store needs: `runtime search` answers with it in a fraction of the time that loading
them takes.
"""

import json
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from runtime.days import local_day
from runtime.query import Asked
from runtime.store.search_filter import Where, narrowed, newest
from runtime.store.search_index import KINDS, Index, own
from runtime.store.search_order import Shown, grouped, ordered, outlines
from runtime.store.search_ranking import CANDIDATES, MIN_SHARE, Found
from runtime.store.search_records import load
from runtime.store.search_words import Asked as Terms
from runtime.store.search_words import rank_words
from runtime.store.snippets import answer_snippet, snippet
from runtime.tokens.alternatives import alternatives
from runtime.tokens.glossary import Glossary, read_glossary
from runtime.tokens.query import query_terms, whole_phrase

if TYPE_CHECKING:
    from sqlite3 import Connection, Row


WHOLE: Final = 0.999
"""Share of a record that holds all of a question's words."""
PART: Final = 0.5


Meaning = Callable[["Connection", Asked, Where | None, Sequence[Found]], list[Found]]
"""What is made of the hits that words have found, before they are put in order."""


class Question(NamedTuple):
    """What is asked, and by whom."""

    asked: Asked
    limit: int
    today: str
    """The local day."""
    glossary: Glossary | None = None
    """Words of one meaning; None for the project's own."""
    project_key: str | None = None
    """Only this project's memories and global ones; None: all."""
    min_share: float = MIN_SHARE
    is_all: bool = False
    """Records of one place, or of one text, each by itself."""
    meaning: Meaning | None = None
    """For the search by meaning, where somebody has switched that on."""


class Hit(NamedTuple):
    """One answer. The first seven are what scripts rely on, in this order."""

    id: int
    kind: str
    source: str
    heading: str
    date: str | None
    score: float
    snippet: str
    date_origin: str | None
    share: float
    more: int
    content: str
    project: str | None
    host: str | None
    tool: str | None
    target: str | None
    line: int | None
    is_pinned: bool
    revision: int | None
    """Of a permanent memory."""
    seen_at: str | None
    """When a permanent memory that is a copy of esa's was last seen there."""


def find(connection: "Connection", question: Question) -> list[Hit]:
    """Return the best hits, best first. Any question is one; none raises."""
    asked = question.asked
    where = narrowed(connection, asked)
    index = Index(connection, where)
    found, exact, words = _found(connection, index, question, where)
    if question.meaning is not None:
        found = question.meaning(connection, asked, where, found)
    records = outlines(connection, [hit.row for hit in found])
    found = [hit for hit in _whole_before_part(found, asked) if hit.row in records]
    found = ordered(found, exact, records, question.today)
    shown = (
        [Shown(hit) for hit in found[: max(0, question.limit)]]
        if question.is_all
        else grouped(found, records, max(0, question.limit))
    )
    looked_for = " ".join(asked.phrases) or asked.words
    turns = _turns(connection, [each.found.row for each in shown])
    context = _found_by_context(index, turns, words)
    return hits(connection, [(looked_for, *each) for each in shown], context)


def _found(
    connection: "Connection", index: Index, question: Question, where: Where | None
) -> tuple[list[Found], set[int], list[str]]:
    """
    Return what answers, best first, and the rows that hold the whole question as it stands.

    With both the expressions of the words that were looked for.
    """
    text = question.asked.text
    terms = query_terms(text).terms
    if not terms:
        rows = newest(connection, where, CANDIDATES) if where else []
        return [Found(row, 0.0, 1.0) for row in rows], set(), []
    known = _own_glossary() if question.glossary is None else question.glossary
    whole = whole_phrase(question.asked.shown)
    # A phrase is asked for by itself: what holds it is an answer, whatever else it lacks.
    min_share = 0.0 if where and where.match else question.min_share
    asked = Terms(terms, alternatives(text, known), whole)
    found = rank_words(index, asked, CANDIDATES, question.project_key, min_share)
    return found, {hit.row for hit in found if hit.is_exact}, [*terms, *asked.alternatives]


def _turns(connection: "Connection", rows: Sequence[int]) -> list[int]:
    """Return those of these rows that are turns with something said before them."""
    memories = [row // KINDS for row in rows if row % KINDS == 0]
    if not memories:
        return []
    return [row for (row,) in connection.execute(_TURNS, (json.dumps(memories),))]


_TURNS: Final = """
SELECT id * 4 FROM memories
WHERE id IN (SELECT value FROM json_each(?)) AND before IS NOT NULL
"""


def _found_by_context(index: Index, turns: Sequence[int], words: Sequence[str]) -> set[int]:
    """Return those of these turns that hold none of the words themselves: turns that answer."""
    if not (turns and words):
        return set()
    return set(turns).difference(index.rows_each(own(" OR ".join(words)), turns))


_own_glossary = cache(read_glossary)


def _whole_before_part(found: Sequence[Found], asked: Asked) -> list[Found]:
    """
    Where some record holds all of several words, leave out those that hold the lesser part.

    "deploy qa" is answered by what says both; where nothing does, by what says either.
    Words of scripts without spaces are cut into parts that are not the person's
    (サーバー is also サーバ), so of those a part says little.
    """
    several = asked.words.isascii() and len(asked.words.split()) > 1
    is_answered = several and any(hit.share >= WHOLE for hit in found)
    return [hit for hit in found if hit.share >= PART or not is_answered]


def hits(
    connection: "Connection",
    found: Sequence[tuple[str, Found, int]],
    found_by_context: Collection[int] = (),
) -> list[Hit]:
    """Return what is shown of rows, each with the text it was found by and what it stands for."""
    records = load(connection, [hit.row for _text, hit, _more in found])
    return [
        _hit(text, hit, more, records[hit.row], by_context=hit.row in found_by_context)
        for text, hit, more in found
        if hit.row in records
    ]


WORKED_OUT: Final = frozenset({"date", "score", "share", "snippet", "more", "is_pinned"})
COLUMNS: Final = tuple(field for field in Hit._fields if field not in WORKED_OUT)
"""What a hit takes from its record as it is."""


def _hit(text: str, found: Found, more: int, record: "Row", *, by_context: bool) -> Hit:
    before = record["before"] if by_context else None
    return Hit(
        **{column: record[column] for column in COLUMNS},
        date=local_day(record["date"]) if record["date"] else None,
        score=round(found.score, 4),
        share=round(found.share, 4),
        snippet=snippet(record["content"], text)
        if before is None
        else answer_snippet(before, record["content"], text),
        more=more,
        is_pinned=bool(record["is_pinned"]),
    )

"""Which rows are answers: told from sums over all rows, which the search avoids."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store import search_index
from runtime.store.search_index import KINDS, Common, Index
from runtime.store.search_ranking import CANDIDATES, Found, Query, name, rank, words
from runtime.tokens.index import index_tokens

SCHEMA = """
CREATE VIRTUAL TABLE search_index USING fts5 (tokens, content = '', tokenize = 'porter ascii');
CREATE TABLE memories (id INTEGER PRIMARY KEY, project_key TEXT, is_global INTEGER DEFAULT 0);
"""
Text = tuple[str, str | None]
"""Its words, and its project; None for a section of a note."""


@contextmanager
def indexed(*texts: Text) -> Generator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        connection.create_function("index_tokens", 1, index_tokens)
        for number, (text, project) in enumerate(texts, 1):
            row = number * KINDS + (project is None)
            connection.execute(
                "INSERT INTO search_index (rowid, tokens) VALUES (?, index_tokens(?))", (row, text)
            )
            if project is not None:
                values = (number, project, project == "all")
                connection.execute("INSERT INTO memories VALUES (?, ?, ?)", values)
        yield connection


def expected(texts: list[Text], query: Query, project: str | None) -> dict[int, float]:
    """Return the share of each row that is an answer, by looking at every row for every term."""
    holds = [set(text.split()) for text, _project in texts]
    terms = [term.strip('"') for term in query.terms]
    weights = {
        term: log(1 + (len(texts) + 10) / (sum(term in words for words in holds) + 1))
        for term in terms
    }
    total = sum(weights.values())
    found = {}
    for number, (words_of, (_text, owner)) in enumerate(zip(holds, texts, strict=True), 1):
        share = sum(weights[term] for term in terms if term in words_of) / total if total else 0
        if share and share >= query.min_share - 1e-9 and owner in (None, "all", project or owner):
            found[number * KINDS + (owner is None)] = share
    return found


WORDS = st.lists(st.sampled_from([f"w{letter}" for letter in "abcdefgh"]), max_size=8)
TEXTS = st.lists(
    st.tuples(WORDS.map(" ".join), st.sampled_from(["ours", "theirs", "all", None])), max_size=14
)


@given(TEXTS, WORDS.filter(bool), st.sampled_from([0.2, 0.4, 0.6, 0.9, 1.0]), st.booleans())
def test_answers_are_the_rows_that_hold_enough_of_the_query(
    texts: list[Text], asked: list[str], min_share: float, is_ours_alone: bool
) -> None:
    """Whatever is looked up first, and however much need not be looked up at all."""
    query = words(" ".join(asked), min_share)
    project = "ours" if is_ours_alone else None

    with indexed(*texts) as connection:
        found = rank(Index(connection), query, len(texts) + 1, project)

    shares = {hit.row: hit.share for hit in found}
    assert shares == pytest.approx(expected(texts, query, project))
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


@given(TEXTS, WORDS.filter(bool), st.sampled_from([0.2, 0.6, 1.0]), st.integers(-1, 4))
def test_a_limit_cuts_off_the_last_and_changes_nothing_else(
    texts: list[Text], asked: list[str], min_share: float, limit: int
) -> None:
    query = words(" ".join(asked), min_share)

    with indexed(*texts) as connection:
        every = rank(Index(connection), query, len(texts) + 1, None)
        some = rank(Index(connection), query, limit, None)

    assert [_plain(hit) for hit in some] == [_plain(hit) for hit in every[: max(0, limit)]]


@given(TEXTS, WORDS.filter(bool), st.sampled_from([0.2, 0.6, 1.0]), st.booleans())
def test_roughly_the_same_rows_are_found_in_the_same_order(
    texts: list[Text], asked: list[str], min_share: float, is_ours_alone: bool
) -> None:
    """Shares and scores may be left out, and what is chosen by them is chosen all the same."""
    query = words(" ".join(asked), min_share)
    project = "ours" if is_ours_alone else None

    with indexed(*texts) as connection:
        found = rank(Index(connection), query, 5, project)
        roughly = rank(Index(connection), query, 5, project, is_rough=True)

    assert [hit.row for hit in roughly] == [hit.row for hit in found]
    assert all(rough.share <= hit.share for rough, hit in zip(roughly, found, strict=True))


@given(TEXTS, WORDS.filter(bool), st.sampled_from([0, 1, 100]), st.sampled_from([0, 1, 100]))
def test_however_rows_are_looked_up_the_answers_are_the_same(
    texts: list[Text], asked: list[str], per_row: int, per_seek: int
) -> None:
    """All of a term's rows are read, or each row is sought, or they are compared by SQLite."""
    query = words(" ".join(asked), 0.4)

    with indexed(*texts) as connection, pytest.MonkeyPatch.context() as patched:
        usual = rank(Index(connection), query, len(texts) + 1, None)
        patched.setattr(search_index, "READ_PER_ROW", per_row)
        patched.setattr(search_index, "READ_PER_SEEK", per_seek)
        found = rank(Index(connection), query, len(texts) + 1, None)

    assert [_plain(hit) for hit in found] == [_plain(hit) for hit in usual]


def _plain(hit: Found) -> tuple[int, float, float]:
    return hit.row, hit.score, round(hit.share, 9)


def test_ones_own_is_found_behind_a_page_of_others() -> None:
    theirs: list[Text] = [("retry", "theirs")] * (CANDIDATES + 5)

    with indexed(*theirs, ("a long text on retry and more", "ours")) as connection:
        found = rank(Index(connection), name("retry"), 5, "ours")

    assert [hit.row for hit in found] == [(len(theirs) + 1) * KINDS]


def test_a_term_is_counted_once_however_many_queries_hold_it() -> None:
    statements: list[str] = []
    with indexed(("retry policy", None), ("policy", None)) as connection:
        index = Index(connection)
        connection.set_trace_callback(statements.append)
        rank(index, words("retry policy", 0.6), 5, None)
        rank(index, words("policy retry backoff", 0.6), 5, None)
        connection.set_trace_callback(None)

    counted = [statement for statement in statements if "count(*)" in statement]
    assert len(counted) == 3


def test_a_common_term_is_counted_again_when_the_index_has_grown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Until then the next question takes it from memory; a rare one is counted each time."""
    monkeypatch.setattr(search_index, "COMMON_ROWS", 100)
    common: Common = {}
    counts: list[tuple[int, int]] = []
    with indexed(*[("retry", None)] * 100, ("policy", None)) as connection:
        for number in (201, 202, 203, 204):
            index = Index(connection, common=common)
            counts.append((index.count('"retry"'), index.count('"policy"')))
            connection.execute(
                "INSERT INTO search_index (rowid, tokens) VALUES (?, 'retry policy')",
                (number * KINDS,),
            )

    assert counts == [(100, 1), (100, 2), (100, 3), (103, 4)]
    assert common == {'"retry"': (103, 104)}


def test_what_is_counted_up_to_the_cap_weighs_as_much_as_what_is_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_index, "POSTINGS_CAP", 3)
    with indexed(*[("policy retry", None)] * 5, *[("policy plan", None)] * 2) as connection:
        index = Index(connection)
        counts = [index.count(f'"{word}"') for word in ("policy", "retry", "plan", "none")]
        weights = [index.weight(f'"{word}"') for word in ("policy", "retry")]

    assert counts == [3, 3, 2, 0]
    assert weights[0] == weights[1]


def test_common_words_are_not_read_where_a_rare_one_decides() -> None:
    """Half of the store holds them: only the few rows that are left are looked at."""
    common: list[Text] = [("policy plan", None)] * 60
    statements: list[str] = []
    with indexed(*common, ("retry backoff policy", None)) as connection:
        index = Index(connection)
        connection.set_trace_callback(statements.append)
        found = rank(index, words("policy retry backoff plan", 0.6), 5, None)

    read = [text for text in statements if '"policy"' in text and "count(*)" not in text]
    assert [hit.row for hit in found] == [61 * KINDS + 1]
    assert read
    assert all("BETWEEN" in text or "wanted" in text for text in read)

import sqlite3
from contextlib import closing

import pytest

from runtime.mcp_servers import word_search
from runtime.mcp_servers.refusals import PatternError, QueryFailedError, QueryTooSlowError
from runtime.mcp_servers.registered import Database
from runtime.mcp_servers.word_search import pieces, search
from schemas.chiebukuro import Semantic

SEMANTIC = Semantic(content_table='odd "table"', content_column="body", source_column="from")


@pytest.fixture
def database(tmp_path):
    path = str(tmp_path / "some.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "odd ""table""" (body TEXT, "from" TEXT)')
        connection.executemany(
            'INSERT INTO "odd ""table""" VALUES (?, ?)',
            [
                ("Rubyの全文検索", "blog/a"),
                ("python full text search", "blog/b"),
                ("全文を読む", "wiki"),
                (None, "empty"),
            ],
        )
        connection.commit()
    return Database("some", path, "", SEMANTIC, is_ours=False)


@pytest.mark.parametrize(
    ("query", "sources"),
    [
        ("全文検索", ["blog/a", "wiki"]),
        ("ＰＹＴＨＯＮ", ["blog/b"]),
        ("全文 search", ["blog/a", "blog/b", "wiki"]),
        ("no such thing", []),
        ("%_' \"", []),
        ("", []),
    ],
)
def test_texts_are_ranked_by_the_pieces_that_they_hold(database, query, sources):
    found = search(database, SEMANTIC, query, 5, None)

    assert sorted(hit["source"] for hit in found) == sources
    assert [hit["distance"] for hit in found] == sorted(hit["distance"] for hit in found)


def test_the_nearest_comes_first_with_what_it_lacks(database):
    first, second = search(database, SEMANTIC, "全文検索", 5, None)

    assert (first["source"], first["distance"]) == ("blog/a", 0.0)
    assert (second["source"], second["distance"]) == ("wiki", 0.6667)
    assert len(search(database, SEMANTIC, "全文検索", 1, None)) == 1


def test_a_source_is_chosen_by_a_pattern(database):
    assert [hit["source"] for hit in search(database, SEMANTIC, "全文", 5, "^w")] == ["wiki"]
    with pytest.raises(PatternError):
        search(database, SEMANTIC, "全文", 5, "(")


def test_a_table_that_is_not_there_is_told(database):
    with pytest.raises(QueryFailedError):
        search(database, Semantic(), "全文", 5, None)


def test_a_search_that_takes_too_long_is_stopped(database, monkeypatch):
    monkeypatch.setattr(word_search, "LIMIT_S", -1)
    monkeypatch.setattr(word_search, "OPCODES", 1)

    with pytest.raises(QueryTooSlowError):
        search(database, SEMANTIC, "全文", 5, None)


def test_a_query_is_cut_into_words_and_pairs_each_once():
    assert pieces("FTS5 全文検索 fts5 寿司") == ["fts5", "全文", "文検", "検索", "寿司"]
    assert len(pieces("あいうえお" * 100)) <= word_search.MOST_PIECES

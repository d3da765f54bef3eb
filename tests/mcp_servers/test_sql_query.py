import json
import sqlite3
from pathlib import Path

import pytest

from runtime.mcp_servers import sql_query
from runtime.mcp_servers.budget import tokens
from runtime.mcp_servers.refusals import (
    DatabaseUnusableError,
    QueryFailedError,
    QueryTooSlowError,
    StatementRefusedError,
)
from runtime.mcp_servers.sql_query import MOST_ROWS, select

COUNTING = (
    "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a LIMIT {}) SELECT {} FROM a"
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A database of somebody's, with full text."""
    connection = sqlite3.connect(tmp_path / "some.db")
    connection.executescript(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, word TEXT, data BLOB);"
        "INSERT INTO t (word, data) VALUES ('設計', x'00ff'), ('plan', NULL);"
        "CREATE VIRTUAL TABLE f USING fts5 (word, tokenize = 'trigram');"
        "INSERT INTO f SELECT word FROM t;"
    )
    connection.close()
    return str(tmp_path / "some.db")


def ask(path: str, sql: str, budget: int = 10_000, **options):
    return select("some", path, sql, budget, **options)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT id, word FROM t", [{"id": 1, "word": "設計"}, {"id": 2, "word": "plan"}]),
        ("  with a as (select 1 as x) select x from a ;  ", [{"x": 1}]),
        ("SELECT rowid FROM f WHERE f MATCH 'pla'", [{"rowid": 2}]),
        ("SELECT name FROM pragma_table_info('t') LIMIT 1", [{"name": "id"}]),
        ("SELECT value FROM json_each('[3]')", [{"value": 3}]),
        ("SELECT data FROM t WHERE id = 1", [{"data": "[2 bytes]"}]),
        ("SELECT 1e999 AS x, NULL AS y", [{"x": "inf", "y": None}]),
        ("SELECT 1 AS x, 2 AS x, 3 AS x", [{"x": 1, "x:2": 2, "x:3": 3}]),
        ("SELECT 1 AS x WHERE 0", []),
        ("SELECT 1 AS x -- said why", [{"x": 1}]),
    ],
)
def test_a_query_gives_an_array_of_rows(path, sql, rows):
    answer = ask(path, sql)

    assert (json.loads(answer.text), answer.remark) == (rows, "")


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "DELETE FROM t",
        "INSERT INTO t (word) VALUES ('x')",
        "PRAGMA user_version",
        "VALUES (1)",
        "(SELECT 1)",
        "/* a */ SELECT 1",
        "SELECTED",
        "WITH a AS (SELECT 1) DELETE FROM t",
        "WITH a AS (SELECT 1) INSERT INTO t (word) SELECT 'x'",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE t",
        "SELECT load_extension('x')",
        "SELECT fts3_tokenizer('simple')",
        "SELECT * FROM pragma_integrity_check",
        "SELECT 1\0",
        "SELECT 1" + " " * 200_000 + "-- x",
    ],
)
def test_what_does_more_than_read_is_refused_and_nothing_changes(path, sql):
    before = Path(path).read_bytes()

    with pytest.raises(StatementRefusedError):
        ask(path, sql)

    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM nothing_there", "SELECT", "SELECT writefile('a', 1)"]
)
def test_a_query_that_fails_tells_where_to_look(path, sql):
    with pytest.raises(QueryFailedError) as caught:
        ask(path, sql)

    assert "schema://some" in str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT count(*) FROM a",
        COUNTING.format(10**9, "max(n)"),
    ],
)
def test_a_query_without_end_is_stopped(path, sql, monkeypatch):
    monkeypatch.setattr(sql_query, "LIMIT_S", 0.05)

    with pytest.raises(QueryTooSlowError) as caught:
        ask(path, sql)

    assert "chiebukuro_explain_query_some" in str(caught.value)


def test_a_value_cannot_fill_the_memory(path):
    with pytest.raises(QueryFailedError):
        ask(path, "SELECT hex(randomblob(900000000))")


def test_rows_have_a_limit_that_tells_how_to_go_on(path):
    answer = ask(path, COUNTING.format(MOST_ROWS + 1, "n"), 1_000_000)

    assert len(json.loads(answer.text)) == MOST_ROWS
    assert f"OFFSET {MOST_ROWS} goes on" in answer.remark
    assert ask(path, COUNTING.format(MOST_ROWS, "n"), 1_000_000).remark == ""


def test_an_answer_fits_and_tells_how_to_go_on(path):
    answer = ask(
        path, COUNTING.format(400, "n, hex(zeroblob(50)) AS z").replace("zero", "random"), 2000
    )

    rows = json.loads(answer.text)
    assert 1 < len(rows) < 400
    assert tokens(answer.text) <= 2000
    assert f"the first {len(rows)} rows" in answer.remark


@pytest.mark.parametrize("columns", [1, 3, 30])
def test_a_long_value_is_cut_where_it_is_said(path, columns):
    one = "replace(hex(randomblob(3000)), '0', '設')"
    names = ", ".join(f"{one} AS c{number}" for number in range(columns))

    answer = ask(path, f"SELECT {names}", 2000)

    (row,) = json.loads(answer.text)
    assert len(row) == columns
    assert all("of 6,000 characters]" in value for value in row.values())
    assert "substr(column" in answer.remark
    assert tokens(answer.text) <= 2 * 2000


def test_a_query_is_explained_and_not_run(path):
    answer = ask(path, "SELECT * FROM t WHERE id = 1", explain=True)

    (row,) = json.loads(answer.text)
    assert row["detail"].startswith("SEARCH t USING INTEGER PRIMARY KEY")


def test_line_ends_of_other_kinds_stay_within_their_string(path):
    """What is valid JSON on one line is cut by readers that know more ends of lines."""
    answer = ask(path, "SELECT 'a' || char(8232, 8233, 133, 12) || 'b' AS x")

    assert json.loads(answer.text) == [{"x": "a\u2028\u2029\x85\x0cb"}]
    assert len(answer.text.splitlines()) == 1


def test_text_that_is_no_utf_8_is_shown_as_far_as_it_is(path):
    answer = ask(path, "SELECT CAST(x'61ff62' AS TEXT) AS x")

    assert json.loads(answer.text) == [{"x": "a\ufffdb"}]


@pytest.mark.parametrize("name", ["none.db", "a\0b"])
def test_a_database_that_is_not_there_is_told(tmp_path, name):
    with pytest.raises(DatabaseUnusableError):
        ask(str(tmp_path / name), "SELECT 1")


def test_a_file_that_is_no_database_is_told(tmp_path):
    (tmp_path / "text").write_text("no database " * 100, encoding="utf-8")

    with pytest.raises(QueryFailedError):
        ask(str(tmp_path / "text"), "SELECT 1 FROM sqlite_master")

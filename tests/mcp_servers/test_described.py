"""What our database says of itself, under the rules by which chiebukuro-mcp reads it."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from runtime.mcp_servers.described import describe, hints, recipes, schema
from runtime.mcp_servers.refusals import QueryFailedError
from runtime.mcp_servers.sql_query import select
from runtime.store.store import open_store
from tests.migrations.make import make

SLOTS = {
    "source_like": "%",
    "from_date": "2000-01-01",
    "to_date": "2100-01-01",
    "limit": 5,
    "words": "retry",
    "id": 2,
    "session_id": "s",
    "tag": "tool_use",
}


@pytest.fixture
def ours(tmp_path: Path) -> str:
    """Our database with rows of every kind."""
    path = str(tmp_path / "memory.db")
    anyio.run(make, path)
    return path


@pytest.fixture
def recipe_rows(ours: str):
    with closing(sqlite3.connect(ours)) as connection:
        return connection.execute(
            "SELECT object_name, recipe_sql FROM _sqlite_mcp_meta WHERE object_type = 'recipe'"
        ).fetchall()


def as_the_original_reads(path: str, sql: str) -> list[dict[str, object]]:
    """
    Run a query by the documented rules of chiebukuro-mcp's own query tool.

    SELECT or WITH at the beginning, a read-only connection, rows as objects, as JSON: a BLOB
    would be an error.
    """
    assert sql.strip().upper().startswith(("SELECT", "WITH"))
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute(sql)]
    found: list[dict[str, object]] = json.loads(json.dumps(rows))
    return found


def filled(sql: str) -> str:
    return re.sub(
        r":(\w+)",
        lambda slot: f"'{value}'" if isinstance(value := SLOTS[slot[1]], str) else str(value),
        sql,
    )


def test_the_same_sql_gives_the_same_rows_there_and_here(ours, recipe_rows):
    queries = [filled(sql) for _name, sql in recipe_rows]
    queries += [
        "SELECT * FROM memories",
        "SELECT source, count(*) AS n FROM memories GROUP BY source",
        "SELECT * FROM _sqlite_mcp_meta",
        "SELECT m.id FROM memories m WHERE m.content LIKE '%期限%'",
        "SELECT rowid FROM search_index WHERE search_index MATCH 'retri'",
        "WITH a AS (SELECT max(created_at) AS at FROM memories) SELECT at FROM a",
    ]

    for sql in queries:
        there = as_the_original_reads(ours, sql)
        here = select("ours", ours, sql, 1_000_000)
        assert json.loads(here.text) == there, sql
        assert there, sql


def test_the_original_finds_what_it_needs(ours):
    """An absolute path to a table `memories` with an integer id, content, source, created_at."""
    with closing(sqlite3.connect(ours)) as connection:
        columns = {
            name: (kind, needed)
            for _n, name, kind, needed, *_rest in connection.execute("PRAGMA table_info(memories)")
        }
        meta = [row[1] for row in connection.execute("PRAGMA table_info(_sqlite_mcp_meta)")]

    assert columns["id"][0] == "INTEGER"
    assert all(columns[name] == ("TEXT", 1) for name in ("content", "source", "created_at"))
    assert "BLOB" not in {kind for kind, _needed in columns.values()}
    assert meta == [
        *("object_type", "object_name", "description"),
        *("hints_json", "recipe_sql", "recipe_label"),
    ]


def test_its_inspector_takes_memories_for_the_table_of_texts(ours):
    """It takes the first table by name whose definition holds "content" and is no index."""
    with closing(sqlite3.connect(ours)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%content%'"
            " AND name NOT LIKE '%_fts' AND name NOT LIKE '%_vec' ORDER BY name"
        ).fetchall()

    assert tables[0] == ("memories",)


def test_every_table_is_described_and_every_description_has_a_table(ours):
    with closing(sqlite3.connect(ours)) as connection:
        connection.row_factory = sqlite3.Row
        meta = describe(connection)
        tables = {
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        columns = {
            f"{table}.{row[1]}"
            for table in tables
            for row in connection.execute(f"PRAGMA table_info({table})")
        }

    own = {name for name in tables if not name.startswith(("search_index_", "sqlite_", "_sqlite"))}
    assert set(meta.tables) == own
    assert {*meta.columns, *meta.hints} <= columns
    assert meta.of_database


def test_our_resources_hold_what_the_database_says(ours):
    told = schema("ours", ours)

    assert "Read memories with deleted_at IS NULL" in told
    assert "## memories\n\nLong-term memories" in told
    assert recipes("ours", ours).count("```sql") == 9
    assert '- sample_values: ["session"' in hints("ours", ours)


@pytest.mark.parametrize("columns", ["object_type, object_name, description", ""])
def test_a_database_that_says_little_is_described_by_its_tables(tmp_path, columns):
    path = str(tmp_path / "some.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        if columns:
            connection.execute(f"CREATE TABLE _sqlite_mcp_meta ({columns})")
            connection.execute("INSERT INTO _sqlite_mcp_meta VALUES ('table', 't', 'Some x.')")
            connection.commit()

    told = schema("some", path)

    assert "CREATE TABLE t (x)" in told
    assert ("Some x." in told) == bool(columns)
    assert ("all that is known" in told) == (not columns)
    assert "None is written down" in recipes("some", path)
    assert hints("some", path).startswith("# Columns of some")


def test_damaged_hints_are_left_out(tmp_path):
    path = str(tmp_path / "some.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TABLE _sqlite_mcp_meta (object_type, object_name, description, hints_json)"
        )
        connection.executemany(
            "INSERT INTO _sqlite_mcp_meta VALUES ('column', ?, 'x', ?)",
            [("t.a", "{"), ("t.b", "[1]"), ("t.c", '{"note": "fine"}')],
        )
        connection.commit()

    assert hints("some", path).count("- ") == 1


def test_what_is_no_database_is_told(tmp_path):
    (tmp_path / "text").write_text("no database " * 100, encoding="utf-8")

    for tell in (schema, recipes, hints):
        with pytest.raises(QueryFailedError):
            tell("some", str(tmp_path / "text"))


async def test_an_older_store_is_described_once_it_is_opened(tmp_path):
    frozen = Path(__file__).parent.parent / "migrations" / "schema-1.db"
    path = shutil.copy(frozen, tmp_path / "old.db")
    async with open_store(str(path), 5):
        pass

    assert "deleted_at IS NULL" in await anyio.to_thread.run_sync(schema, "ours", str(path))

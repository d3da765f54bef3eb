import shutil
import sqlite3
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import StoreTooNewError
from runtime.events.query import Selection, select
from runtime.store.longterm import by_skill
from runtime.store.migrations import latest, statements, version
from runtime.store.note_files import known_files
from runtime.store.search import Scope, search
from runtime.store.store import open_store
from runtime.store.transcripts import get_mark
from runtime.store.vectors import number_of, vectors_of
from tests.migrations.make import (
    CHUNK,
    ENCODER,
    EVENT,
    MEMORIES,
    ORIGIN,
    PAYLOAD,
    VECTOR,
    VECTOR_TEXTS,
    make,
)
from tests.store.indexes import check_index

FROZEN = Path(__file__).parent.parent / "migrations"
SCRIPTS = sorted(
    (item for item in (resources.files("runtime.store") / "sql").iterdir()),
    key=lambda item: item.name,
)
VERSIONS = [int(item.name[:4]) for item in SCRIPTS]
RELEASED = sorted(int(path.stem.partition("-")[2]) for path in FROZEN.glob("schema-*.db"))
"""Versions that somebody's database may have: not all of them left this repository."""


def schema(path: Path) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    try:
        # A table that was renamed has other quotation marks.
        return connection.execute(
            "SELECT type, name, tbl_name, replace(sql, '\"', '''')"
            " FROM sqlite_master ORDER BY type, name"
        ).fetchall()
    finally:
        connection.close()


@pytest.fixture
def frozen(tmp_path: Path, request) -> Path:
    """A copy of the database that a version left behind."""
    return Path(shutil.copy(FROZEN / f"schema-{request.param}.db", tmp_path / "old.db"))


def test_every_version_has_a_script_and_every_released_one_a_frozen_database():
    assert list(range(1, latest() + 1)) == VERSIONS
    assert [RELEASED[0], RELEASED[-1]] == [1, latest()]


@pytest.mark.parametrize("frozen", RELEASED, indirect=True)
async def test_an_old_database_becomes_like_a_new_one(frozen: Path, tmp_path: Path):
    async with open_store(str(frozen), 5) as old:
        assert await version(old.connection) == latest()
    async with open_store(str(tmp_path / "new.db"), 5):
        pass

    assert schema(frozen) == schema(tmp_path / "new.db")


@pytest.mark.parametrize("frozen", RELEASED, indirect=True)
async def test_what_an_old_version_wrote_is_still_found(frozen: Path):
    async with open_store(str(frozen), 5) as store:
        connection = store.connection
        hits = [
            (await search(store.reader, query, 5, scope=Scope(ORIGIN.project_key)))[0].content
            for query in ("セッションの期限", "retry policy", "FTS5")
        ]
        runs = await store.reader.run(by_skill, "deploy", ORIGIN.project_key, 5)
        events = await select(connection, Selection())
        files = await store.reader.run(known_files)
        mark = await get_mark(connection, "/t.jsonl")

    assert hits == [MEMORIES[0].content, MEMORIES[1].content, CHUNK.content]
    assert [memory.content for memory in runs] == [MEMORIES[0].content]
    assert [(item.event, item.payload) for item in events] == [(EVENT, PAYLOAD)]
    assert list(files) == [CHUNK.source]
    assert mark is not None
    assert mark.offset == 7
    check_index(str(frozen))


async def test_the_maker_still_makes_what_the_frozen_database_holds(tmp_path: Path):
    await make(str(tmp_path / "again.db"))

    assert schema(tmp_path / "again.db") == schema(FROZEN / f"schema-{latest()}.db")


async def test_opening_twice_migrates_once(tmp_path: Path):
    path = tmp_path / "memory.db"
    async with open_store(str(path), 5):
        pass
    before = path.read_bytes()

    async with open_store(str(path), 5):
        pass

    assert path.read_bytes() == before


async def test_a_newer_database_is_left_alone(tmp_path: Path):
    path = tmp_path / "memory.db"
    async with open_store(str(path), 5) as store:
        await store.connection.execute(f"PRAGMA user_version = {latest() + 1}")

    with pytest.raises(StoreTooNewError) as caught:
        async with open_store(str(path), 5):
            pytest.fail("opened")

    assert (caught.value.found, caught.value.known) == (latest() + 1, latest())


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda item: item.name)
def test_a_script_s_statements_join_back_to_the_script(script):
    text = script.read_text("utf-8")

    found = statements(text)

    assert "\n".join(found) == text.rstrip("\n")
    assert all(sqlite3.complete_statement(statement) for statement in found)


STATEMENTS = st.sampled_from(
    [
        "CREATE TABLE t (\n    a TEXT, -- a; comment;\n    b TEXT\n);",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN\n    DELETE FROM t;\n    DELETE FROM t;\nEND;",
        "INSERT INTO t VALUES ('a;\nb;\n');",
        "-- a comment;\nDELETE FROM t;",
        "DELETE FROM t;   ",
    ]
)


@given(st.lists(STATEMENTS))
def test_any_script_is_cut_between_its_statements(script):
    assert statements("\n".join(script)) == script


async def test_vectors_that_an_old_version_wrote_are_still_read(tmp_path: Path):
    path = str(shutil.copy(FROZEN / f"schema-{RELEASED[-1]}.db", tmp_path / "old.db"))
    async with open_store(path, 5) as store:
        number = await store.reader.run(number_of, *ENCODER)
        assert number is not None
        found = await store.reader.run(vectors_of, number, list(VECTOR_TEXTS))

    assert found == dict.fromkeys(VECTOR_TEXTS, VECTOR)

import dataclasses
import sqlite3
from pathlib import Path

import anyio
import pytest

from runtime.doctor import store
from runtime.store import migrations
from runtime.store.connection import open_connection
from runtime.store.migrations import migrate
from schemas.stats import CaptureHealth
from tests.doctor.findings import level, one

EVENT = (
    "INSERT INTO events (id, name, session_id, received_at, outcome, reason, duration_ms, handlers,"
    " facts, payload_bytes) VALUES (?, 'Stop', 's', '2026-01-01', ?, ?, 1, '[]', '{}', 0)"
)


@pytest.fixture
def database(place):
    async def make():
        async with open_connection(place.home.database, 5) as connection:
            await migrate(connection, place.home.database)

    anyio.run(make)
    return place.home.database


def execute(path, statement, *values):
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)
    connection.close()


async def test_no_database_is_only_noted_and_none_is_made(place):
    rows = await store.check(place)

    assert level(rows, "store.file") == "note"
    assert not Path(place.home.database).exists()


async def test_a_fresh_database_is_fine(place, database):
    rows = await store.check(place)

    assert {row.finding.id: row.finding.level for row in rows} == {
        "store.file": "ok",
        "store.schema": "ok",
        "store.index": "ok",
    }


async def test_a_file_that_is_no_database_is_a_problem_and_stays(place):
    Path(place.home.database).write_bytes(b"no database, " * 1000)

    rows = await store.check(place)

    assert level(rows, "store.file") == "problem"
    assert Path(place.home.database).read_bytes().startswith(b"no database")


async def test_a_torn_page_is_a_problem(place, database):
    data = bytearray(Path(database).read_bytes())
    data[4096 * 2 : 4096 * 3] = b"\xff" * 4096
    Path(database).write_bytes(data)

    rows = await store.check(place)

    assert level(rows, "store.file") == "problem"


async def test_a_newer_schema_is_a_problem(place, database):
    execute(database, "PRAGMA user_version = 999")

    assert level(await store.check(place), "store.schema") == "problem"


async def test_an_older_schema_is_noted_and_left(place, database, monkeypatch):
    monkeypatch.setattr(migrations, "LATEST", migrations.LATEST + 1)

    assert level(await store.check(place), "store.schema") == "note"


async def test_another_programs_database_is_a_problem_and_stays(place):
    execute(place.home.database, "CREATE TABLE theirs (x)")
    before = Path(place.home.database).read_bytes()

    assert level(await store.check(place), "store.file") == "problem"
    assert Path(place.home.database).read_bytes() == before


async def test_a_database_that_somebody_holds_is_a_warning(place, database, monkeypatch):
    monkeypatch.setattr(store, "WAIT_S", 0.01)
    holder = sqlite3.connect(database)
    holder.execute("BEGIN IMMEDIATE")

    rows = await store.check(place)
    holder.close()

    assert [row.finding.level for row in rows if row.finding.id == "store.file"][-1] == "warning"


async def test_a_damaged_index_is_mended(place, database):
    execute(database, "DELETE FROM search_index_data")
    row = one(await store.check(place), "store.index")
    assert row.finding.level == "problem"

    await anyio.to_thread.run_sync(row.mend)

    assert level(await store.check(place), "store.index") == "ok"


async def test_databases_that_were_moved_aside_are_counted_without_their_companions(place):
    for suffix in ("1", "2", "2-wal", "2-shm"):
        Path(f"{place.home.database}.unreadable-{suffix}").touch()

    row = one(await store.check(place), "store.aside")

    assert row.finding.level == "warning"
    assert row.finding.saw.startswith("2 databases")


@pytest.mark.parametrize(
    ("failures", "expected"), [(0, "ok"), (1, "note"), (2, "note"), (3, "warning")]
)
async def test_three_failures_in_a_row_are_a_warning(place, database, failures, expected):
    execute(database, EVENT, "0", "ok", None)
    for number in range(failures):
        execute(database, EVENT, f"1{number}", "failed", "no transcript")

    row = one(await store.check(place), "capture.Stop")

    assert row.finding.level == expected
    assert ("no transcript" in row.finding.saw) is (failures > 0)


def test_a_secret_in_a_failures_reason_is_not_shown():
    key = "ghp_" + "x9Y8z7W6v5U4" * 3
    health = CaptureHealth(
        name="Stop", last_success_at=None, failures_since=5, last_error=f"with {key}"
    )

    assert key not in store.judge_capture(health).finding.saw


async def test_the_configured_database_is_the_one_that_is_looked_at(place, tmp_path):
    moved = place.settings.store.model_copy(update={"path": str(tmp_path / "other.db")})
    settings = place.settings.model_copy(update={"store": moved})

    rows = await store.check(dataclasses.replace(place, settings=settings))

    assert "other.db" in one(rows, "store.file").finding.saw

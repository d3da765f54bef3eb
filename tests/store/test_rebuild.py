import json
import sqlite3
import subprocess
import sys

import anyio
import pytest

from runtime.notes.book import refresh
from runtime.store import index_change, migrations, rebuild
from runtime.store.connection import open_connection, transaction

MEMORY = (
    "INSERT INTO memories (content, source, content_hash, created_at, key, updated_at, target,"
    " deleted_at) VALUES (?, 'session', '', '2026-01-01', ?, '2026-01-01', ?, ?)"
)
CHUNK = (
    "INSERT INTO note_chunks (source, ordinal, heading, heading_path, content, content_hash,"
    " start_line, end_line) VALUES ('a.md', ?, 'h', 'top > h', ?, '', 1, 2)"
)
DAMAGES = {
    "the index of segments and their blocks": (
        "DELETE FROM search_index_idx;"
        "UPDATE search_index_data SET block = zeroblob(10) WHERE id > 10"
    ),
    "every block, so that nothing is found and FTS5 sees no fault": (
        "UPDATE search_index_data SET block = zeroblob(10)"
    ),
    "its structure": "UPDATE search_index_data SET block = x'ffffffffffffffffffff' WHERE id = 10",
    "all its data": "DELETE FROM search_index_data",
    "its configuration": "DELETE FROM search_index_config",
    "one of its tables": "DROP TABLE search_index_idx",
    "the sizes of some records": "DELETE FROM search_index_docsize WHERE id < 100",
    "a record left behind": "INSERT INTO search_index_docsize (id, sz) VALUES (999, x'01')",
}


@pytest.fixture
def database(tmp_path):
    """A database with memories (some deleted, some with a target) and sections."""
    path = tmp_path / "memory.db"

    async def fill():
        async with open_connection(str(path), 5) as connection:
            await migrations.migrate(connection, str(path))
            await index_change.follow(connection, str(path))
            async with transaction(connection):
                for number in range(60):
                    deleted = "2026-02-02" if number % 7 == 0 else None
                    target = f"/src/file{number}.py" if number % 2 else None
                    text = f"commonword 記録 {number} 語彙"
                    await connection.execute(MEMORY, (text, str(number), target, deleted))
                    await connection.execute(CHUNK, (number, text))

    anyio.run(fill)
    return path


async def contents(path):
    """Return every (term, record, position) of the index."""
    async with open_connection(str(path), 5) as connection:
        await connection.execute(
            "CREATE VIRTUAL TABLE temp.vocab USING fts5vocab(main, search_index, instance)"
        )
        async with connection.execute("SELECT term, doc, offset FROM vocab") as cursor:
            return sorted(tuple(row) for row in await cursor.fetchall())


async def fault(path):
    async with open_connection(str(path), 5) as connection, transaction(connection):
        return await rebuild.find_fault(connection)


async def repair(path):
    async with open_connection(str(path), 5) as connection, transaction(connection):
        return await rebuild.repair(connection)


def damage(path, script):
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


async def test_a_sound_index_has_no_fault_and_is_left_alone(database):
    assert await fault(database) is None
    assert await repair(database) == 0


async def test_an_index_made_anew_is_what_the_triggers_would_have_made(database):
    before = await contents(database)

    async with open_connection(str(database), 5) as connection, transaction(connection):
        count = await rebuild.rebuild(connection)

    assert count == 60 - 9 + 60
    assert await contents(database) == before


@pytest.mark.parametrize("what", DAMAGES)
async def test_a_damaged_index_is_noticed_and_mended(database, what):
    before = await contents(database)
    damage(database, DAMAGES[what])

    assert await fault(database) is not None
    assert await repair(database) == 111
    assert await fault(database) is None
    assert await contents(database) == before


async def test_after_a_repair_the_triggers_still_keep_the_index(database):
    damage(database, DAMAGES["all its data"])
    await repair(database)

    async with open_connection(str(database), 5) as connection, transaction(connection):
        await connection.execute("DELETE FROM note_chunks WHERE ordinal < 30")
        await connection.execute(CHUNK, (99, "newword"))

    assert await fault(database) is None


async def test_of_two_that_saw_the_damage_only_the_first_rebuilds(database):
    damage(database, DAMAGES["every block, so that nothing is found and FTS5 sees no fault"])
    counts = []

    async def mend():
        counts.append(await repair(database))

    async with anyio.create_task_group() as group:
        group.start_soon(mend)
        group.start_soon(mend)

    assert sorted(counts) == [0, 111]


def schema(path):
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    connection.close()
    return set(rows)


class StoppedError(Exception):
    """Something ends the transaction."""


async def rebuild_and_stop(path):
    async with open_connection(str(path), 5) as connection, transaction(connection):
        await rebuild.rebuild(connection)
        raise StoppedError


@pytest.mark.parametrize("what", ["all its data", "one of its tables"])
async def test_a_rebuild_that_does_not_end_leaves_everything_as_it_was(database, what):
    before = await contents(database)
    with pytest.raises(StoppedError):
        await rebuild_and_stop(database)
    assert await contents(database) == before

    damage(database, DAMAGES[what])
    with pytest.raises(StoppedError):
        await rebuild_and_stop(database)
    assert await fault(database) is not None
    assert await repair(database) == 111
    assert await contents(database) == before


async def test_a_rebuild_makes_the_tables_and_triggers_of_a_new_store(database):
    before = schema(database)
    damage(database, DAMAGES["one of its tables"])
    await repair(database)

    assert schema(database) == before


@pytest.mark.process
def test_the_doctor_finds_what_sqlite_calls_sound_and_the_hits_come_back(
    product, cases_dir, tmp_path
):
    """Case S03: after this damage both pragmas say ok, and a search finds nothing."""
    environ = {"OBOEGAKI_NOTES_DIRS": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path)}
    product.environ.update(environ)
    (tmp_path / "mem.md").write_bytes((cases_dir / "S03" / "many.md").read_bytes())
    assert product.command("reindex").code == 0
    assert product.finds("commonword")

    database = product.home / "memory.db"
    script = cases_dir / "S03" / "corrupt.py"
    said = subprocess.run([sys.executable, script, database], capture_output=True, check=True)
    assert said.stdout.split() == [b"[('ok',)]", b"[('ok',)]"]
    assert not product.finds("commonword")

    seen = product.command("doctor", "--json")
    fixed = product.command("doctor", "--fix", "--json")

    assert seen.code == 1
    levels = {item["id"]: item["level"] for item in seen.json["findings"]}
    assert levels["store.index"] == "problem"
    assert levels["store.file"] == "ok"
    assert any("rebuilt the search index" in done for done in fixed.json["fixed"])
    assert product.finds("commonword")


@pytest.mark.process
def test_reindex_makes_a_damaged_index_anew(product, cases_dir, tmp_path):
    product.environ["OBOEGAKI_NOTES_DIRS"] = str(tmp_path / "notes")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mem.md").write_bytes((cases_dir / "S03" / "many.md").read_bytes())
    product.command("reindex")
    damage(product.home / "memory.db", DAMAGES["all its data"])

    ran = product.command("reindex", "--rebuild", "--json")

    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["rebuilt"] > 100
    assert product.finds("commonword")


async def test_an_empty_store_has_nothing_to_rebuild(app):
    await refresh(app.home, app.settings, app.opened)

    async with app.opened.transaction() as connection:
        assert await rebuild.find_fault(connection) is None
        assert await rebuild.rebuild(connection) == 0

import os
import sqlite3
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import anyio
import pytest

from runtime.errors import StoreLockedError, StoreUnusableError
from runtime.store.connection import open_connection, transaction
from runtime.store.store import open_store

SLOW = """
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
INSERT INTO t SELECT max(i) FROM n
"""

LEAVE = f"""
import sys, anyio, _thread, signal
from runtime.store.connection import open_connection, transaction

async def cancelled(path):
    async with open_connection(path, 5) as connection:
        await connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
        with anyio.move_on_after(0.1):
            async with transaction(connection):
                await connection.execute({SLOW!r})
        raise SystemExit(7)

async def connecting(path):
    with anyio.CancelScope() as scope:
        scope.cancel()
        async with open_connection(path, 5):
            pass
    raise SystemExit(7)

async def left(path, how):
    async with open_connection(path, 5) as connection:
        async with transaction(connection):
            await connection.execute("CREATE TABLE t (x)")
            if how == "return":
                return
            if how == "error":
                raise ValueError
            if how == "exit":
                raise SystemExit(7)
            if how == "interrupt":
                _thread.interrupt_main()
                await anyio.sleep_forever()

how, path = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
if how in ("cancelled", "connecting"):
    anyio.run(globals()[how], path)
anyio.run(left, path, how)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("return", 0),
        ("error", 1),
        ("exit", 7),
        ("interrupt", 1),
        ("cancelled", 7),
        ("connecting", 7),
    ],
)
def test_the_process_ends_however_a_connection_is_left(tmp_path: Path, how, code):
    """A connection that stays open hangs aiosqlite's thread, and with it the exit."""
    done = subprocess.run(
        [sys.executable, "-I", "-X", "dev", "-W", "error", "-c", LEAVE, how, str(tmp_path / "a")],
        capture_output=True,
        timeout=30,
        check=False,
    )

    assert (done.returncode in {code, -2, 130}) if how == "interrupt" else done.returncode == code
    assert b"ResourceWarning" not in done.stderr


async def test_a_cancelled_write_leaves_no_row_and_the_next_statement_does_not_wait(tmp_path):
    async with open_connection(str(tmp_path / "a.db"), 5) as connection:
        await connection.execute("CREATE TABLE t (x)")
        with anyio.move_on_after(0.05) as scope:
            async with transaction(connection):
                await connection.execute("INSERT INTO t VALUES (1)")
                await connection.execute(SLOW)

        # The slow statement would run for minutes.
        with anyio.fail_after(10):
            async with connection.execute("SELECT count(*) FROM t") as cursor:
                row = await cursor.fetchone()
            async with transaction(connection):
                await connection.execute("INSERT INTO t VALUES (2)")
        assert scope.cancelled_caught
        assert tuple(row) == (0,)
        assert not connection.in_transaction


async def test_a_write_that_is_cancelled_while_it_waits_holds_no_lock_afterwards(tmp_path):
    path = str(tmp_path / "a.db")
    async with open_connection(path, 5) as holder, open_connection(path, 1) as waiter:
        await holder.execute("CREATE TABLE t (x)")
        async with transaction(holder):
            with anyio.move_on_after(0.05) as scope:
                async with transaction(waiter):
                    pytest.fail("two writers at once")

        assert scope.cancelled_caught
        assert not waiter.in_transaction
        with anyio.fail_after(10):
            async with transaction(holder):
                await holder.execute("INSERT INTO t VALUES (1)")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
async def test_an_error_rolls_back(tmp_path, error):
    async with open_connection(str(tmp_path / "a.db"), 5) as connection:
        await connection.execute("CREATE TABLE t (x)")
        with pytest.raises(error):  # noqa: PT012 - the block is what fails
            async with transaction(connection):
                await connection.execute("INSERT INTO t VALUES (1)")
                raise error

        async with connection.execute("SELECT count(*) FROM t") as cursor:
            assert tuple(await cursor.fetchone()) == (0,)


async def test_a_commit_that_fails_is_rolled_back_and_does_not_block_the_next(tmp_path):
    async with open_connection(str(tmp_path / "a.db"), 5) as connection:
        await connection.execute("CREATE TABLE p (id INTEGER PRIMARY KEY)")
        await connection.execute(
            "CREATE TABLE t (p REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)"
        )
        with pytest.raises(sqlite3.IntegrityError):
            async with transaction(connection):
                await connection.execute("INSERT INTO t VALUES (1)")

        async with transaction(connection):
            await connection.execute("INSERT INTO p VALUES (2)")
        assert not connection.in_transaction


async def test_somebody_else_s_lock_is_waited_for_and_then_told(tmp_path):
    path = str(tmp_path / "a.db")
    async with (
        open_connection(path, 5) as holder,
        open_connection(path, 0.05) as waiter,
        transaction(holder),
    ):
        with pytest.raises(StoreLockedError) as caught:
            async with transaction(waiter, path):
                pytest.fail("two writers at once")

    assert (caught.value.path, caught.value.waited_s) == (path, 0.05)


async def test_a_new_database_belongs_to_its_owner_alone(tmp_path):
    path = tmp_path / "a.db"
    async with open_connection(str(path), 5) as connection:
        await connection.execute("CREATE TABLE t (x)")

        modes = {file.name: stat.S_IMODE(os.stat(file).st_mode) for file in tmp_path.iterdir()}

    assert modes == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}


async def test_the_connection_is_set_up(tmp_path):
    async with open_connection(str(tmp_path / "a.db"), 2.5) as connection:
        values = {}
        for name in (
            "journal_mode",
            "synchronous",
            "foreign_keys",
            "busy_timeout",
            "wal_autocheckpoint",
        ):
            async with connection.execute(f"PRAGMA {name}") as cursor:
                values[name] = (await cursor.fetchone())[0]

    assert values == {
        "journal_mode": "wal",
        "wal_autocheckpoint": 1000,
        "synchronous": 1,
        "foreign_keys": 1,
        "busy_timeout": 2500,
    }


@pytest.mark.parametrize("what", ["no folder", "a folder", "no database"])
async def test_what_cannot_be_opened_is_told(tmp_path, what):
    path = tmp_path / "a.db"
    if what == "no folder":
        path = tmp_path / "none" / "a.db"
    elif what == "a folder":
        path.mkdir()
    else:
        path.write_bytes(b"no database, but long enough to be read as the header of one" * 100)

    with pytest.raises(StoreUnusableError) as caught:
        async with open_store(str(path), 1):
            pytest.fail("opened")

    assert caught.value.path == str(path)


WRITTEN = "SELECT count(*) FROM meta WHERE value = 'x'"
WRITE = """
import sys, anyio
from runtime.store.store import open_store

async def write(path, name):
    async with open_store(path, 30) as store:
        for number in range(25):
            async with store.transaction() as connection:
                async with connection.execute("SELECT count(*) FROM meta") as cursor:
                    await cursor.fetchone()
                await connection.execute(
                    "INSERT INTO meta (name, value) VALUES (?, ?)", (f"{name}-{number}", "x")
                )

anyio.run(write, *sys.argv[1:])
"""


@pytest.mark.process
def test_eight_processes_that_meet_a_new_database_lose_no_write(tmp_path: Path):
    path = str(tmp_path / "memory.db")
    processes = [
        subprocess.Popen([sys.executable, "-I", "-c", WRITE, path, str(number)])
        for number in range(8)
    ]

    codes = [process.wait(60) for process in processes]

    connection = sqlite3.connect(path)
    count = connection.execute(WRITTEN).fetchone()
    connection.close()
    assert codes == [0] * 8
    assert count == (200,)


async def test_tasks_that_share_a_store_take_turns(tmp_path):
    async with open_store(str(tmp_path / "memory.db"), 5) as store:

        async def write(number):
            async with store.transaction() as connection:
                await connection.execute(
                    "INSERT INTO meta (name, value) VALUES (?, 'x')", (str(number),)
                )
                await anyio.lowlevel.checkpoint()

        async with anyio.create_task_group() as group:
            for number in range(20):
                group.start_soon(partial(write, number))

        async with store.connection.execute(WRITTEN) as cursor:
            assert tuple(await cursor.fetchone()) == (20,)

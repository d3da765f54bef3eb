"""The database: whether it is one, whether its index can be trusted, what it says of capture."""

import glob
import os
import sqlite3
from typing import Final

import anyio

from runtime.app import store_path
from runtime.doctor.check import Checked, Place, found
from runtime.errors import StoreLockedError, StoreUnreadableError, StoreUnusableError
from runtime.redact import redact
from runtime.store import migrations, rebuild
from runtime.store.capture_health import capture_health
from runtime.store.connection import Connection, open_connection, transaction
from runtime.text import one_line
from schemas.stats import CaptureHealth

WAIT_S: Final = 5.0
REASON_CHARS: Final = 120


async def check(place: Place) -> list[Checked]:
    """Look at the database file, its schema, its index and the record of events."""
    path = store_path(place.home, place.settings)
    rows = await anyio.to_thread.run_sync(_moved_aside, path)
    if not await anyio.to_thread.run_sync(os.path.isfile, path):
        return [*rows, found("store.file", "note", f"{path} is not there: nothing is stored yet")]
    try:
        async with open_connection(path, WAIT_S) as connection:
            return [*rows, *await _inside(connection, path)]
    except StoreUnreadableError:
        advice = "the next event moves it aside and begins a new one; restore a backup over it"
        saw = f"{path} is no SQLite database, or is damaged"
        return [*rows, found("store.file", "problem", saw, advice)]
    except StoreLockedError as error:
        return [*rows, found("store.file", "warning", str(error), "look again in a minute")]
    except StoreUnusableError as error:
        advice = "see to its folder's rights and space, or name another file in store.path"
        return [*rows, found("store.file", "problem", str(error), advice)]
    except sqlite3.Error as error:
        return [*rows, _damaged(path, str(error))]


async def _inside(connection: Connection, path: str) -> list[Checked]:
    rows = [await _file(connection, path)]
    version, known = await migrations.version(connection), migrations.latest()
    if version > known:
        saw = f"schema {version}, this version knows up to {known}"
        return [*rows, found("store.schema", "problem", saw, "upgrade oboegaki here")]
    if version < known:
        saw = f"schema {version} of {known}"
        return [*rows, found("store.schema", "note", saw, "the next event or command migrates it")]
    rows.append(found("store.schema", "ok", f"schema {version}"))
    rows.append(await _index(connection, path))
    health = await capture_health(connection)
    return [*rows, *map(judge_capture, health)]


async def _file(connection: Connection, path: str) -> Checked:
    async with connection.execute("PRAGMA quick_check(1)") as cursor:
        row = await cursor.fetchone()
    said = str(row[0]) if row else "nothing"
    if said == "ok":
        return found("store.file", "ok", f"{path}, quick_check says ok")
    return _damaged(path, said)


def _damaged(path: str, reason: str) -> Checked:
    saw = f"{path}: {one_line(reason, REASON_CHARS)}"
    advice = "stop the sessions, copy the file away, and try `sqlite3 memory.db .recover`"
    return found("store.file", "problem", saw, advice)


async def _index(connection: Connection, path: str) -> Checked:
    fault: str | None = None
    async with transaction(connection, path):
        fault = await rebuild.find_fault(connection)
    if fault is None:
        return found("store.index", "ok", "the search index is sound")
    return found(
        "store.index",
        "problem",
        f"the search index is damaged, searches find too little: {fault}",
        "`runtime doctor --fix`, or `runtime reindex --rebuild`",
        lambda: anyio.run(_repair, path),
    )


async def _repair(path: str) -> str:
    async with open_connection(path, WAIT_S) as connection, transaction(connection, path):
        count = await rebuild.repair(connection)
    return f"rebuilt the search index from {count} records"


def _moved_aside(path: str) -> list[Checked]:
    aside = sorted(
        other
        for other in glob.glob(glob.escape(path) + ".unreadable-*")
        if not other.endswith(("-wal", "-shm"))
    )
    if not aside:
        return []
    saw = f"{len(aside)} databases were unreadable and moved aside, the last is {aside[-1]}"
    return [found("store.aside", "warning", saw, "rescue what is in them, then delete them")]


def judge_capture(health: CaptureHealth) -> Checked:
    """Return the finding for one kind of event."""
    saw = f"last success {health.last_success_at or 'never'}"
    if health.failures_since:
        reason = one_line(redact(health.last_error or "no reason given"), REASON_CHARS)
        saw += f", {health.failures_since} failures since ({reason})"
    name = f"capture.{health.name}"
    if health.is_failing:
        advice = "`runtime events` and `runtime logs` show them"
        return found(name, "warning", saw, advice)
    return found(name, "note" if health.failures_since else "ok", saw)

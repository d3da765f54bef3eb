"""A database that is no longer there, no longer one, locked, or from the future."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.leftovers import stop_workers_below, until
from tests.worker.hooks import Hooks, assert_once, skill, written

pytestmark = pytest.mark.process

GARBAGE = b"this is no database " * 500


def overwrite(database: Path) -> None:
    """Write garbage into the file itself, as `cp` does."""
    with open(database, "r+b") as file:
        file.truncate(0)
        file.write(GARBAGE)


def replace(database: Path) -> None:
    """Put another file in its place, as `mv` does."""
    other = database.with_name("garbage")
    other.write_bytes(GARBAGE)
    other.rename(database)


def empty(database: Path) -> None:
    """Leave a file of no bytes."""
    with open(database, "r+b") as file:
        file.truncate(0)


@pytest.mark.parametrize("is_running", [True, False], ids=["worker runs", "none runs"])
@pytest.mark.parametrize("spoil", [overwrite, replace])
def test_garbage_is_moved_aside_and_capture_goes_on(
    hooks: Hooks, spoil: Callable[[Path], None], is_running: bool
) -> None:
    """The person keeps the file; the log says where it went."""
    database = Path(hooks.home.database)
    hooks.run(written("before"))
    hooks.drained()
    if not is_running:
        stop_workers_below(hooks.root)
    spoil(database)
    hooks.run(written("one"))
    hooks.run(written("two"))
    hooks.drained()

    aside = hooks.root.glob("memory.db.unreadable-*")
    kept = [path for path in aside if path.read_bytes() == GARBAGE]
    assert len(kept) == 1
    assert [line["to"] for line in hooks.logged("store_moved_aside")] == [str(kept[0])]
    assert_once(hooks, ["one", "two"])
    stop_workers_below(hooks.root)
    assert kept[0].read_bytes() == GARBAGE
    assert_once(hooks, ["one", "two"])


@pytest.mark.parametrize("take_away", [Path.unlink, empty], ids=["deleted", "emptied"])
def test_a_database_that_goes_while_the_worker_runs_is_made_anew(
    hooks: Hooks, take_away: Callable[[Path], None]
) -> None:
    """What comes afterwards is in the new one, also when the worker has left."""
    hooks.run(written("before"))
    hooks.drained()
    worker = hooks.served()
    take_away(Path(hooks.home.database))
    hooks.run(written("one"))
    hooks.run(written("two"))
    hooks.drained()
    assert hooks.workers == [worker]
    stop_workers_below(hooks.root)

    assert sorted(hooks.events()) == ["one", "two"]
    assert_once(hooks, ["one", "two"])


def test_a_restored_database_is_not_mixed_with_the_log_of_the_one_before(hooks: Hooks) -> None:
    """SQLite would replay a write-ahead log that lies beside a database into it."""
    database = Path(hooks.home.database)
    hooks.run(written("old"))
    hooks.drained()
    stop_workers_below(hooks.root)
    backup = database.read_bytes()
    for marker in ("lost-1", "lost-2"):
        hooks.run(written(marker))
    hooks.drained()
    restored = database.with_name("restored")
    restored.write_bytes(backup)
    restored.rename(database)
    hooks.run(written("new"))
    hooks.drained()
    stop_workers_below(hooks.root)

    assert hooks.events() == ["old", "new"]
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_locked_database_delays_and_loses_nothing(hooks: Hooks) -> None:
    """Another process writes for longer than the budget: hooks go on, the events wait."""
    hooks.configure("[store]\nbusy_timeout_s = 0.3\n")
    hooks.run(written("before"))
    hooks.drained()
    worker = hooks.served()
    markers = [f"locked-{number}" for number in range(10)]
    with closing(sqlite3.connect(hooks.home.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for marker in markers:
            hooks.run(written(marker))
        answer = hooks.run(skill("asked", "before"))
        until(lambda: hooks.logged("event_waits"))
        waiting = hooks.spooled()
        other.execute("ROLLBACK")
    hooks.drained()

    assert b"before" in answer
    assert len(waiting) >= len(markers)
    assert hooks.workers == [worker]
    assert_once(hooks, ["before", *markers])


def test_a_lock_outlasting_a_handler_leaves_no_transaction_open(hooks: Hooks) -> None:
    """The handler is cancelled while it waits for the lock; the next event finds it free."""
    notes = Path(hooks.home.notes)
    hooks.configure("[store]\nbusy_timeout_s = 3\n\n[hook]\nbudget_s = 0.2\n")
    hooks.run(written("before"))
    hooks.drained()
    worker = hooks.served()
    notes.mkdir(exist_ok=True)
    (notes / "note.md").write_text("# Note\n\ntext\n", encoding="utf-8")
    stop = {**written("stopped"), "hook_event_name": "Stop", "stop_hook_active": False}
    with closing(sqlite3.connect(hooks.home.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        hooks.run(stop)
        until(lambda: hooks.logged("handler_timed_out"))
        other.execute("ROLLBACK")
    hooks.run(written("after"))
    hooks.drained()

    assert hooks.workers == [worker]
    assert hooks.logged("event_waits") == []
    assert_once(hooks, ["before", "after"])
    assert hooks.events().count("stopped") == 1


def test_a_database_of_a_newer_version_lets_events_wait(hooks: Hooks) -> None:
    """This version must not touch it; the hooks' answer to that is silence."""
    hooks.run(written("before"))
    hooks.drained()
    stop_workers_below(hooks.root)
    with closing(sqlite3.connect(hooks.home.database)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute("PRAGMA user_version = 99")
    hooks.run(written("one"))
    hooks.run(written("two"))
    until(lambda: len(hooks.logged("event_waits")) > 1)
    waiting = hooks.spooled()
    stop_workers_below(hooks.root)
    with closing(sqlite3.connect(hooks.home.database)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    hooks.run(written("after"))
    hooks.drained()

    assert len(waiting) == 2
    assert_once(hooks, ["before", "one", "two", "after"])

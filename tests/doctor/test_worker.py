import json
import os
import socket
import time
from pathlib import Path

import pytest

from runtime import __version__
from runtime.doctor import worker
from runtime.locks import FileLock
from runtime.setting_sections import Worker
from runtime.sockets import ASK, KICK
from tests.doctor.findings import level, one


@pytest.fixture
def listening(place):
    """Somebody listens where the worker does, and holds its lock."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as kicks:
        here = os.getcwd()
        os.chdir(place.home.run)
        kicks.bind(KICK)
        os.chdir(here)
        with FileLock(place.home.drain_lock, 1):
            yield


def say_state(place, **state):
    Path(place.home.run, "worker.json").write_text(json.dumps(state), encoding="utf-8")


def starts(place, *ages_s):
    lines = "".join(f"{time.time() - age_s}\n" for age_s in ages_s)
    Path(place.home.run, "starts").write_text(lines, encoding="utf-8")


def test_no_worker_is_fine(place):
    rows = worker.check(place)

    assert {row.finding.level for row in rows} == {"ok"}


def test_a_home_without_its_folders_has_had_no_worker(place):
    os.rmdir(place.home.run)

    assert level(worker.check(place), "worker.state") == "note"


def test_a_worker_that_is_turned_off_is_noted(place):
    settings = place.settings.model_copy(update={"worker": Worker(enabled=False)})
    off = type(place)(place.home, settings)

    assert "turned off" in one(worker.check(off), "worker.state").finding.saw


@pytest.mark.parametrize(
    ("version", "expected"), [(__version__, "ok"), ("0.0.1", "note"), ("9.9", "note")]
)
def test_a_running_worker_is_named_with_its_version(place, listening, version, expected):
    say_state(place, pid=4711, version=version, since=time.time() - 7300)

    row = one(worker.check(place), "worker.state")

    assert row.finding.level == expected
    assert "4711 for 2 hours" in row.finding.saw


@pytest.mark.parametrize("text", [None, "", "[]", "{"])
def test_a_running_worker_without_a_state_is_a_warning(place, listening, text):
    if text is not None:
        Path(place.home.run, "worker.json").write_text(text, encoding="utf-8")

    assert level(worker.check(place), "worker.state") == "warning"


@pytest.mark.parametrize("locks", [worker.LOCKS, "/proc/none"])
def test_a_held_lock_without_a_listener_is_noted(place, monkeypatch, locks):
    """Linux has a table of locks; elsewhere the lock is tried."""
    monkeypatch.setattr(worker, "LOCKS", locks)
    with FileLock(place.home.drain_lock, 1):
        rows = worker.check(place)

    assert level(rows, "worker.state") == "note"


@pytest.mark.parametrize("locks", [worker.LOCKS, "/proc/none"])
def test_the_lock_is_free_again_after_the_look(place, monkeypatch, locks):
    monkeypatch.setattr(worker, "LOCKS", locks)
    Path(place.home.drain_lock).touch()

    assert level(worker.check(place), "worker.state") == "ok"

    with FileLock(place.home.drain_lock, 0):
        pass


@pytest.mark.parametrize(
    ("ages_s", "expected"),
    [((1, 2, 3, 4, 5), "problem"), ((1, 2, 3, 4, 500), "note"), ((1,), "note"), ((), "ok")],
)
def test_five_starts_within_a_minute_are_a_crash_loop(place, ages_s, expected):
    starts(place, *ages_s)

    assert level(worker.check(place), "worker.starts") == expected


def test_unreadable_notes_of_starts_are_none(place):
    Path(place.home.run, "starts").write_text("soon\n", encoding="utf-8")

    assert level(worker.check(place), "worker.starts") == "ok"


def test_sockets_of_a_dead_worker_are_removed(place):
    left = [Path(place.home.run, name) for name in (KICK, ASK)]
    for path in left:
        path.touch()
    row = one(worker.check(place), "worker.sockets")

    row.mend()

    assert not any(path.exists() for path in left)


def test_sockets_of_a_worker_that_has_started_meanwhile_stay(place):
    path = Path(place.home.run, KICK)
    path.touch()
    row = one(worker.check(place), "worker.sockets")

    with FileLock(place.home.drain_lock, 1):
        row.mend()

    assert path.exists()

"""Ids that tell another time, questions whose asker is dead, machines that slept."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from runtime import spool
from tests.leftovers import until
from tests.worker.hooks import Hooks, assert_once, written

pytestmark = pytest.mark.process

HOUR_NS = 3600 * 10**9


def leave(hooks: Hooks, name: str, marker: str) -> None:
    """Put an event into the spool under a name of our own, as a process that died has done."""
    payload = json.dumps(written(marker)).encode()
    spool.write(hooks.home.spool, spool.Captured(name, {"event": "PostToolUse"}, payload))


def test_ids_of_any_time_are_handled(hooks: Hooks) -> None:
    """The clock jumped back and forth, or somebody made the names up."""
    hooks.home.prepare()
    now = time.time_ns()
    names = {
        "future": f"{now + 100 * 24 * HOUR_NS:020d}-1",
        "past": f"{now - 100 * 24 * HOUR_NS:020d}-2",
        "epoch": f"{0:020d}-3",
        "last": f"{10**20 - 1:020d}-4",
        "long": f"{10**40}-5",
        "bare": "7",
        "future-ask": f"{now + HOUR_NS:020d}-6{spool.ASK}",
        "past-ask": f"{now - HOUR_NS:020d}-7{spool.ASK}",
    }
    for marker, name in names.items():
        leave(hooks, name, marker)
    hooks.run(written("now"))
    hooks.drained()

    assert_once(hooks, [*names, "now"])
    assert len(hooks.workers) == 1


def test_what_is_no_event_blocks_nothing(hooks: Hooks) -> None:
    """A folder, a link that leads nowhere, a file that is being written: they stay."""
    hooks.home.prepare()
    folder = Path(hooks.home.spool)
    (folder / "00000000000000000001-1").mkdir()
    (folder / "00000000000000000002-2").symlink_to("nowhere")
    (folder / "tmp-00000000000000000003-3").write_bytes(b"half of")
    hooks.run(written("one"))
    hooks.run(written("two"))
    until(lambda: sorted(hooks.events()) == ["one", "two"])

    assert_once(hooks, ["one", "two"])
    assert len(hooks.workers) == 1
    assert len(hooks.logged("worker_started")) == 1


def test_a_question_whose_asker_died_is_finished_by_the_worker(hooks: Hooks) -> None:
    """Nobody announces it: the worker looks by itself, when the asker cannot live any more."""
    hooks.run(written("one"))
    hooks.drained()
    worker = hooks.served()
    asked = time.time_ns() - int((spool.ASK_IS_OURS_S - 1) * 1e9)
    leave(hooks, f"{asked:020d}-1{spool.ASK}", "orphan")
    hooks.drained()

    assert_once(hooks, ["one", "orphan"])
    assert hooks.workers == [worker]


def test_a_machine_that_slept_goes_on(hooks: Hooks) -> None:
    """Everything stands still at once, hooks half-way through."""
    hooks.run(written("before"))
    hooks.drained()
    worker = hooks.served()
    processes = [hooks.start(written(f"sleep-{number}")) for number in range(8)]
    for pid in (worker, *(process.pid for process in processes)):
        os.kill(pid, signal.SIGSTOP)
    for pid in (*(process.pid for process in processes), worker):
        os.kill(pid, signal.SIGCONT)
    assert [process.communicate() for process in processes] == [(b"", b"")] * 8
    hooks.drained()

    assert [process.returncode for process in processes] == [0] * 8
    assert hooks.workers == [worker]
    assert_once(hooks, ["before", *(f"sleep-{number}" for number in range(8))])

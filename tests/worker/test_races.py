"""Many at once, and a worker that comes and goes: one serves at a time, nothing is lost."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import DEVNULL

import pytest

from runtime import __version__, sockets
from runtime.worker.server import is_newer
from tests.leftovers import until
from tests.worker.hooks import (
    PATIENCE_S,
    Hooks,
    Process,
    assert_once,
    session_start,
    skill,
    written,
)

pytestmark = pytest.mark.process


def by_hand(hooks: Hooks) -> Process:
    """Start a worker as a child of the test, whose end and exit code can be seen."""
    hooks.home.prepare()
    code = "from runtime.worker.main import main; main()"
    return subprocess.Popen([sys.executable, "-I", "-c", code, str(hooks.root)])


def test_of_many_hooks_at_once_one_starts_the_worker(hooks: Hooks) -> None:
    """24 find no worker; the one that gets the lock hands it over."""
    markers = [f"crowd-{number}" for number in range(24)]
    processes = [hooks.start(written(marker)) for marker in markers]
    assert [process.wait(PATIENCE_S) for process in processes] == [0] * 24
    hooks.drained()

    assert len(hooks.logged("worker_started")) == 1
    assert len(hooks.workers) == 1
    assert_once(hooks, markers)
    for process in processes:
        process.communicate()


def test_of_two_workers_started_by_hand_one_serves(hooks: Hooks) -> None:
    """The other finds the lock taken and leaves before it has imported anything."""
    workers = [by_hand(hooks), by_hand(hooks)]
    until(lambda: any(worker.poll() is not None for worker in workers))
    left = next(worker for worker in workers if worker.poll() is None)
    hooks.run(written("one"))
    hooks.drained()

    assert hooks.served() == left.pid
    assert len(hooks.logged("worker_started")) == 1
    assert_once(hooks, ["one"])
    left.terminate()
    assert [worker.wait(PATIENCE_S) for worker in workers] == [0, 0]


def test_a_worker_that_leaves_all_the_time_misses_nothing(hooks: Hooks) -> None:
    """Idle after 0.15 s: events meet it starting, serving, leaving and gone."""
    hooks.configure("[worker]\nidle_s = 0.15\n")
    chance = random.Random(7)
    makers = (written, written, skill, session_start)
    payloads = [chance.choice(makers)(f"idle-{number}") for number in range(60)]
    for payload in payloads:
        hooks.run(payload)
        time.sleep(chance.choice((0, 0, 0.05, 0.15, 0.3)))
    hooks.drained()
    hooks.gone()

    kept = [payload["session_id"] for payload in payloads if "tool_response" in payload]
    assert len(hooks.logged("worker_started")) > 1
    assert_once(hooks, kept)
    assert sorted(hooks.events()) == sorted(payload["session_id"] for payload in payloads)


def test_sockets_of_a_killed_worker_are_taken_over(hooks: Hooks) -> None:
    """They lie there and nobody listens."""
    hooks.run(written("one"))
    hooks.drained()
    killed = hooks.served()
    os.kill(killed, signal.SIGKILL)
    hooks.gone()
    hooks.run(written("two"))
    hooks.drained()

    assert hooks.served() != killed
    assert_once(hooks, ["one", "two"])


def test_a_stopped_worker_keeps_nobody_waiting(hooks: Hooks) -> None:
    """
    Questions are answered from the store, captured events wait in the spool.

    A hook that waited for the worker would never end here.
    """
    hooks.run(written("deploying-carefully"))
    hooks.drained()
    worker = hooks.served()
    os.kill(worker, signal.SIGSTOP)
    answer = hooks.run(skill("asked", "deploying-carefully"))
    markers = [f"stopped-{number}" for number in range(20)]
    for marker in markers:
        hooks.run(written(marker))
    waiting = hooks.spooled()
    os.kill(worker, signal.SIGCONT)
    hooks.drained()

    assert b"deploying-carefully" in answer
    assert len(waiting) == len(markers) + 1
    assert_once(hooks, markers)
    assert hooks.events().count("asked") == 1
    assert hooks.served() == worker


def test_a_worker_told_to_stop_finishes_what_it_has_accepted(hooks: Hooks) -> None:
    """Everything lies there before it can look at any of it; nobody comes afterwards."""
    worker = by_hand(hooks)
    hooks.served()
    hooks.run(written("first"))
    hooks.drained()
    worker.send_signal(signal.SIGSTOP)
    markers = [f"term-{number}" for number in range(30)]
    for marker in markers:
        hooks.run(written(marker))
    worker.send_signal(signal.SIGTERM)
    worker.send_signal(signal.SIGCONT)

    assert worker.wait(PATIENCE_S) == 0
    assert hooks.spooled() == []
    assert hooks.workers == []
    assert_once(hooks, markers)


def test_stopping_in_the_middle_of_a_storm_loses_nothing(hooks: Hooks) -> None:
    """Hooks that come while it leaves are its own or the next worker's, never both's."""
    worker = by_hand(hooks)
    hooks.served()
    processes = []
    for number in range(60):
        processes.append(hooks.start(written(f"storm-{number}"), stdout=DEVNULL, stderr=DEVNULL))
        if number == 30:
            worker.terminate()
    assert [process.wait(PATIENCE_S) for process in processes] == [0] * 60
    assert worker.wait(PATIENCE_S) == 0
    hooks.run(written("last"))
    hooks.drained()

    assert_once(hooks, [*(f"storm-{number}" for number in range(60)), "last"])


def test_a_newer_version_is_given_way_to(hooks: Hooks) -> None:
    """The worker leaves; whoever needs one next starts its own."""
    hooks.run(written("one"))
    hooks.drained()
    old = hooks.served()
    assert sockets.kick(hooks.home.run, b"99.0.0")
    hooks.gone()
    hooks.run(written("two"))
    hooks.drained()

    assert hooks.served() != old
    assert hooks.logged("worker_gives_way") != []
    assert_once(hooks, ["one", "two"])


@pytest.mark.parametrize(
    ("version", "is_later"),
    [
        (b"99.0.0", True),
        (b"0.0.1", False),
        (__version__.encode(), False),
        (b"", False),
        (b".", False),
        (b"\xff.\xb2.9", False),
        (b"x.9", False),
        (b"9" * 6000, False),
    ],
)
def test_only_a_whole_later_version_is_newer(version: bytes, is_later: bool) -> None:
    assert is_newer(version) is is_later


@pytest.mark.parametrize(
    "version", [b"", b"0.0.1", b"x" * 60_000, b"9" * 6000, b"\xff.\xb2.9", b"."]
)
def test_a_kick_that_is_no_newer_version_changes_nothing(hooks: Hooks, version: bytes) -> None:
    """The same worker goes on."""
    hooks.run(written("one"))
    worker = hooks.served()
    assert sockets.kick(hooks.home.run, version)
    hooks.run(written("two"))
    hooks.drained()

    assert hooks.workers == [worker]
    assert_once(hooks, ["one", "two"])


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="looks into /proc")
def test_the_worker_holds_on_to_nothing_of_the_hook(hooks: Hooks) -> None:
    """Claude Code waits for whoever holds a pipe of a hook; a session's end must not reach it."""
    reading, writing = os.pipe()
    hooks.run(written("one"), pass_fds=(writing,))
    os.close(writing)
    worker = hooks.served()
    streams = [os.readlink(f"/proc/{worker}/fd/{fd}") for fd in (0, 1, 2)]

    assert os.read(reading, 1) == b""
    assert streams == [os.devnull] * 3
    assert os.getsid(worker) == worker
    assert os.path.samefile(f"/proc/{worker}/cwd", hooks.home.run)
    environ = Path(f"/proc/{worker}/environ").read_bytes()
    assert b"OBOEGAKI_HOME" not in environ
    os.close(reading)

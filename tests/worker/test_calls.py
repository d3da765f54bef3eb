"""A hook calls the worker before it has read its event: what may happen in between."""

import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest

from runtime import sockets, spool
from runtime.launch import hook_command
from tests.leftovers import stop_workers_below, until
from tests.worker.hooks import PATIENCE_S, Hooks, Process, assert_once, skill, written

pytestmark = pytest.mark.process

NAME = "deploying-carefully"


@contextmanager
def listening(hooks: Hooks) -> Generator[socket.socket]:
    """Somebody who listens in the worker's place, while no worker runs."""
    stop_workers_below(hooks.root)
    hooks.gone()
    path = Path(hooks.home.run, sockets.ASK)
    path.unlink(missing_ok=True)
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as listener:
        listener.settimeout(PATIENCE_S)
        sockets._inside(hooks.home.run, listener.bind, sockets.ASK)
        listener.listen()
        yield listener
    path.unlink(missing_ok=True)


def begun(hooks: Hooks, event: str = "PreToolUse") -> Process:
    """Start a hook whose event has not come yet."""
    environ = {**os.environ, **hooks.environ}
    return subprocess.Popen(hook_command(event), stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environ)


def told(process: Process, marker: str) -> bytes:
    """Give a hook its event; return what it says."""
    event = json.dumps(skill(marker, NAME)).encode()
    out, err = process.communicate(event, timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, b"")
    return out


@pytest.fixture
def remembered(hooks: Hooks) -> Hooks:
    """Hooks over a home that knows something about a skill."""
    hooks.run(written(NAME))
    hooks.drained()
    hooks.served()
    return hooks


def test_a_hook_calls_before_its_event_has_come(remembered: Hooks) -> None:
    """It asks over the same connection, as it always did: an older worker knows no difference."""
    with listening(remembered) as listener:
        process = begun(remembered)
        line, _ = listener.accept()
        with closing(line):
            line.setblocking(False)
            with pytest.raises(BlockingIOError):
                line.recv(1)
            line.setblocking(True)
            assert process.stdin is not None
            process.stdin.write(json.dumps(skill("asked", NAME)).encode())
            process.stdin.flush()
            request = b""
            while sockets.unframe(request) is None:
                request += line.recv(1 << 16)
            spooled = remembered.spooled()
            line.sendall(sockets.frame(b"{}"))
            out, err = process.communicate(timeout=PATIENCE_S)

    name = (sockets.unframe(request) or b"").partition(b"\n")[0].decode()
    assert (out, err) == (b"{}", b"")
    assert spooled == [name]
    assert name.endswith(spool.ASK)


@pytest.mark.parametrize("has_accepted", [True, False], ids=["accepted", "not yet accepted"])
def test_a_worker_that_dies_between_call_and_question_costs_no_answer(
    remembered: Hooks, has_accepted: bool
) -> None:
    """The hook answers by itself, and the event is recorded once."""
    with ExitStack() as stack:
        listener = stack.enter_context(listening(remembered))
        process = begun(remembered)
        until(lambda: _is_called(listener))
        if has_accepted:
            listener.accept()[0].close()
        stack.close()
        answer = told(process, "asked")
    remembered.served()
    remembered.drained()

    assert NAME.encode() in answer
    assert remembered.events().count("asked") == 1


def _is_called(listener: socket.socket) -> bool:
    return bool(select.select([listener], [], [], 0)[0])


def test_a_worker_that_is_stopped_between_call_and_question_keeps_nobody_waiting(
    remembered: Hooks,
) -> None:
    """The kernel connects to it all the same, and the question meets its own deadline."""
    worker = remembered.served()
    process = begun(remembered)
    until(lambda: _has_called(process))
    os.kill(worker, signal.SIGSTOP)
    answer = told(process, "asked")
    os.kill(worker, signal.SIGCONT)
    remembered.drained()

    assert NAME.encode() in answer
    assert remembered.events().count("asked") == 1
    assert remembered.workers == [worker]


def _has_called(process: Process) -> bool:
    """Tell whether a hook has a socket, whose event has not come yet."""
    folder = f"/proc/{process.pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{fd}").startswith("socket:") for fd in os.listdir(folder))
    except FileNotFoundError:  # a descriptor that was closed meanwhile
        return False


def test_a_hook_that_waits_for_no_answer_does_not_call(remembered: Hooks) -> None:
    with listening(remembered) as listener:
        remembered.run(written("one"))
        assert not _is_called(listener)
    remembered.served()
    remembered.drained()

    assert_once(remembered, [NAME, "one"])


def test_callers_who_never_ask_harm_nobody(remembered: Hooks) -> None:
    """Some leave, some stay; questions are answered, and the worker leaves when it is told to."""
    worker = remembered.served()
    with ExitStack() as stack:
        for number in range(40):
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            sockets._inside(remembered.home.run, line.connect, sockets.ASK)
            if number % 2:
                line.close()
            else:
                stack.enter_context(line)
        answers = [remembered.run(skill(f"asked-{number}", NAME)) for number in range(3)]
        remembered.drained()
        os.kill(worker, signal.SIGTERM)
        remembered.gone()

    assert all(NAME.encode() in answer for answer in answers)
    asked = [name for name in remembered.events() if name.startswith("asked")]
    assert asked == ["asked-0", "asked-1", "asked-2"]


def test_64_that_ask_at_once_are_all_answered_once(remembered: Hooks) -> None:
    """By the worker or, where it does not come to it in time, by themselves."""
    processes = [remembered.start(skill(f"asked-{number}", NAME)) for number in range(64)]
    ended = [process.communicate(timeout=PATIENCE_S) for process in processes]
    remembered.drained()

    assert [(NAME.encode() in out, err) for out, err in ended] == [(True, b"")] * 64
    assert [process.returncode for process in processes] == [0] * 64
    asked = sorted(name for name in remembered.events() if name.startswith("asked"))
    assert asked == sorted(f"asked-{number}" for number in range(64))


def test_what_is_expected_of_a_question_is_not_told_to_another(remembered: Hooks) -> None:
    """A question of another project, or under other settings, gets its own answer."""
    here = remembered.run(skill("one", NAME))
    elsewhere = {"CLAUDE_PROJECT_DIR": str(remembered.root.parent)}
    other = remembered.run(skill("two", NAME), environ=elsewhere)
    again = remembered.run(skill("three", NAME))
    remembered.configure("[inject]\nenabled = false\n")
    silent = remembered.run(skill("four", NAME))
    remembered.drained()

    assert NAME.encode() in here
    assert (other, silent) == (b"", b"")
    assert again == here


@pytest.mark.parametrize("length", [10, 200], ids=["no worker", "a home too far down"])
def test_a_call_that_cannot_be_made_is_none(tmp_path: Path, length: int) -> None:
    """Where nobody listens, and where the way is longer than a socket's address."""
    folder = tmp_path / ("x" * length)
    folder.mkdir()

    assert sockets.call(str(folder)) is None


def test_a_call_waits_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for room in the queue of a worker that hangs."""
    monkeypatch.chdir(tmp_path)
    with (
        closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as listener,
        ExitStack() as all_,
    ):
        listener.bind(sockets.ASK)
        listener.listen(1)
        while (line := sockets.call(".")) is not None:
            all_.enter_context(closing(line))

"""Is a worker there, and how to start and stop one by hand."""

import contextlib
import json
import os
import signal
import time
from typing import Final

import structlog

from runtime import sockets
from runtime.locks import try_lock, unlock
from runtime.paths import FILE_MODE, Home
from runtime.worker.spawn import spawn
from schemas.worker import WorkerState

log = structlog.get_logger(__name__)

STATE_NAME: Final = "worker.json"
WAIT_S: Final = 10.0
LOOK_S: Final = 0.02


def status(home: Home) -> WorkerState | None:
    """
    Return who serves, None when nobody listens.

    The lock is not touched: a hook that found it taken for a moment would leave
    its event to a holder that does not look.
    """
    if not sockets.kick(home.run, b""):
        return None
    try:
        with open(os.path.join(home.run, STATE_NAME), encoding="utf-8") as file:
            return WorkerState.model_validate(json.load(file))
    except (OSError, ValueError):
        return None  # it is just starting


def write_state(home: Home, state: WorkerState) -> None:
    """
    Say who serves. Whoever served before is forgotten even if that fails.

    Not being known only keeps `stop` from working; serving does not depend on it.
    """
    path = os.path.join(home.run, STATE_NAME)
    temp = f"{path}.{state.pid}"
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        with open(fd, "w", encoding="utf-8") as file:
            file.write(state.model_dump_json())
        os.replace(temp, path)
    except OSError as error:
        log.warning("worker_state_unwritable", error=str(error))


def start(home: Home) -> WorkerState | None:
    """Start a worker unless one runs; wait until it listens. None when it does not."""
    lock = try_lock(home.drain_lock)
    if lock is not None:
        spawn(home.root, lock)
    until = time.monotonic() + WAIT_S
    while (now := status(home)) is None and time.monotonic() < until:
        time.sleep(LOOK_S)
    return now


def _settled(home: Home) -> WorkerState | None:
    """Return who serves; one that is only just starting is waited for."""
    until = time.monotonic() + WAIT_S
    while (now := status(home)) is None and time.monotonic() < until:
        lock = try_lock(home.drain_lock)
        if lock is not None:
            unlock(lock)
            return None
        time.sleep(LOOK_S)
    return now


def stop(home: Home) -> WorkerState | None:
    """Ask the worker to finish and leave; return it if it is still there after a while."""
    now = _settled(home)
    if now is None:
        return None
    os.kill(now.pid, signal.SIGTERM)
    until = time.monotonic() + WAIT_S
    while _is_alive(now.pid) and time.monotonic() < until:
        time.sleep(LOOK_S)
    return now if _is_alive(now.pid) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Tell whether a process has ended and only waits for its parent (Linux)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False

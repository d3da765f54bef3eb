"""The resident worker: running, starting, crashed, replaced."""

import json
import os
from functools import partial
from typing import Final

from runtime import __version__
from runtime.doctor.check import Checked, Place, age, found
from runtime.locks import try_lock, unlock
from runtime.paths import Home
from runtime.sockets import ASK, KICK, kick
from runtime.worker.spawn import STARTS_MAX, STARTS_WITHIN_S
from schemas.worker import WorkerState

STATE: Final = "worker.json"
LOCKS: Final = "/proc/locks"
"""Linux's table of locks: kind, process, and the file's device and inode."""


def check(place: Place) -> list[Checked]:
    """Look at the worker's lock, sockets, state and starts."""
    home = place.home
    if not os.path.isdir(home.run):
        return [found("worker.state", "note", "no worker has run yet")]
    is_listening = kick(home.run, b"")
    is_locked = is_listening or _is_locked(home)
    rows = [_state(place, is_listening=is_listening, is_locked=is_locked), _starts(place)]
    if not is_locked:
        rows += _stale(home)
    return rows


def _state(place: Place, *, is_listening: bool, is_locked: bool) -> Checked:
    if is_listening:
        return _running(place)
    if is_locked:
        saw = "the lock is held and nobody listens: a worker starts or leaves, or a command works"
        return found("worker.state", "note", saw, "if it stays so, end the process that holds it")
    if not place.settings.worker.enabled:
        return found("worker.state", "note", "turned off: each hook does its work itself")
    return found("worker.state", "ok", "none runs; the next event starts one")


def _running(place: Place) -> Checked:
    state = _read_state(place.home)
    if state is None:
        advice = "it has just started, or its state file is lost: then end it by hand"
        return found("worker.state", "warning", "one runs and does not say which", advice)
    lasts = age(place.now_s - state.since)
    saw = f"version {state.version} runs as process {state.pid} for {lasts}"
    if state.version != __version__:
        saw += f", this is {__version__}"
        return found("worker.state", "note", saw, "the next event of a newer version replaces it")
    return found("worker.state", "ok", saw)


def _read_state(home: Home) -> WorkerState | None:
    try:
        with open(os.path.join(home.run, STATE), encoding="utf-8") as file:
            return WorkerState.model_validate(json.load(file))
    except (OSError, ValueError):
        return None


def _starts(place: Place) -> Checked:
    try:
        with open(os.path.join(place.home.run, "starts"), "rb") as file:
            moments = [float(line) for line in file.read(4096).split()]
    except (OSError, ValueError):
        moments = []
    recent = [moment for moment in moments if 0 <= place.now_s - moment < STARTS_WITHIN_S]
    if len(recent) >= STARTS_MAX:
        saw = f"{len(recent)} starts within {STARTS_WITHIN_S:.0f} s and no work done: it crashes"
        return found("worker.starts", "problem", saw, "`runtime logs` says why; hooks go on alone")
    if moments:
        saw = f"{len(moments)} starts that did no work yet"
        return found("worker.starts", "note", saw, "`runtime logs` tells more if it stays so")
    return found("worker.starts", "ok", "no failed start")


def _stale(home: Home) -> list[Checked]:
    left = [name for name in (KICK, ASK) if os.path.lexists(os.path.join(home.run, name))]
    if not left:
        return []
    saw = f"nobody serves {' and '.join(left)}: a worker was killed"
    advice = "the next worker replaces them; `runtime doctor --fix` removes them now"
    return [found("worker.sockets", "note", saw, advice, partial(_remove, home))]


def _remove(home: Home) -> str:
    # Who holds the lock owns the sockets: a worker that has just begun keeps its own.
    lock = try_lock(home.drain_lock)
    if lock is None:
        return "left the sockets to the worker that has started"
    try:
        for name in (KICK, ASK):
            path = os.path.join(home.run, name)
            if os.path.lexists(path):
                os.unlink(path)
    finally:
        unlock(lock)
    return "removed the sockets of a dead worker"


def _is_locked(home: Home) -> bool:
    """
    Tell whether somebody holds the lock, without taking it where that is possible.

    A hook that found it taken for an instant would leave its event to a holder
    that does not look, until the next event comes.
    """
    try:
        inode = os.stat(home.drain_lock).st_ino
    except FileNotFoundError:
        return False
    try:
        with open(LOCKS, encoding="ascii", errors="replace") as file:
            return any("FLOCK" in line and f":{inode} " in line for line in file)
    except OSError:
        return _is_locked_when_tried(home)


def _is_locked_when_tried(home: Home) -> bool:
    lock = try_lock(home.drain_lock)
    if lock is None:
        return True
    unlock(lock)
    return False

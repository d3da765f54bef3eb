"""
While no worker runs: start one, and answer what is awaited. Standard library only.

A capture event needs nothing more, it lies in the spool. A question is answered
here, read-only, from what the worker left behind; when that is not enough the
caller does the work with the whole dispatcher.
"""

import posix as os  # what `os` adds costs a hook an eighth of its time

from runtime import spool
from runtime.locks import try_lock
from runtime.paths import NO, Home
from runtime.worker.spawn import may_start, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def take_care(home: Home, event: spool.Captured, tell: "Callable[[bytes], None]") -> bool:
    """
    Do what can be done without a worker. False when the caller must do it all.

    That is so where the worker is turned off or has crashed too often, and for a
    question whose answer cannot be had from here.
    """
    if not event.name or not is_enabled(home, event.facts):
        return False
    if not event.name.endswith(spool.ASK):
        return _start(home)
    answer = _answer(home, event)
    if answer is None:
        return False
    tell(answer)
    # Answered: from now on anybody may finish the event, the worker first of all.
    spool.release(home.spool, event)
    return _start(home)


def start_worker(home: Home, event: spool.Captured) -> None:
    """Start a worker for the events to come, where one may run."""
    if is_enabled(home, event.facts):
        _start(home)


def _answer(home: Home, event: spool.Captured) -> bytes | None:
    from runtime.reader import answer  # noqa: PLC0415 - capture events do not need it

    return answer(home, event)


def _start(home: Home) -> bool:
    """Start a worker unless somebody runs or is starting. False in a crash loop."""
    try:
        lock = try_lock(home.drain_lock)
    except FileNotFoundError:
        home.prepare()
        lock = try_lock(home.drain_lock)
    if lock is None:
        return True  # its holder will see our file
    if not may_start(home.run):
        os.close(lock)
        return False
    try:
        spawn(home.root, lock)
    except OSError:
        return False  # no more processes, or no memory
    return True


def is_enabled(home: Home, facts: dict[str, str]) -> bool:
    """
    Tell whether the worker may run: `worker.enabled`, as the settings would say.

    The environment wins. A file that cannot be read counts as enabled, as it does
    for the settings.
    """
    chosen = facts.get("env.OBOEGAKI_WORKER_ENABLED") or _from_config(home.config)
    return chosen.strip().lower() not in NO


def _from_config(path: str) -> str:
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return ""
    # The parser takes longer than all the rest of this process: only for those few
    # who set this at all. A key written with escapes is left to the worker itself.
    if b"enabled" not in text or b"worker" not in text:
        return ""
    import tomllib  # noqa: PLC0415

    try:
        worker = tomllib.loads(text.decode()).get("worker")
    except ValueError:  # both of bytes that are not UTF-8 and of text that is not TOML
        return ""
    value = worker.get("enabled") if isinstance(worker, dict) else None
    return "" if value is None else str(value)

"""
While no worker runs: start one, and answer what is awaited. Standard library only.

A capture event needs nothing more, it lies in the spool. A question is answered
here, read-only, from what the worker left behind; when that is not enough the
caller does the work with the whole dispatcher.
"""

import posix as os  # what `os` adds costs a hook an eighth of its time

from runtime import spool
from runtime.locks import try_lock
from runtime.paths import Home
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
    name = event.name.removesuffix(spool.ASK)
    os.rename(f"{home.spool}/{event.name}", f"{home.spool}/{name}")
    return _start(home) or True


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
    spawn(home.root, lock)
    return True


def is_enabled(home: Home, facts: dict[str, str]) -> bool:
    """
    Tell whether the worker may run: `worker.enabled`, read without a TOML parser.

    The environment wins. A form of TOML that is not understood here counts as
    enabled; the worker itself reads the settings properly and leaves.
    """
    chosen = facts.get("env.OBOEGAKI_WORKER_ENABLED")
    if chosen is None:
        chosen = _from_config(home.config)
    return chosen.strip().lower() not in ("false", "0", "no", "off", "f", "n")


def _from_config(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(1 << 20).split("\n")
    except OSError:
        return ""
    section = ""
    for line in lines:
        text = line.partition("#")[0].strip()
        if text.startswith("["):
            section = text.strip("[] ") + "."
        key, _, value = text.partition("=")
        if section + key.strip() in ("worker.enabled", ".worker.enabled"):
            return value
    return ""

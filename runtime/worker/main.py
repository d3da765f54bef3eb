"""The worker's process: take the lock over, configure, serve, leave."""

import fcntl
import os
import sys
from functools import partial

import anyio

from runtime.locks import try_lock
from runtime.paths import Home
from runtime.worker.spawn import LOCK_FD


def main() -> None:
    """Serve the home given as the first argument; the lock is on descriptor 3."""
    home = Home(sys.argv[1])
    os.umask(0o077)
    lock = _handed_over(home)
    if lock is not None:
        run(home, lock)


def run(home: Home, lock: int) -> None:
    """Serve until idle, asked to stop, or replaced by a newer version."""
    from runtime.worker.server import serve  # noqa: PLC0415 - the lock comes first
    from runtime.worker.warm import warm  # noqa: PLC0415

    warm()
    anyio.run(partial(serve, home, lock))


def _handed_over(home: Home) -> int | None:
    """Return the lock's descriptor; taken anew when none was handed over."""
    try:
        is_lock = os.path.samestat(os.fstat(LOCK_FD), os.stat(home.drain_lock))
    except OSError:
        is_lock = False
    if not is_lock:
        return try_lock(home.drain_lock)
    fcntl.fcntl(LOCK_FD, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    return LOCK_FD

"""
The dispatcher in the hook's own process.

Whoever gets the drain lock handles everything in the spool; a process that does
not get it may leave at once, since the holder looks again after letting go. So
there is one writer at a time, and an event that a crash left behind is finished
by whoever starts next. An event whose answer is awaited is handled by its own
process in any case.
"""

import os
import time
from functools import partial
from typing import Final

import anyio
import structlog

from runtime import logs, spool
from runtime.app import open_app_or_without_store
from runtime.context import AppContext
from runtime.locks import try_lock, unlock
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.settings import load
from runtime.spool import Captured

log = structlog.get_logger(__name__)

DRAIN_S: Final = 1.2
"""Time one hook spends on the events of others."""


def handle_inline(home: Home, event: Captured, *, is_asking: bool) -> bytes | None:
    """Handle the event here and now. Returns what to print."""
    return anyio.run(partial(_handle, home, event, is_asking=is_asking))


async def _handle(home: Home, event: Captured, *, is_asking: bool) -> bytes | None:
    loaded = load(home.config, os.environ)
    logs.configure(home, loaded.settings.logs)
    for problem in loaded.problems:
        log.warning("setting_ignored", problem=problem)
    async with open_app_or_without_store(home, loaded.settings) as app:
        if is_asking or not event.name:
            return await handle(event, app)
        await drain(app, DRAIN_S)
        return None


async def drain(app: AppContext, seconds: float) -> int:
    """
    Handle what lies in the spool, oldest first, unless somebody else does.

    Returns how many were handled. Stops when the time is up.
    """
    until, count = time.monotonic() + seconds, 0
    tried: set[str] = set()
    while True:
        fd = await anyio.to_thread.run_sync(try_lock, os.path.join(app.home.run, "drain.lock"))
        if fd is None:
            return count
        try:
            count += await _drain_once(app, until, tried)
        finally:
            unlock(fd)
        # Somebody may have written a file after the last look and found the lock
        # taken: it is ours to see that file.
        left = await anyio.to_thread.run_sync(spool.pending, app.home.spool)
        if not set(left) - tried or time.monotonic() > until:
            return count


async def _drain_once(app: AppContext, until: float, tried: set[str]) -> int:
    count = 0
    while names := [
        name
        for name in await anyio.to_thread.run_sync(spool.pending, app.home.spool)
        if name not in tried
    ]:
        for name in names:
            tried.add(name)
            event = await anyio.to_thread.run_sync(spool.read, app.home.spool, name)
            if event is not None:
                await handle(event, app)
                count += 1
            if time.monotonic() > until:
                return count
    return count

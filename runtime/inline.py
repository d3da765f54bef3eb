"""
The dispatcher in the hook's own process.

Whoever holds the drain lock handles everything in the spool; a process that
finds it taken may leave at once, since the holder looks again after letting go.
So there is one writer at a time, and an event that a crash left behind is
finished by whoever starts next. An event whose answer is awaited is handled by
its own process in any case.
"""

import os
import time
from collections.abc import Callable
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
from runtime.settings import Settings, load
from runtime.spool import Captured

log = structlog.get_logger(__name__)

DRAIN_S: Final = 1.2
"""Time one hook spends on the spool."""
LOCK_WAIT_S: Final = 1.0
"""A hook waits no longer for the database: its event is safe in the spool."""


def answer(home: Home, event: Captured, tell: Callable[[bytes], None]) -> None:
    """Handle one event now; its answer goes to `tell`."""
    anyio.run(partial(_answer, home, _settings(home), event, tell))


async def _answer(
    home: Home, settings: Settings, event: Captured, tell: Callable[[bytes], None]
) -> None:
    async with open_app_or_without_store(home, settings) as app:
        await handle(event, app, tell)


def drain_spool(home: Home, lock: int) -> None:
    """Handle what lies in the spool; the drain lock is held and given up here."""
    anyio.run(partial(_drain_spool, home, _settings(home), lock))


async def _drain_spool(home: Home, settings: Settings, lock: int) -> None:
    async with open_app_or_without_store(home, settings) as app:
        await drain(app, DRAIN_S, lock)


def _settings(home: Home) -> Settings:
    loaded = load(home.config, os.environ)
    settings = loaded.settings
    logs.configure(home, settings.logs)
    for problem in loaded.problems:
        log.warning("setting_ignored", problem=problem)
    wait_s = min(settings.store.busy_timeout_s, LOCK_WAIT_S)
    store = settings.store.model_copy(update={"busy_timeout_s": wait_s})
    return settings.model_copy(update={"store": store})


async def drain(app: AppContext, seconds: float, lock: int | None = None) -> int:
    """
    Handle what lies in the spool, oldest first, unless somebody else does.

    `lock` is the drain lock when the caller holds it already; it is released.
    Returns how many were handled. Stops when the time is up; what could not be
    committed is tried once.
    """
    until, count = time.monotonic() + seconds, 0
    tried: set[str] = set()
    while True:
        lock = (
            await anyio.to_thread.run_sync(try_lock, app.home.drain_lock) if lock is None else lock
        )
        if lock is None:
            return count
        try:
            await anyio.to_thread.run_sync(spool.sweep, app.home.spool)
            count += await _drain_once(app, until, tried)
        finally:
            unlock(lock)
            lock = None
        # Somebody may have written a file after the last look and found the lock
        # taken: it is ours to see that file.
        if time.monotonic() > until or not await _left(app, tried):
            return count


async def _drain_once(app: AppContext, until: float, tried: set[str]) -> int:
    count = 0
    while names := await _left(app, tried):
        for name in names:
            tried.add(name)
            count += await _handle_next(app, name)
            if time.monotonic() > until:
                return count
    return count


async def _left(app: AppContext, tried: set[str]) -> list[str]:
    names = await anyio.to_thread.run_sync(spool.pending, app.home.spool)
    # Without a store nothing can be finished: the newest event alone is worth
    # running, for what it does to files.
    return [name for name in (names if app.store else names[-1:]) if name not in tried]


async def _handle_next(app: AppContext, name: str) -> bool:
    """Handle one event of the spool; whatever is wrong with it, the next one is due."""
    try:
        event = await anyio.to_thread.run_sync(spool.read, app.home.spool, name)
        if event is not None:
            await handle(event, app)
    except Exception:
        # It stays where it is. The oldest is read first: raising would stop every hook here.
        log.exception("event_failed", event_id=name)
        return False
    return event is not None

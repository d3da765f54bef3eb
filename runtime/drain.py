"""
Handle what lies in the spool, oldest first.

Whoever holds the drain lock does this: the worker for its whole life, a hook
process where there is no worker, a command before it shows anything.
"""

import math
import time
from collections.abc import Awaitable, Callable

import anyio
import structlog

from runtime import spool
from runtime.context import AppContext
from runtime.locks import try_lock, unlock
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.redact import redact_bytes

log = structlog.get_logger(__name__)

ContextOf = Callable[[dict[str, str]], Awaitable[AppContext]]
"""Gives the context for the facts of an event."""


async def drain(
    home: Home, context_of: ContextOf, seconds: float, lock: int | None = None
) -> int | None:
    """
    Handle the spool unless somebody else does. Returns how many; None for not ours.

    `lock` is the drain lock when the caller holds it already; it is given up
    here. Stops when the time is up.
    """
    until, count = time.monotonic() + seconds, 0
    tried: set[str] = set()
    if lock is None:
        lock = await anyio.to_thread.run_sync(try_lock, home.drain_lock)
    while lock is not None:
        try:
            count += await drain_all(home, context_of, until, tried)
        finally:
            unlock(lock)
        # Somebody may have written a file after the last look and found the lock
        # taken: it is ours to see that file.
        if time.monotonic() > until or not await _left(home, tried):
            return count
        lock = await anyio.to_thread.run_sync(try_lock, home.drain_lock)
    return count or None


async def drain_all(
    home: Home,
    context_of: ContextOf,
    until: float = math.inf,
    tried: set[str] | None = None,
) -> int:
    """
    Handle events until none is left; the drain lock is held by the caller.

    What could not be committed stays and is tried once. Without a store nothing
    can be finished: then the newest event alone is run, for what it does to
    files.
    """
    tried, count = set() if tried is None else tried, 0
    await anyio.to_thread.run_sync(spool.sweep, home.spool)
    while names := await _left(home, tried):
        for name in names:
            tried.add(spool.event_id(name))
            count += await _handle_next(home, name, context_of, is_last=name == names[-1])
            if time.monotonic() > until:
                return count
    return count


async def _handle_next(home: Home, name: str, context_of: ContextOf, *, is_last: bool) -> bool:
    """Handle one event of the spool; whatever is wrong with it, the next one is due."""
    if spool.tries(name) >= spool.TRIES_MAX:
        await anyio.to_thread.run_sync(_give_up, home, name)
        return False
    try:
        event = await anyio.to_thread.run_sync(spool.read, home.spool, name)
        if event is None:
            return False
        context = await context_of(event.facts)
        if context.store is None and not is_last:
            return False
        if not await anyio.to_thread.run_sync(spool.begin, home.spool, event):
            return False
        await handle(event, context)
    except Exception:
        # It stays where it is, counted as a try.
        log.exception("event_failed", event_id=spool.event_id(name))
        return False
    return True


def _give_up(home: Home, name: str) -> None:
    """Bury an event that ended several processes, redacted: `runtime replay` has it."""
    log.error("event_given_up", event_id=spool.event_id(name), tries=spool.tries(name))
    event = spool.read(home.spool, name)
    if event is not None:
        spool.bury(home.dead, event.id, redact_bytes(event.payload))
        spool.finish(home.spool, event)


async def _left(home: Home, tried: set[str]) -> list[str]:
    names = await anyio.to_thread.run_sync(spool.pending, home.spool)
    return [name for name in names if spool.event_id(name) not in tried]

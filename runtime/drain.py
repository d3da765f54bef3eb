"""
Handle what lies in the spool, oldest first.

Whoever holds the drain lock does this: the worker for its whole life, a hook
process where there is no worker, a command before it shows anything.
"""

import os
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

import anyio
import structlog

from runtime import spool
from runtime.aside import Fate, rules_for
from runtime.context import AppContext
from runtime.locks import try_lock, unlock
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.redact import redact_bytes

log = structlog.get_logger(__name__)

ContextOf = Callable[[dict[str, str]], Awaitable[AppContext]]
"""Gives the context for the facts of an event."""


class Drained(NamedTuple):
    """What came of one run over the spool."""

    finished: int
    refused: frozenset[str]
    """Ids of events that stay for a reason of their own."""
    is_stuck: bool
    """The store cannot take anything now."""


async def drain(
    home: Home, context_of: ContextOf, seconds: float, lock: int | None = None
) -> int | None:
    """
    Handle the spool unless somebody else does. Returns how many; None for not ours.

    `lock` is the drain lock when the caller holds it already; it is given up
    here. Stops when the time is up.
    """
    until, count = time.monotonic() + seconds, 0
    refused: frozenset[str] = frozenset()
    if lock is None:
        lock = await anyio.to_thread.run_sync(try_lock, home.drain_lock)
    while lock is not None:
        try:
            done = await drain_all(home, context_of, refused, lambda: time.monotonic() > until)
        finally:
            unlock(lock)
        count, refused = count + done.finished, refused | done.refused
        # Somebody may have written a file after the last look and found the lock
        # taken: it is ours to see that file.
        if done.is_stuck or time.monotonic() > until or not await _left(home, refused):
            return count
        lock = await anyio.to_thread.run_sync(try_lock, home.drain_lock)
    return count or None


async def drain_all(
    home: Home,
    context_of: ContextOf,
    skip: frozenset[str] = frozenset(),
    is_over: Callable[[], bool] = lambda: False,
) -> Drained:
    """
    Handle events until none is left or `is_over`; the caller holds the drain lock.

    What fails for a reason of its own stays and is tried once. When it is the
    store that cannot take anything, nothing can be finished: then the newest
    event alone is run besides, for what it does to files.
    """
    count = 0
    await anyio.to_thread.run_sync(spool.sweep, home.spool)
    while names := await _left(home, skip):
        there = await anyio.to_thread.run_sync(os.listdir, home.spool)
        skip &= {spool.event_id(name) for name in there}
        for name in names:
            is_newest = name == names[-1]
            fate = await _handle_next(home, name, context_of, is_newest=is_newest)
            if fate is Fate.WAITS:
                if not is_newest:
                    await _handle_next(home, names[-1], context_of, is_newest=True)
                return Drained(count, skip, is_stuck=True)
            if fate is not Fate.DONE:
                skip |= {spool.event_id(name)}
            count += fate is Fate.DONE
            if is_over():
                return Drained(count, skip, is_stuck=False)
    return Drained(count, skip, is_stuck=False)


async def _handle_next(
    home: Home, name: str, context_of: ContextOf, *, is_newest: bool
) -> Fate | None:
    """Handle one file of the spool; None when there is nothing more to be done with it."""
    try:
        event = await anyio.to_thread.run_sync(spool.read, home.spool, name)
        if event is None:
            return None
        context = await context_of(event.facts)
        if spool.tries(name) >= spool.TRIES_MAX:
            rules = await rules_for(event, context)
            await anyio.to_thread.run_sync(
                partial(_give_up, home, event, is_private=rules.has_rules)
            )
            return None
        if context.store is None and not is_newest:
            return Fate.WAITS
        if not await anyio.to_thread.run_sync(spool.begin, home.spool, event):
            return None
        return await handle(event, context)
    except Exception:  # one file must not keep the others waiting, whatever it is
        # It stays where it is, counted as a try if it was begun.
        log.exception("event_failed", event_id=spool.event_id(name))
        return Fate.REFUSED


def _give_up(home: Home, event: spool.Captured, *, is_private: bool) -> None:
    """
    Bury an event that ended several processes, redacted: `runtime replay` has it.

    Not where it may be one to keep nothing of: reading it is what cannot be done.
    """
    log.error(
        "event_given_up", event_id=event.id, tries=spool.tries(event.name), is_kept=not is_private
    )
    if not is_private:
        spool.bury(home.dead, event.id, redact_bytes(event.payload))
    spool.finish(home.spool, event)


async def _left(home: Home, skip: frozenset[str]) -> list[str]:
    names = await anyio.to_thread.run_sync(spool.pending, home.spool)
    return [name for name in names if spool.event_id(name) not in skip]

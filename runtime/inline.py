"""
The dispatcher in the hook's own process.

The same pipeline as the worker's, for when there is none: turned off, or not
possible. An event whose answer is awaited is handled by its own process at
once; any other goes through the spool's drain.
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Final

import anyio

from runtime.contexts import Contexts
from runtime.drain import drain
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.spool import Captured

DRAIN_S: Final = 1.2
"""Time one hook spends on the spool."""
LOCK_WAIT_S: Final = 1.0
"""A hook waits no longer for the database: its event is safe in the spool."""


def answer(home: Home, event: Captured, tell: Callable[[bytes], None]) -> None:
    """Handle one event now; its answer goes to `tell`."""
    anyio.run(partial(_answer, home, event, tell))


async def _answer(home: Home, event: Captured, tell: Callable[[bytes], None]) -> None:
    async with AsyncExitStack() as stack:
        contexts = Contexts(home, stack, busy_timeout_max_s=LOCK_WAIT_S)
        await handle(event, await contexts.of(event.facts), tell)


def drain_spool(home: Home, lock: int) -> None:
    """Handle what lies in the spool; the drain lock is held and given up here."""
    anyio.run(partial(_drain_spool, home, lock))


async def _drain_spool(home: Home, lock: int) -> None:
    async with AsyncExitStack() as stack:
        contexts = Contexts(home, stack, busy_timeout_max_s=LOCK_WAIT_S)
        await drain(home, contexts.of, DRAIN_S, lock)

"""
The dispatcher in the hook's own process.

The same pipeline as the worker's, for when there is none: turned off, or not
possible. An event whose answer is awaited is handled by its own process at
once; any other goes through the spool's drain.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final

import anyio

from runtime.contexts import Contexts
from runtime.drain import drain
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.spool import Captured
from runtime.store.checkpoint import LONG_BYTES

DRAIN_S: Final = 1.2
"""Time one hook spends on the spool."""
LOCK_WAIT_S: Final = 1.0
"""A hook waits no longer for the database: its event is safe in the spool."""


def answer(
    home: Home, event: Captured, tell: Callable[[bytes], None], leave: Callable[[], None]
) -> None:
    """Handle one event now; its answer goes to `tell`. `leave` ends the process."""
    anyio.run(partial(_answer, home, event, tell, leave))


async def _answer(
    home: Home, event: Captured, tell: Callable[[bytes], None], leave: Callable[[], None]
) -> None:
    async with _contexts(home, leave) as contexts:
        await handle(event, await contexts.of(event.facts), tell)


def drain_spool(home: Home, lock: int, leave: Callable[[], None]) -> None:
    """
    Handle what lies in the spool; the drain lock is held and given up here.

    `leave` ends the process.
    """
    anyio.run(partial(_drain_spool, home, lock, leave))


async def _drain_spool(home: Home, lock: int, leave: Callable[[], None]) -> None:
    async with _contexts(home, leave) as contexts:
        await drain(home, contexts.of, DRAIN_S, lock)


@asynccontextmanager
async def _contexts(home: Home, leave: Callable[[], None]) -> AsyncGenerator[Contexts]:
    """
    Open contexts; leave when the work is done, mostly without closing what was opened.

    Whoever closes a database last copies the log of its changes into it and waits
    for the disk several times, which takes longer than the event's own work. All
    that was committed is in that log; a hook that is killed leaves it the same way.
    But only a close makes it short again (one hook in some twenty): what each such
    hook finds there it has to read, and only adds to.
    """
    async with AsyncExitStack() as stack:
        contexts = Contexts(home, stack, busy_timeout_max_s=LOCK_WAIT_S)
        yield contexts
        if await anyio.to_thread.run_sync(contexts.log_bytes) <= LONG_BYTES:
            leave()

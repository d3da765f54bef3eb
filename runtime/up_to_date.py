"""The store with everything in it that was captured: what lies in the spool is finished first."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Final, TypeVar

import anyio

from runtime.app import open_app
from runtime.context import AppContext
from runtime.contexts import Contexts
from runtime.drain import drain
from runtime.paths import Home
from runtime.settings import Settings
from runtime.sockets import kick
from runtime.spool import pending

T = TypeVar("T")
DRAIN_S: Final = 60.0
"""Who asks may wait: what is shown should hold everything that was captured."""
WORKER_S: Final = 5.0
"""As long one waits for the worker to finish what lies in the spool."""
LOOK_S: Final = 0.02


async def work_up_to_date(
    home: Home, settings: Settings, work: Callable[[AppContext], Awaitable[T]]
) -> T:
    """Run the work on the opened store when the spool is empty. Raises ExpectedError."""
    async with AsyncExitStack() as stack:
        # Each event with the settings of its own hook process, not with the caller's.
        contexts = Contexts(home, stack)
        is_ours = await drain(home, contexts.of, DRAIN_S) is not None
    if not is_ours:
        await anyio.to_thread.run_sync(kick, home.run, b"")
        with anyio.move_on_after(WORKER_S):
            while await anyio.to_thread.run_sync(pending, home.spool):  # noqa: ASYNC110
                await anyio.sleep(LOOK_S)
    async with open_app(home, settings) as app:
        return await work(app)

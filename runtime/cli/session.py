"""What every command that touches the store does first."""

import os
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import TypeVar

import anyio

from runtime import logs
from runtime.app import open_app, prepared_home
from runtime.context import AppContext
from runtime.contexts import Contexts
from runtime.drain import drain
from runtime.paths import Home
from runtime.settings import Settings, load, require
from runtime.sockets import kick
from runtime.spool import pending

T = TypeVar("T")
DRAIN_S = 60.0
"""A command may wait: what it shows should hold everything that was captured."""
WORKER_S = 5.0
"""As long a command waits for the worker to finish what lies in the spool."""
LOOK_S = 0.02


def with_app(work: Callable[[AppContext], Awaitable[T]]) -> T:
    """
    Run the work with the person's home opened; what lies in the spool is finished first.

    Raises ExpectedError. What reads files comes before the event loop.
    """
    home = prepared_home(os.environ)
    settings = require(load(home.config, os.environ))
    logs.configure(home, settings.logs)
    return anyio.run(partial(_with_app, home, settings, work))


async def _with_app(
    home: Home, settings: Settings, work: Callable[[AppContext], Awaitable[T]]
) -> T:
    async with AsyncExitStack() as stack:
        # Each event with the settings of its own hook process, not with the command's.
        contexts = Contexts(home, stack)
        is_ours = await drain(home, contexts.of, DRAIN_S) is not None
    if not is_ours:
        await anyio.to_thread.run_sync(kick, home.run, b"")
        with anyio.move_on_after(WORKER_S):
            while await anyio.to_thread.run_sync(pending, home.spool):  # noqa: ASYNC110
                await anyio.sleep(LOOK_S)
    async with open_app(home, settings) as app:
        return await work(app)

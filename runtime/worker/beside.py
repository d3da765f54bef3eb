"""An event loop in a thread of its own, beside the one that started it."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import anyio


async def run_beside(function: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """
    Run an async function in a loop and thread of its own.

    Cancelled, this sets the event that the function was given, which is to end it then,
    and waits until it has. Raises what the function raises.
    """
    leave = asyncio.Event()
    loop = asyncio.new_event_loop()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(function(leave))

    async def run_in_thread() -> None:
        with anyio.CancelScope(shield=True):  # else a loop that never runs is never closed
            await anyio.to_thread.run_sync(run)

    async with anyio.create_task_group() as group:
        group.start_soon(run_in_thread)
        try:
            await anyio.sleep_forever()
        finally:
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(leave.set)

"""A loop in a thread of its own: it ends when it has finished, and its faults are seen."""

import asyncio
import threading

import anyio
import pytest

from runtime.worker.beside import run_beside

PATIENCE_S = 30


async def test_it_runs_in_another_thread_and_finishes_before_it_leaves() -> None:
    began, done = threading.Event(), list[str]()

    async def function(leave: asyncio.Event) -> None:
        done.append("here" if threading.current_thread() is main else "beside")
        began.set()
        await leave.wait()
        await asyncio.sleep(0)
        done.append("finished")

    main = threading.current_thread()
    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(run_beside, function)
            assert await anyio.to_thread.run_sync(began.wait, PATIENCE_S)
            group.cancel_scope.cancel()

    assert done == ["beside", "finished"]


async def test_what_it_raises_is_raised() -> None:
    async def function(_leave: asyncio.Event) -> None:
        msg = "of the other thread"
        raise LookupError(msg)

    with anyio.fail_after(PATIENCE_S), pytest.raises(ExceptionGroup) as caught:
        await run_beside(function)

    assert caught.group_contains(LookupError, match="of the other thread")


async def test_what_is_cancelled_at_once_ends_all_the_same() -> None:
    async def function(leave: asyncio.Event) -> None:
        await leave.wait()

    with anyio.fail_after(PATIENCE_S):
        async with anyio.create_task_group() as group:
            group.start_soon(run_beside, function)
            group.cancel_scope.cancel()

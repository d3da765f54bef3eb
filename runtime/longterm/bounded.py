"""Blocking calls that may never return: a cloud that does not answer."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.from_thread
import anyio.lowlevel

Result = TypeVar("Result")
Args = TypeVarTuple("Args")


async def run_bounded(seconds: float, function: Callable[[*Args], Result], *args: *Args) -> Result:
    """
    Return what a blocking function gives. Raises TimeoutError when it takes longer.

    Its thread is a daemon: abandoned, it keeps neither the caller nor the end of
    the process waiting.
    """
    done = anyio.Event()
    outcome: list[tuple[Result | None, BaseException | None]] = []
    token = anyio.lowlevel.current_token()

    def work() -> None:
        try:
            outcome.append((function(*args), None))
        except BaseException as error:  # noqa: BLE001 - handed to the caller
            outcome.append((None, error))
        with suppress(Exception):  # nobody waits any more, and the loop may be closed
            anyio.from_thread.run_sync(done.set, token=token)

    threading.Thread(target=work, daemon=True).start()
    with anyio.fail_after(seconds):
        await done.wait()
    result, error = outcome[0]
    if error is not None:
        raise error
    return result  # type: ignore[return-value]

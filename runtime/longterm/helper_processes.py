"""
Other processes that do what takes long, while this one writes what they have done.

Reading a line and making the tokens of a text take longer than writing them, and one
process runs on one core. A helper that dies is done without: its work is done here.
"""

import os
import pickle
import struct
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import BinaryIO, Final, TypeVar, TypeVarTuple

import anyio
import anyio.abc
import structlog
from anyio.streams.buffered import BufferedByteReceiveStream

from runtime.launch import import_paths

log = structlog.get_logger(__name__)

Result = TypeVar("Result")
Args = TypeVarTuple("Args")
CODE: Final = """\
import sys
sys.path[:0] = [path for path in {paths!r} if path not in sys.path]
from runtime.longterm.helper_processes import main
main()
"""
LENGTH: Final = struct.Struct(">Q")
MOST: Final = 8


class Helper:
    """Does the work in this process, in a thread."""

    async def run(self, function: Callable[[*Args], Result], *args: *Args) -> Result:
        """Return what a function of a module gives. It and all its values can be pickled."""
        return await anyio.to_thread.run_sync(partial(function, *args))


class HelperProcess(Helper):
    """Does the work in a process of its own."""

    def __init__(self, process: anyio.abc.Process) -> None:
        self.process = process
        if process.stdout is None or process.stdin is None:
            msg = "a helper has pipes"
            raise RuntimeError(msg)
        self._out = BufferedByteReceiveStream(process.stdout)
        self._in = process.stdin

    async def run(self, function: Callable[[*Args], Result], *args: *Args) -> Result:
        """Return what the function gives; it runs here when the helper is gone."""
        question = await anyio.to_thread.run_sync(_packed, (function, args))
        try:
            await self._in.send(question)
            (length,) = LENGTH.unpack(await self._out.receive_exactly(LENGTH.size))
            answer = await self._out.receive_exactly(length)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream,
                anyio.IncompleteRead):  # fmt: skip
            log.warning("helper_lost", pid=self.process.pid)
            return await super().run(function, *args)
        result: Result = await anyio.to_thread.run_sync(pickle.loads, answer)  # our own child's
        return result


@asynccontextmanager
async def helpers(count: int) -> AsyncGenerator[list[Helper]]:
    """Give as many processes, or this one alone for 0; they end with the block."""
    if not count:
        yield [Helper()]
        return
    paths = await anyio.to_thread.run_sync(import_paths)
    command = [sys.executable, "-I", "-c", CODE.format(paths=paths)]
    found: list[Helper] = []
    processes: list[anyio.abc.Process] = []
    try:
        for _ in range(count):
            process = await anyio.open_process(command, stderr=None)
            processes.append(process)
            found.append(HelperProcess(process))
        yield found
    finally:
        with anyio.CancelScope(shield=True):
            for process in processes:
                if process.returncode is None:
                    process.kill()
                await process.aclose()


def cores() -> int:
    """Return how many helpers are of use on this machine."""
    return min(os.cpu_count() or 1, MOST)


def main() -> None:
    """Answer questions on stdin until it ends."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while (length := source.read(LENGTH.size)) and len(length) == LENGTH.size:
        function, args = pickle.loads(source.read(LENGTH.unpack(length)[0]))  # noqa: S301 - our own
        _answer(target, _packed(function(*args)))


def _packed(value: object) -> bytes:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def _answer(target: BinaryIO, data: bytes) -> None:
    target.write(data)
    target.flush()

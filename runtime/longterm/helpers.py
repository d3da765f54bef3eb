"""
Other processes that read lines of a dump, while this one writes what they have read.

Making the tokens of a text takes longer than writing it, and one process runs on
one core. A helper that dies is done without: its lines are read here.
"""

import os
import pickle
import struct
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import BinaryIO, Final

import anyio
import anyio.abc
import structlog
from anyio.streams.buffered import BufferedByteReceiveStream

from runtime.launch import import_paths
from runtime.longterm.lines import Clock, Skipped, Taken, read_lines

log = structlog.get_logger(__name__)

Lines = Sequence[tuple[int, bytes]]
Read = tuple[list[Taken], list[Skipped]]
CODE: Final = """\
import sys
sys.path[:0] = [path for path in {paths!r} if path not in sys.path]
from runtime.longterm.helpers import main
main()
"""
LENGTH: Final = struct.Struct(">Q")
MOST: Final = 8


class Reader:
    """Reads lines in this process, in a thread."""

    async def read(self, lines: Lines, clock: Clock) -> Read:
        """Return what the lines say."""
        return await anyio.to_thread.run_sync(read_lines, lines, clock)


class Helper(Reader):
    """Reads lines in a process of its own."""

    def __init__(self, process: anyio.abc.Process) -> None:
        self._process = process
        if process.stdout is None or process.stdin is None:
            msg = "a helper has pipes"
            raise RuntimeError(msg)
        self._out = BufferedByteReceiveStream(process.stdout)
        self._in = process.stdin

    async def read(self, lines: Lines, clock: Clock) -> Read:
        """Return what the lines say; read here when the helper is gone."""
        question = await anyio.to_thread.run_sync(pickle.dumps, (list(lines), clock))
        try:
            await self._in.send(LENGTH.pack(len(question)) + question)
            (length,) = LENGTH.unpack(await self._out.receive_exactly(LENGTH.size))
            answer = await self._out.receive_exactly(length)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream,
                anyio.IncompleteRead):  # fmt: skip
            log.warning("helper_lost", pid=self._process.pid)
            return await super().read(lines, clock)
        read: Read = await anyio.to_thread.run_sync(pickle.loads, answer)  # from our own child
        return read


@asynccontextmanager
async def readers(count: int) -> AsyncGenerator[list[Reader]]:
    """Give as many helpers, or this process alone for 0; they end with the block."""
    if not count:
        yield [Reader()]
        return
    paths = await anyio.to_thread.run_sync(import_paths)
    command = [sys.executable, "-I", "-c", CODE.format(paths=paths)]
    helpers: list[Reader] = []
    processes: list[anyio.abc.Process] = []
    try:
        for _ in range(count):
            process = await anyio.open_process(command, stderr=None)
            processes.append(process)
            helpers.append(Helper(process))
        yield helpers
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
        lines, clock = pickle.loads(source.read(LENGTH.unpack(length)[0]))  # noqa: S301 - our own
        _answer(target, read_lines(lines, clock))


def _answer(target: BinaryIO, read: Read) -> None:
    data = pickle.dumps(read, pickle.HIGHEST_PROTOCOL)
    target.write(LENGTH.pack(len(data)) + data)
    target.flush()

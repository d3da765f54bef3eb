"""The lines of one file, read in chunks by as many processes as help."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import BinaryIO, Final, NamedTuple

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from runtime.longterm.helper_processes import Helper, helpers
from runtime.longterm.lines import Clock, Skipped, Taken, read_lines

CHUNK_LINES: Final = 500
CHUNK_BYTES: Final = 2_000_000
LINE_BYTES: Final = 64_000_000
"""Read of one line; far more than is ever taken of it."""

Lines = Sequence[tuple[int, bytes]]
Sift = Callable[[Lines], Awaitable[Lines]]
"""Leaves of some lines those that are worth reading."""


class Chunk(NamedTuple):
    """What some lines say."""

    taken: list[Taken]
    skipped: list[Skipped]
    known: int
    """Lines that were not worth reading."""
    size: int
    """Bytes of all of them."""


class _Raw(NamedTuple):
    lines: Lines
    known: int
    size: int


@asynccontextmanager
async def read_all(
    file: BinaryIO, end: int, sift: Sift, clock: Clock, count: int
) -> AsyncGenerator[AsyncIterator[Chunk]]:
    """
    Give what the lines before the byte *end* say, chunk by chunk, in any order.

    *sift* is asked which lines of a chunk are worth reading. No more is read ahead
    than there are helpers; 0 of them are this process alone. They end with the block.
    """
    send_lines, lines = anyio.create_memory_object_stream[_Raw]()
    send, received = anyio.create_memory_object_stream[Chunk]()
    async with helpers(count) as workers, anyio.create_task_group() as group:
        group.start_soon(_cut, file, end, sift, send_lines)
        for worker in workers:
            group.start_soon(_work, worker, clock, lines.clone(), send.clone())
        lines.close()
        send.close()
        async with received:
            yield received
        group.cancel_scope.cancel()


async def _cut(file: BinaryIO, end: int, sift: Sift, chunks: MemoryObjectSendStream[_Raw]) -> None:
    async with chunks:
        await anyio.to_thread.run_sync(file.seek, 0)
        number = at = 0
        while at < end:
            lines, size = await anyio.to_thread.run_sync(_next, file, number, end - at)
            new = await sift(lines)
            await chunks.send(_Raw(new, len(lines) - len(new), size))
            number, at = number + len(lines), at + size


def _next(file: BinaryIO, number: int, left: int) -> tuple[Lines, int]:
    lines, size = list[tuple[int, bytes]](), 0
    while size < left and size < CHUNK_BYTES and len(lines) < CHUNK_LINES:
        raw = file.readline(min(left - size, LINE_BYTES))
        lines.append((number + len(lines) + 1, raw))
        size += len(raw)
    return lines, size


async def _work(
    worker: Helper,
    clock: Clock,
    chunks: MemoryObjectReceiveStream[_Raw],
    results: MemoryObjectSendStream[Chunk],
) -> None:
    async with chunks, results:
        async for raw in chunks:
            taken, skipped = (
                await worker.run(read_lines, raw.lines, clock) if raw.lines else ([], [])
            )
            await results.send(Chunk(taken, skipped, raw.known, raw.size))

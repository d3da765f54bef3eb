"""Room for a file that is needed for a moment: it has no name and is gone with its block."""

import os
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import BinaryIO, cast

import anyio

from runtime.longterm.sync_errors import NoRoomError


def open_room(path: str) -> BinaryIO:
    """Return an open file on the disk of another, for its owner's eyes only; blocking."""
    return cast("BinaryIO", tempfile.TemporaryFile(dir=os.path.dirname(path)))


@asynccontextmanager
async def room_beside(path: str) -> AsyncGenerator[BinaryIO]:
    """
    Give such a file for a block, to be used in threads.

    Raises NoRoomError, also for what could not be written in the block.
    """
    try:
        file = await anyio.to_thread.run_sync(open_room, path)
        try:
            yield file
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(file.close)
    except OSError as error:
        raise NoRoomError(os.path.dirname(path), error.strerror or str(error)) from error

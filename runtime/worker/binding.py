"""
The worker's two sockets, and whether hooks still find them.

A socket's name can be deleted, and the folder with it, while the socket itself
lives on: then nobody can reach its holder, who must notice by itself. Names are
relative to the current directory, which is `run/`: a home may be longer than a
socket's address.
"""

import os
import socket
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import anyio
import anyio.abc

from runtime.paths import FILE_MODE, Home
from runtime.sockets import ASK, KICK

BACKLOG: Final = 512
Identity = tuple[int, int]
"""Device and inode."""


class Bound:
    """Both sockets, bound and listening."""

    def __init__(
        self,
        kicks: anyio.abc.UNIXDatagramSocket,
        asks: socket.socket,
        identities: dict[str, Identity],
    ) -> None:
        self.kicks = kicks
        self.asks = asks
        """Listening, and never blocking."""
        self._identities = identities

    def is_found(self) -> bool:
        """Tell whether both names still lead here; blocking."""
        return all(identity(path) == known for path, known in self._identities.items())


@asynccontextmanager
async def bound(home: Home) -> AsyncGenerator[Bound]:
    """
    Bind both sockets, 0600; the caller holds the lock, so whoever left others is dead.

    Afterwards only names that are still ours are deleted: another worker may have
    bound its own meanwhile. Raises OSError.
    """
    paths = [os.path.join(home.run, name) for name in (KICK, ASK)]
    await anyio.to_thread.run_sync(_enter, home.run)
    async with AsyncExitStack() as stack:
        for path in paths:
            await anyio.to_thread.run_sync(_unlink, path)
        kicks = await stack.enter_async_context(
            await anyio.create_unix_datagram_socket(local_path=KICK, local_mode=0o600)
        )
        asks = stack.enter_context(await anyio.to_thread.run_sync(_listening))
        found = await anyio.to_thread.run_sync(lambda: {path: identity(path) for path in paths})
        identities = {path: known for path, known in found.items() if known is not None}
        stack.push_async_callback(_unbind, identities)
        yield Bound(kicks, asks, identities)


def identity(path: str) -> Identity | None:
    """Return which file a path names, None for none; blocking."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _listening() -> socket.socket:
    asks = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        asks.setblocking(False)
        asks.bind(ASK)
        os.chmod(ASK, FILE_MODE)
        asks.listen(BACKLOG)
    except BaseException:
        asks.close()
        raise
    return asks


async def _unbind(identities: dict[str, Identity]) -> None:
    with anyio.CancelScope(shield=True):
        await anyio.to_thread.run_sync(_unlink_own, identities)


def _enter(folder: str) -> None:
    # Also keeps nobody's project folder busy. Again each time: it may be another folder now.
    os.chdir(folder)


def _unlink_own(identities: dict[str, Identity]) -> None:
    for path, known in identities.items():
        if identity(path) == known:
            _unlink(path)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return

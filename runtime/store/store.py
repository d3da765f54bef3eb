"""The open store: one connection, one writer at a time, closed by who opened it."""

import sqlite3
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import anyio
import structlog

from runtime.errors import StoreUnreadableError
from runtime.store import index_backlog, index_change
from runtime.store.checkpoint import LONG_BYTES, log_bytes, shorten
from runtime.store.connection import (
    Connection,
    Reader,
    open_connection,
    open_reader,
    transaction,
    unusable,
)
from runtime.store.database_file import move_aside
from runtime.store.migrations import migrate
from runtime.store.purging import write_anew

if TYPE_CHECKING:
    from runtime.store.search_index import Common

log = structlog.get_logger(__name__)

Result = TypeVar("Result")
Args = TypeVarTuple("Args")


class Store:
    """A migrated database. Functions of this package take `connection`."""

    def __init__(self, connection: Connection, path: str, reader: Reader) -> None:
        self.connection = connection
        self.reader = reader
        """For questions: not kept waiting by a long write, and blind to what is not committed."""
        self.path = path
        self.common: Common | None = None
        """What searches remember of it; None where there is one search, and no next."""
        self._writer = anyio.Lock()
        self._is_durable = False

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """Write in one transaction; tasks that share the store take turns."""
        async with self._writer, transaction(self.connection, self.path):
            yield self.connection

    async def write_anew(self) -> None:
        """
        Write the file anew, without a byte of what is no longer in it.

        Raises StoreBusyError when others go on reading what was: then a log of
        changes is left that may hold it.
        """
        async with self._writer:
            await write_anew(self.connection, self.path)

    async def shorten_log(self) -> None:
        """Copy a long log of changes back and empty it, unless somebody is reading there."""
        if await anyio.to_thread.run_sync(log_bytes, self.path) > LONG_BYTES:
            async with self._writer:
                await shorten(self.connection)

    async def change_index(self) -> bool:
        """
        Take a step towards a whole index of our version of the tokenizer. True when none is left.

        Short enough to be taken between two events.
        """
        async with self._writer:
            if await index_change.step(self.connection, self.path):
                return await index_backlog.step(self.connection, self.path)
            return await index_change.is_anothers(self.connection)

    async def write(
        self, function: "Callable[[*Args, Store], Coroutine[Any, Any, Result]]", *args: *Args
    ) -> Result:
        """Run a function that writes to the store, given as its last argument."""
        return await function(*args, self)

    async def be_durable(self) -> None:
        """From now on end each commit only when it is on the disk, where no power cut undoes it."""
        if self._is_durable:
            return
        async with self._writer:  # within a transaction it cannot be changed
            await self.connection.execute("PRAGMA synchronous = FULL")
        self._is_durable = True


@asynccontextmanager
async def open_store(path: str, busy_timeout_s: float) -> AsyncGenerator[Store]:
    """
    Open and migrate, with a second connection for reading.

    Raises StoreUnusableError, StoreTooNewError, StoreLockedError.
    """
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(open_connection(path, busy_timeout_s))
        try:
            await migrate(connection, path)
            if await index_change.follow(connection, path):
                await index_backlog.step(connection, path)
        except sqlite3.Error as error:
            raise unusable(path, error) from error
        reader = await stack.enter_async_context(open_reader(path, busy_timeout_s))
        yield Store(connection, path, reader)


@asynccontextmanager
async def open_or_move_aside(path: str, busy_timeout_s: float) -> AsyncGenerator[Store]:
    """
    Open a store; a file that is no database is moved aside, loudly, for a new one.

    The person keeps the file, and capture goes on. Raises as `open_store` does
    for everything else.
    """
    async with AsyncExitStack() as stack:
        try:
            store = await stack.enter_async_context(open_store(path, busy_timeout_s))
        except StoreUnreadableError as error:
            aside = await anyio.to_thread.run_sync(move_aside, path)
            log.error("store_moved_aside", path=path, to=aside, error=str(error))  # noqa: TRY400
            store = await stack.enter_async_context(open_store(path, busy_timeout_s))
        yield store

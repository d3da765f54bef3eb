"""The open store: one connection, one writer at a time, closed by who opened it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from runtime.store.connection import Connection, open_connection, transaction
from runtime.store.migrations import migrate


class Store:
    """A migrated database. Functions of this package take `connection`."""

    def __init__(self, connection: Connection, path: str) -> None:
        self.connection = connection
        self.path = path
        self._writer = anyio.Lock()

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """Write in one transaction; tasks that share the store take turns."""
        async with self._writer, transaction(self.connection, self.path):
            yield self.connection


@asynccontextmanager
async def open_store(path: str, busy_timeout_s: float) -> AsyncGenerator[Store]:
    """Open and migrate. Raises StoreUnusableError, StoreTooNewError, StoreLockedError."""
    async with open_connection(path, busy_timeout_s) as connection:
        await migrate(connection, path)
        yield Store(connection, path)

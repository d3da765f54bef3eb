"""
A store for a thread that only answers: it reads for itself, and has others write.

A hop to another thread and back costs as much as a small query, and an event loop
that does nothing but answer may wait for its own query. What has to be written is
done where the store was opened: there its one writer takes turns.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from typing import Any, Final, NoReturn, Self, TypeVar, TypeVarTuple

import anyio

from runtime.store.connection import Reader
from runtime.store.search_index import Common
from runtime.store.sqlite import open_read_only
from runtime.store.store import Store

Result = TypeVar("Result")
Args = TypeVarTuple("Args")
BUSY_TIMEOUT_S: Final = 0.2
"""A reader waits for others at their recovery of the database alone."""
_CACHE: Final = "PRAGMA cache_size = -16000"
"""In KB. One question reads half of what SQLite keeps by default."""
LOOK_EVERY: Final = 10_000
"""Steps of SQLite's machine between two looks at the time: some tenths of a millisecond."""


class OwnReader(Reader):
    """Runs a question in the thread that asks; nothing else of that thread goes on meanwhile."""

    async def run(
        self, function: Callable[[sqlite3.Connection, *Args], Result], *args: *Args
    ) -> Result:
        """Return what a function of the connection gives; its caller's time limit ends it."""
        until = anyio.current_effective_deadline()
        clock = asyncio.get_running_loop().time
        self._connection.set_progress_handler(lambda: clock() > until, LOOK_EVERY)
        try:
            return self._run(function, *args)
        except sqlite3.OperationalError:
            if clock() > until:
                await anyio.sleep_forever()  # the limit's own cancellation comes now
            raise


class StoreAside(Store):
    """A store seen from another loop than the one that opened it."""

    def __init__(
        self, store: Store, reader: Reader, loop: asyncio.AbstractEventLoop, common: Common
    ) -> None:
        super().__init__(store.connection, store.path, reader)
        self.common = common
        self._store = store
        self._loop = loop

    async def write(
        self, function: Callable[[*Args, Store], Coroutine[Any, Any, Result]], *args: *Args
    ) -> Result:
        """Run a function that writes, in the loop of the store; cancelled, it is, too."""
        running = asyncio.run_coroutine_threadsafe(function(*args, self._store), self._loop)
        return await asyncio.wrap_future(running)

    def transaction(self) -> NoReturn:
        """Refuse: turns to write are taken in the other loop, by `write`."""
        msg = "a store is written to in the loop that opened it"
        raise RuntimeError(msg)


class StoresAside:
    """
    The stores that one thread answers from, each opened for reading when it is first used.

    Entered and used in that thread alone. A store that is opened anew has a new reader.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._seen: dict[str, tuple[Store, sqlite3.Connection, Common]] = {}

    def of(self, store: Store) -> StoreAside:
        """Return a store as it is seen from here. Raises sqlite3.Error."""
        known, connection, common = self._seen.get(store.path, (None, None, {}))
        if connection is None or known is not store:
            if connection is not None:
                connection.close()
            connection = open_read_only(store.path, BUSY_TIMEOUT_S)
            connection.execute(_CACHE)
            common = {}
            self._seen[store.path] = (store, connection, common)
        return StoreAside(store, OwnReader(connection), self._loop, common)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the readers."""
        for _store, connection, _common in self._seen.values():
            connection.close()
        self._seen.clear()

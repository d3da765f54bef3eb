"""
The one way to the database: open, transact, close.

Rules that were learnt the hard way: every write transaction begins IMMEDIATE
(`busy_timeout` does not cover the upgrade of a read transaction), the timeout
is set before the switch to WAL, and a cancelled statement goes on in
aiosqlite's thread until it is interrupted.
"""

import json
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from threading import Lock
from typing import Any, Final, TypeVar, TypeVarTuple

import aiosqlite
import anyio

from runtime.errors import StoreLockedError, StoreUnreadableError, StoreUnusableError
from runtime.paths import FILE_MODE
from runtime.store.neighbours import said_before
from runtime.store.sqlite import open_read_only
from runtime.tokens.index import TOKENIZER_VERSION, index_tokens

Connection = aiosqlite.Connection
Row = sqlite3.Row
Result = TypeVar("Result")
Args = TypeVarTuple("Args")
RETRY_S: Final = 0.01
"""Between two attempts at what SQLite does not wait for by itself."""


@asynccontextmanager
async def open_connection(path: str, busy_timeout_s: float) -> AsyncGenerator[Connection]:
    """
    Open the database for reading and writing, creating it 0600 when absent.

    Raises StoreUnusableError when the path holds no database or another program's,
    or cannot be written, and StoreLockedError when others keep it locked for too
    long. The connection is closed however the block is left.
    """
    try:
        # Not left to aiosqlite: a connect that fails leaves its thread talking to a
        # loop that may be closed by then. The files beside it get its mode from SQLite.
        await anyio.to_thread.run_sync(_create, path)
        connection = await aiosqlite.connect(path, isolation_level=None, timeout=busy_timeout_s)
    except (sqlite3.Error, OSError, ValueError) as error:  # a NUL in the path is a ValueError
        raise StoreUnusableError(path, str(error)) from error
    try:
        await _prepare(connection, path, busy_timeout_s)
        yield connection
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()


def _create(path: str) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))


async def _prepare(connection: Connection, path: str, busy_timeout_s: float) -> None:
    connection.row_factory = sqlite3.Row
    try:
        tokens = _Tokens()
        await connection.create_function("index_tokens", 2, tokens.take, deterministic=True)
        await connection.create_function("ready_tokens", 1, tokens.make_ready)
        await connection.create_function("said_before", 2, said_before, deterministic=True)
        await connection.create_function("given_tokens", 1, tokens.take_over)
        if await _is_foreign(connection):
            raise StoreUnusableError(path, "it holds another program's tables")
        await _switch_to_wal(connection, path, busy_timeout_s)
        await connection.execute("PRAGMA synchronous = NORMAL")
        # Of 4 kB, SQLite's own figure. To copy them back takes several times as long as to
        # keep a memory, and it is done within a commit: the worker does it after its work.
        await connection.execute("PRAGMA wal_autocheckpoint = 1000")
        await connection.execute("PRAGMA foreign_keys = ON")
        # Else REPLACE deletes rows without their triggers, and the index keeps them.
        await connection.execute("PRAGMA recursive_triggers = ON")
    except sqlite3.Error as error:
        raise unusable(path, error) from error


class _Tokens:
    """
    The tokens of one connection's texts, made when the index asks, or beforehand.

    Making them takes longer than writing them. Who writes many rows can have it
    done before the transaction begins, so that others wait for the lock less.
    """

    def __init__(self) -> None:
        self._ready: dict[str, str] = {}

    def make_ready(self, texts: str) -> int:
        """Make the tokens of a JSON array of texts; what was made ready before is dropped."""
        self._ready = {text: index_tokens(text) for text in json.loads(texts)}
        return len(self._ready)

    def take_over(self, tokens: str) -> int:
        """Take tokens that another process has made: a JSON object, by text."""
        self._ready = json.loads(tokens)
        return len(self._ready)

    def take(self, text: str | None, version: str) -> str | None:
        """
        Return the tokens of a text for an index that this version of the tokenizer makes.

        For one of another version nothing can be made: the statement fails, and what
        was to be written is for a process that has that version.
        """
        if version != str(TOKENIZER_VERSION):
            msg = f"the index is of tokenizer {version}, this process has {TOKENIZER_VERSION}"
            raise ValueError(msg)
        if text is None:
            return None
        tokens = self._ready.pop(text, None)
        return index_tokens(text) if tokens is None else tokens


def unusable(path: str, error: sqlite3.Error) -> StoreUnusableError:
    """Return what an error while opening means: no database at all, or none for now."""
    is_broken = _code(error) in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
    return (StoreUnreadableError if is_broken else StoreUnusableError)(path, str(error))


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code; errors of the module itself have none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


async def fetch_all(
    connection: Connection, statement: str, values: Mapping[str, Any] | Sequence[Any] = ()
) -> list[Row]:
    """Return all rows in one hop to the connection's thread, where a cursor takes three."""
    return list(await connection.execute_fetchall(statement, values))


class Reader:
    """
    A connection that only reads; whole functions run in a thread, one after the other.

    A hop to a thread and back costs as much as a small query, so a question that
    takes several makes one hop. Each function sees one state of the database.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # Who waits for his turn waits here, not in a thread.
        self._turns = anyio.CapacityLimiter(1)
        # One whose caller was cancelled goes on: the next one waits for it in its thread.
        self._in_use = Lock()

    async def run(
        self, function: Callable[[sqlite3.Connection, *Args], Result], *args: *Args
    ) -> Result:
        """Return what a function of the connection gives; cancelled, its result is dropped."""
        return await anyio.to_thread.run_sync(
            partial(self._run, function, *args), abandon_on_cancel=True, limiter=self._turns
        )

    def _run(self, function: Callable[..., Result], *args: object) -> Result:
        with self._in_use:
            self._connection.execute("BEGIN")
            try:
                return function(self._connection, *args)
            finally:
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close it when what runs has ended; blocking."""
        with self._in_use:
            self._connection.close()


@asynccontextmanager
async def open_reader(path: str, busy_timeout_s: float) -> AsyncGenerator[Reader]:
    """Open a second connection that can only read. The database must exist."""
    opening = partial(open_read_only, path, busy_timeout_s, is_shared=True)
    try:
        reader = Reader(await anyio.to_thread.run_sync(opening))
    except sqlite3.Error as error:
        raise StoreUnusableError(path, str(error)) from error
    try:
        yield reader
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(reader.close)


async def _is_foreign(connection: Connection) -> bool:
    """
    Tell whether another program made this database; asked before anything is changed.

    The older variable for the path may still name one. Our own tables and their
    version come into being in one transaction.
    """
    async with connection.execute(_FOREIGN) as cursor:
        return await cursor.fetchone() is not None


_FOREIGN: Final = """
SELECT 1 FROM sqlite_master WHERE (SELECT user_version FROM pragma_user_version) = 0 LIMIT 1
"""


async def _switch_to_wal(connection: Connection, path: str, busy_timeout_s: float) -> None:
    """
    Set the journal mode, trying again while another process is doing the same.

    Two that meet an empty database both hold a read lock that they want to
    raise; SQLite then refuses one of them at once, whatever the busy timeout.
    """
    until = anyio.current_time() + busy_timeout_s
    while True:
        try:
            await connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not _is_locked(error):
                raise
            if anyio.current_time() > until:
                raise StoreLockedError(path, busy_timeout_s) from error
            await anyio.sleep(RETRY_S)
        else:
            return


def _is_locked(error: sqlite3.OperationalError) -> bool:
    return "locked" in str(error) or "busy" in str(error)


@asynccontextmanager
async def transaction(connection: Connection, path: str = "") -> AsyncGenerator[None]:
    """
    Run the block in one write transaction; roll back on any exception.

    Raises StoreLockedError when another process holds the lock for longer than
    the busy timeout.
    """
    try:
        await _begin(connection, path)
        yield
        with anyio.CancelScope(shield=True):
            await connection.commit()
    except BaseException as error:
        # Whichever it was, the statement, the wait for the lock or the commit: a
        # transaction that stays open would refuse the next one.
        with anyio.CancelScope(shield=True):
            if isinstance(error, anyio.get_cancelled_exc_class()):
                # A cancelled statement still runs in the thread: stop it first.
                await connection.interrupt()
            await connection.rollback()
        raise


async def _begin(connection: Connection, path: str) -> None:
    try:
        await connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise StoreLockedError(path, await _timeout_s(connection)) from error
        raise


async def _timeout_s(connection: Connection) -> float:
    async with connection.execute("PRAGMA busy_timeout") as cursor:
        row = await cursor.fetchone()
    return float(row[0]) / 1000 if row else 0.0

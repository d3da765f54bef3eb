"""
The one way to the database: open, transact, close.

Rules that were learnt the hard way: every write transaction begins IMMEDIATE
(`busy_timeout` does not cover the upgrade of a read transaction), the timeout
is set before the switch to WAL, and a cancelled statement goes on in
aiosqlite's thread until it is interrupted.
"""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiosqlite
import anyio

from runtime.errors import StoreLockedError, StoreUnusableError
from runtime.tokens.index import index_tokens

Connection = aiosqlite.Connection
Row = sqlite3.Row


@asynccontextmanager
async def open_connection(path: str, busy_timeout_s: float) -> AsyncGenerator[Connection]:
    """
    Open the database for reading and writing, creating it 0600 when absent.

    Raises StoreUnusableError when the path holds no database or cannot be
    written. The connection is closed however the block is left.
    """
    try:
        connection = await aiosqlite.connect(path, isolation_level=None, timeout=busy_timeout_s)
    except sqlite3.Error as error:
        raise StoreUnusableError(path, str(error)) from error
    try:
        await _prepare(connection, path)
        yield connection
    finally:
        with anyio.CancelScope(shield=True):
            await connection.close()


async def _prepare(connection: Connection, path: str) -> None:
    connection.row_factory = sqlite3.Row
    try:
        await connection.create_function("index_tokens", 1, index_tokens, deterministic=True)
        await connection.execute("PRAGMA journal_mode = WAL")
        await connection.execute("PRAGMA synchronous = NORMAL")
        await connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error as error:
        raise StoreUnusableError(path, str(error)) from error


@asynccontextmanager
async def transaction(connection: Connection, path: str = "") -> AsyncGenerator[None]:
    """
    Run the block in one write transaction; roll back on any exception.

    Raises StoreLockedError when another process holds the lock for longer than
    the busy timeout.
    """
    try:
        await connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise StoreLockedError(path, await _timeout_s(connection)) from error
        raise
    try:
        yield
    except BaseException:
        with anyio.CancelScope(shield=True):
            # A cancelled statement still runs in the thread: stop it first.
            await connection.interrupt()
            await connection.rollback()
        raise
    with anyio.CancelScope(shield=True):
        await connection.commit()


async def _timeout_s(connection: Connection) -> float:
    async with connection.execute("PRAGMA busy_timeout") as cursor:
        row = await cursor.fetchone()
    return float(row[0]) / 1000 if row else 0.0

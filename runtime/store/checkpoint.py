"""
The log of changes, copied back into the database and made short.

SQLite copies it back by itself, but leaves the file as long as it was. Whoever opens a
database that nobody has open reads all of it: each hook that finds the worker killed.
"""

import os
import sqlite3
from contextlib import suppress
from typing import Final

import anyio

from runtime.store.connection import Connection, fetch_all

LONG_BYTES: Final = 1_000_000
"""A log of less is read in a tenth of an empty Python's time."""


def log_bytes(path: str) -> int:
    """Return the size of a database's log of changes, 0 where there is none; blocking."""
    try:
        return os.stat(path + "-wal").st_size
    except OSError:
        return 0


async def shorten(connection: Connection) -> bool:
    """
    Copy the log back and empty it, outside of any transaction. Waits for the disk.

    False where that fails, as on a full disk, or where somebody is reading what is in
    the log: he is not waited for, since until he is done nobody could write. Nothing is
    lost then, and the next one may try again.
    """
    is_busy = True
    # Not cancelled half-way: the connection would wait for nobody from then on.
    with anyio.CancelScope(shield=True):
        ((busy_timeout_ms,),) = await fetch_all(connection, "PRAGMA busy_timeout")
        await connection.execute("PRAGMA busy_timeout = 0")
        # As SQLite does it at the end of a commit: a failure is none of the commit's.
        with suppress(sqlite3.Error):
            ((is_busy, *_pages),) = await fetch_all(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        await connection.execute(f"PRAGMA busy_timeout = {int(busy_timeout_ms)}")
    return not is_busy

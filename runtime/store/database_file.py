"""
The file under a store's path: is it still the database that was opened?

A running process keeps its connection to a file that was deleted or replaced,
and SQLite does not look at the first page again. So its beginning is read here,
through a descriptor that stays open as long as the connection: closing any
descriptor of a file drops all POSIX locks that the process has on it.
"""

import contextlib
import os
import time
from collections.abc import Sequence
from typing import Final, Literal

MAGIC: Final = b"SQLite format 3\0"
Change = Literal["another file", "no database"]
Identity = tuple[int, int]
"""Device and inode: which file it is, whatever its name."""


class DatabaseFile:
    """One database file, opened before its store and closed after it. All calls block."""

    def __init__(self, path: str) -> None:
        """Open the file, making an empty one, 0600, where there is none. Raises OSError."""
        self._path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._log: Identity | None = None

    def close(self) -> None:
        """Close it; to be called after its connections are closed."""
        os.close(self._fd)

    def remember(self) -> None:
        """Note which write-ahead log belongs to it, when the store has been opened."""
        self._log = _identity(self._path + "-wal")

    def change(self) -> Change | None:
        """Return what has become of it since, None when it is as it was."""
        own = os.fstat(self._fd)
        if _identity(self._path) != (own.st_dev, own.st_ino):
            return "another file"
        return None if os.pread(self._fd, len(MAGIC), 0) == MAGIC else "no database"

    def clear_way(self) -> str | None:
        """
        Take away what must not be opened with the next store; return its new name.

        No database: the file and all beside it. Another file: the old one's
        write-ahead log, which SQLite would replay into the new one. Raises OSError.
        """
        if self.change() == "no database":
            return move_aside(self._path)
        if self._log is not None and _identity(self._path + "-wal") == self._log:
            return move_aside(self._path, ("-wal", "-shm"))
        return None


def move_aside(path: str, suffixes: Sequence[str] = ("-wal", "-shm", "")) -> str:
    """Rename the file and what SQLite keeps beside it; return the new name. Raises OSError."""
    stamp = aside = f"{path}.unreadable-{time.strftime('%Y%m%dT%H%M%S')}"
    number = 1
    while any(os.path.exists(aside + suffix) for suffix in suffixes):
        number += 1
        aside = f"{stamp}-{number}"
    for suffix in suffixes:
        with contextlib.suppress(FileNotFoundError):
            os.rename(path + suffix, aside + suffix)
    return aside


def _identity(path: str) -> Identity | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino

"""Let the index follow a write at once, also while others write the same file."""

import os
import sqlite3
from collections.abc import Iterable
from typing import Final

import anyio
import structlog

from runtime.errors import ExpectedError
from runtime.notes.book import refresh_file
from runtime.paths import Home
from runtime.settings import Settings
from runtime.store.store import Store, open_store

log = structlog.get_logger(__name__)

ROUNDS: Final = 20
"""So often at most a file is read again because it has changed; a search does it, too."""


async def follow(home: Home, settings: Settings, database: str, paths: Iterable[str]) -> str:
    """
    Index the files at *paths*, and say what was not done and why, "" for nothing.

    A file that changes while it is indexed is indexed again: who comes last leaves
    the index as the file is.
    """
    problems: list[tuple[str, str]] = []
    try:
        async with open_store(database, settings.store.busy_timeout_s) as store:
            for path in paths:
                problems += await _follow(home, settings, store, path)
    except (ExpectedError, sqlite3.Error) as error:
        log.warning("note_not_indexed", error=str(error))
        return f"not indexed yet: {error}; the next search makes up for it"
    return "; ".join(f"not indexed: {path}: {reason}" for path, reason in problems)


async def _follow(
    home: Home, settings: Settings, store: Store, path: str
) -> tuple[tuple[str, str], ...]:
    problems: tuple[tuple[str, str], ...] = ()
    for _round in range(ROUNDS):
        before = await anyio.to_thread.run_sync(_look, path)
        problems = (await refresh_file(home, settings, store, path)).problems
        if await anyio.to_thread.run_sync(_look, path) == before:
            break
    return problems


def _look(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size

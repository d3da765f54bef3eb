"""
Dump and sync by itself, after a turn or a session has ended (`sync.auto`).

In a process of its own: it reads folders that may not answer, and takes more time
and memory than a worker should. Never two at once, and never sooner than the
interval after the last.
"""

import sqlite3
from typing import Final

import anyio
import structlog

from runtime.context import AppContext
from runtime.paths import Home
from runtime.store.connection import fetch_all
from runtime.worker.by_itself import run_command

log = structlog.get_logger(__name__)

ENDS: Final = "SELECT max(seq) FROM events WHERE name IN ('Stop', 'SessionEnd')"
"""The newest end of a turn or a session."""


class Syncing:
    """Asked after every pass of the worker; does its work beside it."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._seen: int | None = None
        self._due = anyio.Event()
        self._interval_s = 0.0

    @property
    def is_due(self) -> bool:
        """Whether something has ended that has not been synced."""
        return self._due.is_set()

    async def consider(self, context: AppContext) -> None:
        """See whether something has ended since the last look."""
        if not context.settings.sync.auto or context.store is None:
            return
        try:
            rows = await fetch_all(context.store.connection, ENDS)
        except sqlite3.Error as error:
            log.warning("sync_not_considered", error=str(error))
            return
        newest = int(rows[0][0] or 0)
        if newest and newest != self._seen:
            self._seen = newest
            self._interval_s = context.settings.sync.interval_s
            self._due.set()

    async def serve(self) -> None:
        """Sync whenever it is due, for as long as the worker lives."""
        while True:
            await self._due.wait()
            self._due = anyio.Event()
            await self._run()
            # What ends meanwhile is dumped after the interval.
            await anyio.sleep(self._interval_s)

    async def _run(self) -> None:
        try:
            code = await run_command(self._home, "longterm", "sync", "--auto")
        except OSError as error:
            log.warning("sync_not_started", error=str(error))
            return
        log.info("sync_by_itself", code=code)

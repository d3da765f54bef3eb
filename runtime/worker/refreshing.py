"""
The copy of permanent memories that live in esa, refreshed by the worker in its pauses.

Every `permanent.refresh_s`, counted from the last try of whoever made it; never two at
once. A try that fails is written down beside the copy and in the log.
"""

import time
from datetime import timedelta
from math import inf

import anyio
import structlog

from runtime.context import AppContext
from runtime.contexts import Contexts
from runtime.paths import Home
from runtime.store.clock import utc, utc_now
from runtime.store.permanent_posts import place_row
from runtime.worker.by_itself import run_command

log = structlog.get_logger(__name__)


class Refreshing:
    """Asked after every pass of the worker and in every pause; does its work beside it."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._due = anyio.Event()
        self._last_start = -inf

    @property
    def is_due(self) -> bool:
        """Whether the copy is to be refreshed."""
        return self._due.is_set()

    async def consider(self, contexts: Contexts) -> None:
        """See whether it is time for the next refresh. Never raises."""
        if self.is_due:
            return
        try:
            context = await contexts.of({})
            chosen = context.settings.permanent
            if chosen.backend != "esa" or not chosen.refresh_s:
                return
            if time.monotonic() < self._last_start + chosen.refresh_s:
                return
            if await _is_old(context, chosen.refresh_s):
                self._last_start = time.monotonic()
                self._due.set()
        except Exception:
            log.exception("permanent_not_considered")

    async def serve(self) -> None:
        """Refresh whenever it is due, for as long as the worker lives."""
        while True:
            await self._due.wait()
            try:
                await run_command(self._home, "permanent", "refresh", "--auto")
            except OSError as error:
                log.warning("permanent_not_refreshed", error=str(error))
            self._due = anyio.Event()


async def _is_old(context: AppContext, refresh_s: float) -> bool:
    if context.store is None:
        return False
    row = await place_row(context.store.connection)
    newest = utc(utc_now() - timedelta(seconds=refresh_s))
    return row is None or row["tried_at"] is None or row["tried_at"] < newest

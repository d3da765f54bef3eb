"""Dump and sync with what a home's settings say, one at a time."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

import anyio

from runtime.context import AppContext
from runtime.locks import try_lock, unlock
from runtime.longterm.catching_up import catch_up
from runtime.longterm.dump import Order, Progress, dump
from runtime.longterm.dump_folder import DumpFolder
from runtime.longterm.dump_places import open_folder
from runtime.longterm.helper_processes import cores
from runtime.longterm.sync import sync
from runtime.longterm.sync_errors import SyncBusyError
from runtime.paths import Home
from runtime.store.clock import utc
from runtime.store.sync_files import note_sync, synced_at
from schemas.sync import Dumped, Synced

WAIT_S: Final = 60.0
"""For another dump or sync of this home to end."""
LOOK_S: Final = 0.1


async def dump_to(
    app: AppContext, place: str, now: datetime, *, incremental: bool, progress: Progress | None
) -> Dumped:
    """Dump into a folder or an address; "" for the one of the settings."""
    async with turn(app.home):
        folder = await _folder(app, place)
        order = Order(app.host, now, incremental, app.settings.sync.keep)
        return await dump(app.opened, folder, order, progress)


async def sync_from(
    app: AppContext, place: str, now: datetime, progress: Progress | None
) -> Synced:
    """
    Take over all dumps of a folder or an address; "" for the one of the settings.

    What is new is safe then, and not in the index yet: see `make_found`.
    """
    async with turn(app.home):
        return await sync(app.opened, await _folder(app, place), now, progress=progress)


async def make_found(app: AppContext, progress: Progress | None) -> None:
    """Put into the index what was taken over. Cancelled or killed, the rest waits."""
    await catch_up(app.opened, cores(), progress)


async def exchange_if_due(
    app: AppContext, place: str, now: datetime
) -> tuple[Dumped, Synced] | None:
    """
    Dump what has changed and take over the others' dumps, unless it was done lately.

    Noted before it is begun: what fails is not tried again at once.
    """
    if await is_done_lately(app, now):
        return None
    async with app.opened.transaction() as connection:
        await note_sync(connection, now)
    dumped = await dump_to(app, place, now, incremental=True, progress=None)
    synced = await sync_from(app, place, now, None)
    await make_found(app, None)
    return dumped, synced


async def is_done_lately(app: AppContext, now: datetime) -> bool:
    """Tell whether less than the interval has passed. A time in the future is none."""
    last = await synced_at(app.opened.connection)
    interval = timedelta(seconds=app.settings.sync.interval_s)
    return utc(now - interval) < last <= utc(now)


async def _folder(app: AppContext, place: str) -> DumpFolder:
    return await anyio.to_thread.run_sync(open_folder, place or app.settings.sync.dir, app.home)


@asynccontextmanager
async def turn(home: Home) -> AsyncGenerator[None]:
    """Wait until no other process of this home dumps or syncs. Raises SyncBusyError."""
    path = f"{home.run}/sync.lock"
    until = anyio.current_time() + WAIT_S
    while (lock := await anyio.to_thread.run_sync(try_lock, path)) is None:
        if anyio.current_time() > until:
            raise SyncBusyError(path, WAIT_S)
        await anyio.sleep(LOOK_S)
    try:
        yield
    finally:
        unlock(lock)

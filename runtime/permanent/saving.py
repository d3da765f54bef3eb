"""What we save ourselves in permanent memory, into the shadow at once."""

import sqlite3
from functools import partial

import anyio
import structlog

from runtime.errors import ExpectedError
from runtime.paths import Home
from runtime.permanent.freshness import Place, place_of
from runtime.permanent.refreshing import note_saved
from runtime.permanent.service import Told
from runtime.permanent.shadow import follow
from runtime.settings import Settings
from runtime.store.store import Store
from schemas.permanent import Post

log = structlog.get_logger(__name__)


async def saving(home: Home, settings: Settings, store: Store) -> Told:
    """Return who keeps the shadow of the configured place."""
    place = await anyio.to_thread.run_sync(place_of, home, settings)
    return partial(_saved, home, settings, store, place)


async def _saved(home: Home, settings: Settings, store: Store, place: Place, post: Post) -> None:
    try:
        if place.is_folder:
            await follow(home, settings, store)
            return
        async with store.transaction() as connection:
            await note_saved(connection, place, post)
    except (ExpectedError, sqlite3.Error) as error:
        # The post is saved: that is what was asked. The search comes to know of it later.
        log.warning("permanent_shadow_behind", number=post.number, error=str(error))

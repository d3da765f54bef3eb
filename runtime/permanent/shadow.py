"""
The shadow of the permanent memories in the store, by which a search finds them.

Of a folder it is brought up to date before every search, as notes are. Of esa it is a
copy: what we save there ourselves is in it at once, the rest when it is refreshed
(`runtime.permanent.refreshing`). Nothing here asks the network.
"""

from pathlib import Path
from typing import NamedTuple

import anyio
import structlog

from runtime.paths import Home
from runtime.permanent import folder
from runtime.permanent.freshness import Place, is_current, place_of, state_of
from runtime.permanent.local import PERSON, Local
from runtime.settings import Settings
from runtime.store.clock import utc, utc_now
from runtime.store.permanent_posts import (
    Seen,
    begin_place,
    known_posts,
    note_place,
    put_posts,
    remove_posts,
)
from runtime.store.store import Store
from schemas.permanent import Post

log = structlog.get_logger(__name__)


class Refreshed(NamedTuple):
    """What has become of the shadow."""

    posts: int
    """In it now."""
    changed: int
    """New, or with another text."""
    removed: int
    is_whole: bool
    """All were looked at, not only what has changed."""


async def follow(home: Home, settings: Settings, store: Store) -> None:
    """
    Bring the shadow up to date with the folder; of esa it only tells one team from another.

    A folder that cannot be read changes nothing. Raises StoreLockedError.
    """
    place = await anyio.to_thread.run_sync(place_of, home, settings)
    try:
        if not await store.reader.run(is_current, place):
            await (follow_folder(place, store) if place.is_folder else _follow_esa(place, store))
    except OSError as error:
        log.warning("permanent_unreadable", path=place.name, error=error.strerror or str(error))


async def _follow_esa(place: Place, store: Store) -> None:
    async with store.transaction() as connection:
        await begin_place(connection, place.name, place.tag, is_copy=True)


async def follow_folder(place: Place, store: Store) -> Refreshed:
    """Read the folder and make the shadow like it. Raises OSError and StoreLockedError."""
    # Before it is read: what changes meanwhile is read again next time.
    state = await anyio.to_thread.run_sync(state_of, place.name)
    files = await Local(Path(place.name), store, PERSON).listed()
    numbers = {post.number: file for post, file in files}
    missed = await anyio.to_thread.run_sync(folder.missed, Path(place.name), numbers)
    found = [
        Seen(post, str(file.path), file.mtime_ns, file.size)
        for post, file in files
        if is_in_scope(post, place.tag)
    ]
    now = utc_now()
    async with store.transaction() as connection:
        await begin_place(connection, place.name, place.tag, is_copy=False)
        there = await known_posts(connection)
        kept = {number for number, row in there.items() if row["source"] in missed}
        gone = there.keys() - {seen.post.number for seen in found} - kept
        await remove_posts(connection, gone)
        changed = await put_posts(connection, found, now)
        # What could not be read for a moment is read again before the next search.
        known_state = None if missed else state
        await note_place(connection, state=known_state, refreshed_at=utc(now), listed_at=utc(now))
    return Refreshed(len(found), changed, len(gone), is_whole=True)


def is_in_scope(post: Post, tag: str) -> bool:
    """Tell whether a post is a permanent memory that a search may show."""
    return tag in post.tags and not post.is_archived

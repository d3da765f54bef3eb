"""
The shadow of permanent memories that live in esa, refreshed.

Posts are read newest change first, until what follows is known already and the count
is right: as a rule one request. Where it is not, somebody has archived, deleted or
untagged a post, and all are listed; so they are once a day in any case, and after a
refresh that did not come to its end. What was read is kept page by page, so a failure
loses nothing: what was there stays, with its age. Should the shadow become one of
another place meanwhile, nothing more is written.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

from runtime.errors import ExpectedError
from runtime.permanent.backend import Backend
from runtime.permanent.errors import PlaceChangedError
from runtime.permanent.freshness import Place
from runtime.permanent.shadow import Refreshed, is_in_scope
from runtime.store.clock import utc, utc_now
from runtime.store.connection import Connection, Row
from runtime.store.permanent_posts import (
    Seen,
    begin_place,
    known_posts,
    moment,
    note_place,
    place_row,
    put_posts,
    remove_posts,
)
from runtime.store.store import Store
from schemas.permanent import Post, PostPage

PER_PAGE: Final = 100
WHOLE_S: Final = 86_400.0
"""So often all posts are listed, whatever the count says: one may have gone as another came."""
LAG_S: Final = 60.0
"""A post that was saved so shortly before may not be in esa's search yet."""
UNDER_WAY: Final = "a refresh has begun and not come to its end"
Progress = Callable[[int, int], None]


async def refresh(
    backend: Backend,
    place: Place,
    store: Store,
    *,
    is_whole: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> Refreshed:
    """
    Read what has changed in esa since the last time; everything with *is_whole*.

    Raises BackendError, after it has been written down beside the shadow, which stays.
    """
    began = utc_now()
    async with store.transaction() as connection:
        await begin_place(connection, place.name, place.tag, is_copy=True)
        row = await place_row(connection)
        known = await known_posts(connection)
        # A killed one leaves it, and the next one reads everything.
        await note_place(connection, tried_at=utc(began), problem=UNDER_WAY)
    evidence = {
        number: post
        for number, post in known.items()
        if row is not None and row["tried_at"] is not None and post["seen_at"] <= row["tried_at"]
    }
    run = _Run(store, place, known, evidence, began, is_whole=is_whole or _is_due(row, began))
    try:
        await run.read(backend, progress)
    except PlaceChangedError:
        raise
    except ExpectedError as error:
        async with run.own() as connection:
            await note_place(connection, problem=str(error))
        raise
    return await run.finish()


class _Run:
    def __init__(
        self,
        store: Store,
        place: Place,
        known: Mapping[int, Row],
        evidence: Mapping[int, Row],
        began: datetime,
        *,
        is_whole: bool,
    ) -> None:
        self._store = store
        self._place = place
        self._known = known
        self._evidence = evidence
        """Of these, what esa has told by itself: beside what we saved, older changes may lie."""
        self._began = began
        self._is_whole = is_whole
        self._listed: set[int] = set()
        self._outside: set[int] = set()
        """Numbers that esa counts to the tag, and that are none of ours."""
        self._total = 0
        self._changed = 0

    @asynccontextmanager
    async def own(self) -> AsyncGenerator[Connection]:
        """Open a transaction as long as the shadow is of our place. Raises PlaceChangedError."""
        async with self._store.transaction() as connection:
            row = await place_row(connection)
            if row is None or (row["place"], row["tag"]) != (self._place.name, self._place.tag):
                raise PlaceChangedError(self._place.name)
            yield connection

    async def read(self, backend: Backend, progress: Progress) -> None:
        """Read pages until no more of them tells anything new."""
        page: int | None = 1
        while page:
            found = await backend.search((), self._place.tag, page, PER_PAGE)
            await self._keep(found)
            progress(len(self._listed), found.total)
            following = found.next_page
            page = following if following and following > page else None
            if page and not self._is_whole and self._is_known_from_here(found):
                return
        self._is_whole = True

    async def _keep(self, found: PostPage) -> None:
        self._total = found.total
        self._listed |= {post.number for post in found.posts}
        ours = [post for post in found.posts if is_in_scope(post, self._place.tag)]
        self._outside |= {post.number for post in found.posts} - {post.number for post in ours}
        now = utc_now()
        async with self.own() as connection:
            # What we saved ourselves meanwhile may be newer than what a search shows.
            there = await known_posts(connection)
            newer = [post for post in ours if not _is_behind(post, there)]
            seen = [Seen(post, address_of(self._place, post)) for post in newer]
            self._changed += await put_posts(connection, seen, now)

    def _is_known_from_here(self, found: PostPage) -> bool:
        """Tell whether the rest is as it is known: nothing later has changed, nothing is gone."""
        last = found.posts[-1] if found.posts else None
        if last is None or last.number not in self._evidence:
            return False
        known = self._evidence[last.number]
        is_known = (known["revision"], known["saved_at"]) == (
            last.revision,
            moment(last.updated_at),
        )
        return is_known and len(self._listed | self._known.keys()) == self._total

    async def finish(self) -> Refreshed:
        """Take out what is not there any more, and note how far the shadow has come."""
        removed: set[int] = set()
        async with self.own() as connection:
            there = await known_posts(connection)
            if self._is_whole and len(self._listed) == self._total:
                removed = self._gone(there)
                await remove_posts(connection, removed)
                await note_place(connection, listed_at=utc(self._began))
            ended, began = utc(utc_now()), utc(self._began)
            await note_place(connection, refreshed_at=began, tried_at=ended, problem=None)
        return Refreshed(len(there) - len(removed), self._changed, len(removed), self._is_whole)

    def _gone(self, there: Mapping[int, Row]) -> set[int]:
        newest = utc(self._began - timedelta(seconds=LAG_S))
        return {
            number
            for number, row in there.items()
            if number in self._outside or (number not in self._listed and row["seen_at"] < newest)
        }


def address_of(place: Place, post: Post) -> str:
    """Return where a person finds a post."""
    return post.url or f"{place.name}/posts/{post.number}"


async def note_saved(connection: Connection, place: Place, post: Post) -> None:
    """Put a post that we have just saved into the shadow, or take it out of the search."""
    await begin_place(connection, place.name, place.tag, is_copy=True)
    if not is_in_scope(post, place.tag):
        await remove_posts(connection, [post.number])
    elif not _is_behind(post, await known_posts(connection)):
        await put_posts(connection, [Seen(post, address_of(place, post))], utc_now())


def _is_behind(post: Post, there: Mapping[int, Row]) -> bool:
    return post.number in there and there[post.number]["revision"] > post.revision


def _is_due(row: Row | None, now: datetime) -> bool:
    """Tell whether all posts have not been listed for a day, or the last try has not ended well."""
    return (
        row is None
        or row["problem"] is not None
        or row["listed_at"] is None
        or row["listed_at"] < utc(now - timedelta(seconds=WHOLE_S))
    )

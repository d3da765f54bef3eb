"""
Permanent memories in a folder of Markdown files, with their history in the store.

The file is the truth for what a memory says now: whoever edits it by hand has
saved a revision, which is noted when we next look. Text that somebody saved is
never overwritten unseen; what it was before is in the store.
"""

from collections.abc import Collection, Sequence
from itertools import count
from pathlib import Path
from typing import Final

import anyio

from runtime.errors import FileChangedError
from runtime.permanent import folder as files
from runtime.permanent.errors import CannotReadError, CannotWriteError, MovedOnError, NoPostError
from runtime.permanent.folder import MOST_NUMBER, PostFile
from runtime.permanent.front_matter import lf
from runtime.store.clock import from_ns, utc, utc_now
from runtime.store.connection import Connection
from runtime.store.permanent_revisions import (
    add_revision,
    latest_revisions,
    revision_of,
    revisions,
)
from runtime.store.store import Store
from runtime.tokens.script import normalize
from schemas.permanent import ARCHIVE, Change, Draft, Post, PostPage, PostRevision, Saved

BY_HAND: Final = "edited in the folder"
NEW: Final = "new"
UPDATED: Final = "updated"
PERSON: Final = "you"


class Local:
    """The posts of one folder: `runtime.permanent.backend.Backend`."""

    def __init__(self, folder: Path, store: Store, author: str) -> None:
        self.folder = folder
        self._store = store
        self._author = author
        self.name = f"the folder {folder}"

    async def search(self, words: Sequence[str], tag: str, page: int, per_page: int) -> PostPage:
        """Return posts with the tag that hold all words, newest change first."""
        wanted = [normalize(word) for word in words]
        found = [
            post
            for post in (await self._posts()).values()
            if tag in post.tags and not post.is_archived and _holds(post, wanted)
        ]
        found.sort(key=lambda post: (post.updated_at, post.number), reverse=True)
        shown = found[(page - 1) * per_page : page * per_page]
        is_last = page * per_page >= len(found)
        return PostPage(
            posts=tuple(shown),
            page=page,
            next_page=None if is_last else page + 1,
            total=len(found),
        )

    async def get(self, number: int) -> Post:
        """Return one post."""
        post = (await self._posts()).get(number)
        if post is None:
            raise NoPostError(self.name, number)
        return post

    async def create(self, draft: Draft) -> Post:
        """Make a post."""
        async with self._store.transaction() as connection:
            known, there = await self._look(connection)
            now = utc(utc_now())
            post = Post(
                number=_free({*known, *there}),
                title=draft.title,
                body_md=lf(draft.body_md),
                tags=draft.tags,
                category=None,
                wip=False,
                revision=1,
                created_at=now,
                updated_at=now,
                updated_by=self._author,
                url=None,
            )
            return await self._save(connection, post, None, NEW)

    async def update(self, base: Post, change: Change) -> Saved:
        """Save title and body, unless somebody has saved since *base*."""
        async with self._store.transaction() as connection:
            post, file = await self._current(connection, base.number)
            if post.revision != base.revision:
                raise MovedOnError(self.name, post.number)
            new = {"title": change.title, "body_md": lf(change.body_md)}
            return Saved(post=await self._save(connection, _next(post, new), file, UPDATED))

    async def archive(self, number: int, message: str) -> Post:
        """Put a post into the archive, which is a category in its head."""
        async with self._store.transaction() as connection:
            post, file = await self._current(connection, number)
            if post.is_archived:
                return post
            category = f"{ARCHIVE}/{post.category}" if post.category else ARCHIVE
            return await self._save(connection, _next(post, {"category": category}), file, message)

    async def history(self, number: int) -> list[PostRevision]:
        """Return all revisions, newest first; those of a file that is gone too."""
        await self._posts()
        found = await revisions(self._store.connection, self._place, number)
        if not found:
            raise NoPostError(self.name, number)
        return found

    async def revision(self, number: int, revision: int) -> PostRevision | None:
        """Return one revision."""
        return await revision_of(self._store.connection, self._place, number, revision)

    @property
    def _place(self) -> str:
        return str(self.folder)

    async def listed(self) -> list[tuple[Post, PostFile]]:
        """Return all posts with their files, archived ones too; edits by hand are noted first."""
        known, there = await self._noted()
        return [(_post(file, known[number]), file) for number, file in there.items()]

    async def _posts(self) -> dict[int, Post]:
        """Return all posts; edits by hand are noted first."""
        return {post.number: post for post, _file in await self.listed()}

    async def _noted(self) -> tuple[dict[int, PostRevision], dict[int, PostFile]]:
        known, there = await self._read(self._store.connection)
        if any(_is_edited(file.post, known.get(number)) for number, file in there.items()):
            async with self._store.transaction() as connection:
                known, there = await self._look(connection)
        return known, there

    async def _read(
        self, connection: Connection
    ) -> tuple[dict[int, PostRevision], dict[int, PostFile]]:
        try:
            there = await anyio.to_thread.run_sync(files.scan, self.folder)
        except OSError as error:
            raise CannotReadError(self.name, error.strerror or str(error)) from error
        return await latest_revisions(connection, self._place), there

    async def _look(
        self, connection: Connection
    ) -> tuple[dict[int, PostRevision], dict[int, PostFile]]:
        """Read what is there and note edits by hand, in the caller's transaction."""
        known, there = await self._read(connection)
        for number, file in there.items():
            last = known.get(number)
            if _is_edited(file.post, last):
                edit = _edit(file, last)
                await add_revision(connection, self._place, number, edit)
                known[number] = edit
        return known, there

    async def _current(self, connection: Connection, number: int) -> tuple[Post, PostFile]:
        known, there = await self._look(connection)
        if number not in there:
            raise NoPostError(self.name, number)
        return _post(there[number], known[number]), there[number]

    async def _save(
        self, connection: Connection, post: Post, file: PostFile | None, message: str
    ) -> Post:
        """
        Note the save, then write the file; the caller's transaction commits after both.

        Killed in between, the file is there without a note, and the next look takes
        it for an edit by hand: its text is kept either way.
        """
        post = post.model_copy(update={"updated_by": self._author})
        revision = PostRevision(
            number=post.revision,
            title=post.title,
            body_md=post.body_md,
            saved_at=post.updated_at,
            saved_by=self._author,
            message=message,
        )
        await add_revision(connection, self._place, post.number, revision)
        try:
            path = await anyio.to_thread.run_sync(files.save, self.folder, post, file)
        except FileChangedError as error:
            raise MovedOnError(self.name, post.number) from error
        except OSError as error:
            raise CannotWriteError(self.name, error.strerror or str(error)) from error
        return post.model_copy(update={"url": path.as_uri()})


def _free(taken: Collection[int]) -> int:
    """Return a number for a new post: the next one, or a gap where there is none."""
    following = max(taken, default=0) + 1
    if following <= MOST_NUMBER:
        return following
    return next(number for number in count(1) if number not in taken)


def _holds(post: Post, words: Sequence[str]) -> bool:
    text = normalize(f"{post.title}\n{post.body_md}")
    return all(word in text for word in words)


def _is_edited(post: Post, last: PostRevision | None) -> bool:
    return last is None or (post.title, post.body_md) != (last.title, last.body_md)


def _edit(file: PostFile, last: PostRevision | None) -> PostRevision:
    """Return the save that an edit by hand was."""
    post = file.post
    number = last.number + 1 if last else post.revision
    return PostRevision(
        number=number,
        title=post.title,
        body_md=post.body_md,
        saved_at=utc(from_ns(file.mtime_ns)),
        saved_by=PERSON,
        message=BY_HAND,
    )


def _post(file: PostFile, last: PostRevision) -> Post:
    return file.post.model_copy(
        update={
            "revision": last.number,
            "updated_at": last.saved_at,
            "updated_by": last.saved_by,
        }
    )


def _next(post: Post, new: dict[str, str]) -> Post:
    facts = {**new, "revision": post.revision + 1, "updated_at": utc(utc_now())}
    return post.model_copy(update=facts)

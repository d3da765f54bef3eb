"""
The rules of permanent memories, over any backend.

A permanent memory is a post with the tag. What a caller changes it must have
read: it gives the revision, and when the post has moved on since, nothing is
overwritten. What is not named in a change stays: tags, category, whether it is
a draft. Secrets are taken out of what is saved: others may read it.
"""

import re
from collections.abc import Awaitable, Callable
from difflib import unified_diff
from typing import Final, NamedTuple

from runtime.permanent.backend import Backend
from runtime.permanent.errors import (
    AnswerLostError,
    ConflictError,
    EmptyTextError,
    MovedOnError,
    NotPermanentError,
    NotSavedError,
    OverlapError,
    UnknownRevisionError,
)
from runtime.permanent.front_matter import lf
from runtime.permanent.merge import merge
from runtime.permanent.scope import Words, literal_words
from runtime.permanent.titles import require_title
from runtime.redact import redact
from runtime.text import replace_surrogates
from schemas.permanent import (
    Change,
    CreateStatus,
    Difference,
    Draft,
    Post,
    PostPage,
    PostRevision,
    Saved,
)

ARCHIVE_MESSAGE: Final = "No longer a permanent memory"
ENDS: Final = re.compile(r"\r+\n|\r")
LOOK_UP: Final = 20
"""Newest posts among which one that may just have been made is looked for."""


Told = Callable[[Post], Awaitable[None]]
"""Is told of a post that was saved, with what it says now."""


class Searched(NamedTuple):
    """A page of what a query found, and what its author should know about it."""

    page: PostPage
    hint: str | None


class Created(NamedTuple):
    """A post, and whether this call made it."""

    post: Post
    status: CreateStatus


class Updated(NamedTuple):
    """A post after an update."""

    post: Post
    merged: bool
    """It also holds what others had saved since the caller read it."""


class Permanent:
    """What a person chose to keep."""

    def __init__(self, backend: Backend, tag: str, saved: Told | None = None) -> None:
        """*saved* is told of every post that is saved here, or was already."""
        self.backend = backend
        self.tag = tag
        self._saved = saved

    async def search(self, query: str, page: int, per_page: int) -> Searched:
        """Return the posts that hold all words of *query*; all of them for an empty one."""
        words: Words = literal_words(query)
        found = await self.backend.search(words.words, self.tag, page, per_page)
        # Whatever a backend makes of the words: nothing outside the scope is shown.
        ours = tuple(post for post in found.posts if self._is_ours(post) and not post.is_archived)
        return Searched(found.model_copy(update={"posts": ours}), words.hint)

    async def show(self, number: int) -> Post:
        """Return one permanent memory, archived or not."""
        post = await self.backend.get(number)
        if not self._is_ours(post):
            raise NotPermanentError(number, self.tag)
        return post

    async def create(self, title: str, body_md: str, extra_tags: tuple[str, ...] = ()) -> Created:
        """
        Make a permanent memory; the same one twice is one.

        Raises TitleRefusedError, EmptyTextError, NotSavedError.
        """
        title, body_md = require_title(redact(title)), _kept(body_md)
        if not body_md.strip():
            raise EmptyTextError
        there = await self.find(title, body_md)
        if there:
            return Created(await self._told(there), "known")
        tags = tuple(
            dict.fromkeys((self.tag, *(_kept(tag).strip().lstrip("#") for tag in extra_tags)))
        )
        draft = Draft(title=title, body_md=body_md, tags=tuple(tag for tag in tags if tag))
        try:
            return Created(await self._told(await self.backend.create(draft)), "created")
        except AnswerLostError as error:
            there = await self.find(title, body_md)
            if there:
                return Created(await self._told(there), "created")
            # Not sent once more: what looks lost may still be on its way.
            raise NotSavedError(self.backend.name, error.problem) from error

    async def update(
        self, number: int, title: str, body_md: str, revision: int, *, merging: bool = False
    ) -> Updated:
        """
        Save title and body in place of those of *revision*, which the caller has read.

        Doing it again as it was is done already, as long as nobody has saved since.
        With *merging*, what others saved since is kept where both do not clash.
        Raises ConflictError with both texts, OverlapError, UnknownRevisionError,
        NotPermanentError, TitleRefusedError, EmptyTextError, NotSavedError.
        """
        change = Change(title=require_title(redact(title)), body_md=_kept(body_md))
        if not change.body_md.strip():
            raise EmptyTextError
        current = await self.show(number)
        moved_on = current.revision != revision
        if current.revision > revision and _is_same(change, current):
            # What a retry finds whose first try was saved, and whose answer was lost.
            return Updated(await self._told(current), merged=False)
        if moved_on:
            change = await self._rebased(current, change, revision, merging=merging)
        if _is_same(change, current):
            return Updated(await self._told(current), merged=moved_on)
        try:
            saved = await self.backend.update(current, change)
        except MovedOnError:
            now = await self.show(number)
            raise ConflictError(_difference(now, change, revision, None)) from None
        except AnswerLostError as error:
            saved = await self._look_up(current, change, error)
        await self._told(saved.post)
        if saved.overlapped:
            raise OverlapError(number, saved.post.revision, saved.post.body_md)
        return Updated(saved.post, moved_on or saved.post.revision > current.revision + 1)

    async def archive(self, number: int) -> tuple[Post, bool]:
        """Put a permanent memory into the archive; its tag stays. True when it was not there."""
        post = await self.show(number)
        if post.is_archived:
            return await self._told(post), False
        try:
            archived = await self.backend.archive(number, ARCHIVE_MESSAGE)
        except AnswerLostError as error:
            post = await self.show(number)
            if not post.is_archived:
                raise NotSavedError(self.backend.name, error.problem) from error
            archived = post
        return await self._told(archived), True

    async def history(self, number: int) -> list[PostRevision]:
        """Return all revisions of a permanent memory, newest first."""
        await self.show(number)
        return await self.backend.history(number)

    async def find(self, title: str, body_md: str) -> Post | None:
        """Find a post of exactly this title and text, which a retry would make again."""
        found = await self.search(f'"{title}"', 1, LOOK_UP)
        for post in found.page.posts:
            if post.title == title and lf(post.body_md).strip() == lf(body_md).strip():
                return post
        return None

    async def _told(self, post: Post) -> Post:
        if self._saved is not None:
            await self._saved(post)
        return post

    def _is_ours(self, post: Post) -> bool:
        return self.tag in post.tags

    async def _rebased(
        self, current: Post, change: Change, revision: int, *, merging: bool
    ) -> Change:
        """Return the change as one of the current revision. Raises ConflictError."""
        base = await self.backend.revision(current.number, revision)
        if base is None or revision > current.revision:
            raise UnknownRevisionError(current.number, revision, current.revision)
        if not merging:
            raise ConflictError(_difference(current, change, revision, None))
        body = merge(
            lf(base.body_md),
            lf(current.body_md),
            lf(change.body_md),
            our_name=f"revision {current.revision}",
            their_name="yours",
        )
        title = current.title if change.title == base.title else change.title
        clashes_in_title = current.title not in {base.title, title}
        if body.clashes or clashes_in_title:
            raise ConflictError(_difference(current, change, revision, body.text))
        return Change(title=title, body_md=body.text)

    async def _look_up(self, base: Post, change: Change, error: AnswerLostError) -> Saved:
        """Tell what became of a write whose answer was lost."""
        now = await self.show(base.number)
        if _is_same(change, now):
            return Saved(post=now)
        if now.revision == base.revision:
            raise NotSavedError(self.backend.name, error.problem) from error
        newer = [
            (saved.title, lf(saved.body_md))
            for saved in await self.backend.history(base.number)
            if saved.number > base.revision
        ]
        if (change.title, lf(change.body_md)) in newer:
            return Saved(post=now)  # it was saved, and somebody saved after it
        raise ConflictError(_difference(now, change, base.revision, None)) from error


def _is_same(change: Change, post: Post) -> bool:
    return (change.title, lf(change.body_md)) == (post.title, lf(post.body_md))


def _difference(current: Post, change: Change, revision: int, merged: str | None) -> Difference:
    diff = unified_diff(
        lf(current.body_md).splitlines(),
        lf(change.body_md).splitlines(),
        f"revision {current.revision}",
        "yours",
        lineterm="",
    )
    return Difference(
        number=current.number,
        your_revision=revision,
        revision=current.revision,
        yours=change,
        theirs=Change(title=current.title, body_md=current.body_md),
        theirs_by=current.updated_by,
        theirs_at=current.updated_at,
        diff="\n".join(diff),
        merged=merged,
    )


def _kept(text: str) -> str:
    """
    Return a text as it may be saved: no secrets, and nothing that no file can hold.

    Lines end as all places keep them, so that what was saved is what a retry looks for.
    """
    return redact(replace_surrogates(ENDS.sub("\n", text)))

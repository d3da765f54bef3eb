"""
Permanent memories from one backend to another, each once, however often it is run.

The old place is left as it is. A post that is there already, with the same title
and text, is not made again: an interrupted move is simply done again.
"""

from collections.abc import Callable
from typing import NamedTuple

from runtime.permanent.errors import TitleRefusedError
from runtime.permanent.report import walk
from runtime.permanent.service import Permanent
from schemas.permanent import Post


class Moved(NamedTuple):
    """What became of one post."""

    post: Post
    to: int | None
    """Its number in the new place."""
    status: str
    """created, known, or why it was left out."""


async def migrate(
    old: Permanent,
    new: Permanent,
    *,
    is_dry: bool,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[Moved]:
    """
    Copy every permanent memory that is not archived; oldest change first.

    Only the newest text moves: history stays in the old place. Raises BackendError
    for what stops the rest too.
    """
    posts = [post async for post in walk(old)]
    done: list[Moved] = []
    for at, post in enumerate(reversed(posts), 1):
        done.append(await _one(post, new, is_dry=is_dry))
        progress(at, len(posts))
    return done


async def _one(post: Post, new: Permanent, *, is_dry: bool) -> Moved:
    try:
        if is_dry:
            there = await new.find(post.title, post.body_md)
            number = there.number if there else None
            return Moved(post, number, "known" if there else "would be created")
        created = await new.create(post.title, post.body_md, post.tags)
    except TitleRefusedError as error:
        return Moved(post, None, str(error))
    return Moved(created.post, created.post.number, created.status)

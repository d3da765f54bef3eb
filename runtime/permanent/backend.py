"""
Where permanent memories live: one protocol, several places.

A backend keeps posts and their revisions and knows no rules; what a permanent
memory is, and what may be done to it, is `runtime.permanent.service`'s matter.
Every method raises `runtime.permanent.errors.BackendError` when it cannot tell
or do what it was asked; an empty answer always means that there is nothing.
"""

from collections.abc import Sequence
from typing import Protocol

from schemas.permanent import Change, Draft, Post, PostPage, PostRevision, Saved


class Backend(Protocol):
    """A place for posts."""

    @property
    def name(self) -> str:
        """What people call it: "esa (team docs)", "the folder /home/me/permanent"."""
        ...

    async def search(self, words: Sequence[str], tag: str, page: int, per_page: int) -> PostPage:
        """
        Return posts with the tag, archived ones left out, that hold all *words*, literally.

        The newest change comes first; pages count from 1.
        """
        ...

    async def get(self, number: int) -> Post:
        """Return one post. Raises NoPostError."""
        ...

    async def create(self, draft: Draft) -> Post:
        """Make a post. Raises AnswerLostError when it may have been made."""
        ...

    async def update(self, base: Post, change: Change) -> Saved:
        """
        Save a change of *base*, which is the post as it was read just now.

        What others save at the same moment is kept. Raises MovedOnError when nothing
        was saved for that reason, AnswerLostError when it may have been saved.
        """
        ...

    async def archive(self, number: int, message: str) -> Post:
        """Put a post into the archive. One that is there stays as it is."""
        ...

    async def history(self, number: int) -> list[PostRevision]:
        """Return all revisions, newest first."""
        ...

    async def revision(self, number: int, revision: int) -> PostRevision | None:
        """Return one revision, None when there is none of this number."""
        ...

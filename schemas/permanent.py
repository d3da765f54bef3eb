"""Permanent memories: what a person chose to keep, and how it was before."""

from typing import Literal

from schemas.base import Own

ARCHIVE = "Archived"
"""The category that archived posts are in, or below."""


class Post(Own):
    """One permanent memory as it stands."""

    number: int
    title: str
    body_md: str
    tags: tuple[str, ...]
    category: str | None
    wip: bool
    revision: int
    """Counts the saves of this post, from 1."""
    created_at: str
    updated_at: str
    updated_by: str
    """Who saved it last, as the backend names people."""
    url: str | None

    @property
    def is_archived(self) -> bool:
        """Tell whether it lies in the archive. Letter case counts, as in esa's own call."""
        return f"{self.category or ''}/".startswith(f"{ARCHIVE}/")


class PostRevision(Own):
    """A permanent memory as one save left it."""

    number: int
    title: str
    body_md: str
    saved_at: str
    saved_by: str
    message: str


class PostPage(Own):
    """Some of the posts that answer a search, newest change first."""

    posts: tuple[Post, ...]
    page: int
    next_page: int | None
    total: int


class Draft(Own):
    """A permanent memory that is to be made."""

    title: str
    body_md: str
    tags: tuple[str, ...]


class Change(Own):
    """What an update puts in the place of title and body; all else stays."""

    title: str
    body_md: str


class Saved(Own):
    """A post after a save."""

    post: Post
    overlapped: bool = False
    """Somebody saved at the same moment, and both texts now stand side by side in it."""


class Difference(Own):
    """A save that was refused: what the caller wrote, what is there, and how they differ."""

    number: int
    your_revision: int
    revision: int
    yours: Change
    theirs: Change
    theirs_by: str
    theirs_at: str
    diff: str
    """Unified: from what is there to what the caller wrote."""
    merged: str | None = None
    """Both texts merged, with marks where they clash; None when no merge was asked for."""


CreateStatus = Literal["created", "known"]


class PostRef(Own):
    """A post, named."""

    number: int
    title: str
    revision: int
    updated_at: str


class Twins(Own):
    """Two posts that say the same."""

    a: PostRef
    b: PostRef
    similarity: float
    """0 to 1."""
    how: Literal["same", "similar", "reordered"]


class Stale(Own):
    """A post that nobody has changed for long, though what it says is bound to its time."""

    post: PostRef
    months: int
    words: tuple[str, ...]
    """What binds it to a time or a version."""


class BadTitle(Own):
    """A title that breaks the rule."""

    post: PostRef
    problem: str


class Together(Own):
    """Posts about the same keywords, which may be better as one."""

    keywords: tuple[str, ...]
    posts: tuple[PostRef, ...]


class PermanentReport(Own):
    """What `runtime permanent report` has found; nothing was changed."""

    place: str
    posts: int
    twins: tuple[Twins, ...]
    stale: tuple[Stale, ...]
    titles: tuple[BadTitle, ...]
    together: tuple[Together, ...]
    strangers: tuple[tuple[str, str], ...]
    """Files of the folder that are no posts, with the reason."""

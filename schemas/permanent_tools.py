"""What the MCP server of permanent memory answers, in the source system's names and more."""

from schemas.base import Own
from schemas.permanent import CreateStatus


class FoundPost(Own):
    """One post that a search found."""

    number: int
    name: str
    body_md: str
    """Shortened, with a marker that says how to read on."""
    updated_at: str
    revision: int
    """What an update of this post has to name."""
    tags: tuple[str, ...]
    url: str | None


class FoundPosts(Own):
    """A page of what a search found."""

    posts: tuple[FoundPost, ...]
    total: int
    page: int
    next_page: int | None
    hint: str | None
    """How the query was read, where that may surprise."""


class ShownPost(Own):
    """One post, or a part of a long one."""

    number: int
    name: str
    body_md: str
    page: int
    pages: int
    revision: int
    updated_at: str
    updated_by: str
    tags: tuple[str, ...]
    category: str | None
    wip: bool
    url: str | None
    caution: str | None
    """Said where the text reads like an order to the model."""


class SavedPost(Own):
    """A post after a write."""

    number: int
    url: str | None
    name: str
    revision: int


class CreatedPost(SavedPost):
    """A post that was made, or was there already."""

    status: CreateStatus


class UpdatedPost(SavedPost):
    """A post that was updated."""

    merged: bool
    """It also holds what others saved meanwhile: read it again."""


class ArchivedPost(SavedPost):
    """A post in the archive."""

    category: str | None
    archived: bool
    """False: it was there already, and nothing was changed."""


class PastRevision(Own):
    """One save of a post."""

    revision: int
    name: str
    saved_at: str
    saved_by: str
    message: str
    chars: int


class History(Own):
    """The saves of a post, newest first."""

    number: int
    revisions: tuple[PastRevision, ...]
    left_out: int
    """Older ones that had no room."""

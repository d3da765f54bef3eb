"""What esa's API v1 sends (https://docs.esa.io/posts/102), as far as it is read."""

from schemas.base import Lenient


class EsaPerson(Lenient):
    """Who saved something."""

    screen_name: str = ""


class EsaPost(Lenient):
    """One post."""

    number: int
    name: str
    body_md: str | None = ""
    tags: tuple[str, ...] = ()
    category: str | None = None
    wip: bool = False
    revision_number: int
    created_at: str = ""
    updated_at: str = ""
    url: str | None = None
    updated_by: EsaPerson = EsaPerson()
    overlapped: bool = False


class EsaPage(Lenient):
    """One page of a search."""

    posts: list[EsaPost]
    next_page: int | None = None
    total_count: int
    page: int = 1


class EsaRevision(Lenient):
    """One save of a post."""

    number: int
    name: str = ""
    body_md: str | None = ""
    message: str | None = ""
    created_at: str = ""
    user: EsaPerson = EsaPerson()


class EsaRevisions(Lenient):
    """The saves of a post, newest first."""

    revisions: list[EsaRevision]
    next_page: int | None = None


class EsaProblem(Lenient):
    """The body of an error."""

    error: str = ""
    message: str = ""

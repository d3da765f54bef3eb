"""`runtime permanent search`, `show` and `history`."""

from urllib.parse import urlsplit
from urllib.request import url2pathname

import click

from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.permanent_session import with_permanent
from runtime.cli.selecting import MOST
from runtime.cli.whole_number import WholeNumber
from runtime.permanent.errors import UnknownRevisionError
from runtime.permanent.service import Permanent, Searched
from runtime.store.clock import local_time
from runtime.text import one_line
from schemas.permanent import Post, PostRevision

MAX_PER_PAGE = 100
SUMMARY_CHARS = 120
number_argument = click.argument("number", type=WholeNumber(1, MOST))


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    *("-n", "limit"), default=20, show_default=True, type=WholeNumber(1, MAX_PER_PAGE),
    help="Most on a page.",
)  # fmt: skip
@click.option("--page", default=1, show_default=True, type=WholeNumber(1, MOST), help="Which page.")
@json_option
def search(query: tuple[str, ...], limit: int, page: int, *, as_json: bool) -> None:
    """
    Search the permanent memories: words and "phrases", all of which must occur.

    The newest change comes first. Without a query all are shown, page by page.
    """
    text = " ".join(query)

    async def work(permanent: Permanent) -> Searched:
        return await permanent.search(text, page, limit)

    found = with_permanent(work)
    if as_json:
        print_json({"query": text, "hint": found.hint, **found.page.model_dump(mode="json")})
        return
    for post in found.page.posts:
        say(_line(post))
    if not found.page.posts and page > 1:
        note(f"there is no page {page:,}; {found.page.total:,} in all")
    elif not found.page.posts:
        note("nothing found; try fewer words, or none for all permanent memories")
    if found.hint:
        note(found.hint)
    if found.page.next_page:
        note(f"{found.page.total:,} in all; the next page is --page {found.page.next_page}")


def _line(post: Post) -> str:
    head = f"#{post.number}  revision {post.revision}  {local_time(post.updated_at)}  {post.title}"
    text = one_line(post.body_md, SUMMARY_CHARS)
    return f"{head}\n    {text}" if text else head


@click.command()
@number_argument
@click.option("--revision", type=WholeNumber(1, MOST), help="As it was, not as it is.")
@json_option
def show(number: int, revision: int | None, *, as_json: bool) -> None:
    """Show one permanent memory whole, archived or not."""

    async def work(permanent: Permanent) -> Post | PostRevision:
        post = await permanent.show(number)
        if revision is None:
            return post
        found = await permanent.backend.revision(number, revision)
        if found is None:
            raise UnknownRevisionError(number, revision, post.revision)
        return found

    found = with_permanent(work)
    if as_json:
        print_json(found)
        return
    for name, value in _facts(found):
        if value:
            say(f"{name}: {value}")
    say(f"\n{found.body_md}")


def _facts(found: Post | PostRevision) -> tuple[tuple[str, str | None], ...]:
    if isinstance(found, PostRevision):
        return (
            ("title", found.title),
            ("revision", str(found.number)),
            ("saved", f"{local_time(found.saved_at)} by {found.saved_by}"),
            ("message", found.message),
        )
    return (
        ("title", found.title),
        ("number", str(found.number)),
        ("revision", str(found.revision)),
        ("saved", f"{local_time(found.updated_at)} by {found.updated_by}"),
        ("tags", ", ".join(found.tags)),
        ("category", found.category),
        ("draft", "yes" if found.wip else None),
        ("at", _address(found.url or "")),
    )


def _address(url: str | None) -> str | None:
    """Return a file's path as a shell takes it, any other address as it is."""
    if url is None:
        return None
    parts = urlsplit(url)
    return url2pathname(parts.path) if parts.scheme == "file" else url


@click.command()
@number_argument
@json_option
def history(number: int, *, as_json: bool) -> None:
    """List the revisions of a permanent memory, newest first."""

    async def work(permanent: Permanent) -> list[PostRevision]:
        return await permanent.history(number)

    found = with_permanent(work)
    if as_json:
        print_json(found)
        return
    for each in found:
        size = counted(len(each.body_md), "character")
        say(
            f"{each.number:>4}  {local_time(each.saved_at)}  {each.saved_by}  {size}  "
            f"{each.message}".rstrip()
        )

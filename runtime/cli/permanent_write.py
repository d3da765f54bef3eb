"""`runtime permanent create`, `update` and `archive`."""

import sys
from collections.abc import Sequence

import click

from runtime.cli.output import json_option, note, print_json, put, say
from runtime.cli.permanent_read import number_argument
from runtime.cli.permanent_session import with_permanent
from runtime.cli.selecting import MOST
from runtime.cli.stdin_text import text_or_stdin
from runtime.cli.whole_number import WholeNumber
from runtime.permanent.errors import (
    BackendError,
    ConflictError,
    NoPostError,
    NotPermanentError,
)
from runtime.permanent.service import Created, Permanent, Updated
from runtime.text import clean
from schemas.permanent import Difference, Post

body_option = click.option("--body", metavar="TEXT", help="The text; without it, stdin.")
CONFLICT = 1


@click.command()
@click.option("--title", required=True, help="[keyword][keyword] outline, at most 180 characters.")
@body_option
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Another tag.")
@json_option
def create(title: str, body: str | None, tags: tuple[str, ...], *, as_json: bool) -> None:
    """Keep something for good. The same title and text twice are one memory."""
    keep_for_good(title, text_or_stdin(body), tags, as_json=as_json)


def keep_for_good(title: str, text: str, tags: tuple[str, ...] = (), *, as_json: bool) -> None:
    """Make a permanent memory and tell of it. Raises ExpectedError."""

    async def work(permanent: Permanent) -> Created:
        return await permanent.create(title, text, tags)

    created = with_permanent(work)
    if as_json:
        print_json({"status": created.status, **created.post.model_dump(mode="json")})
    else:
        say(f"{created.status}: #{created.post.number}  {created.post.title}")


@click.command()
@number_argument
@click.option("--title", help="The new title; without it the title stays.")
@body_option
@click.option(
    "--revision", required=True, type=WholeNumber(1, MOST), help="The one that you have read."
)
@click.option(
    "--merge", "merging", is_flag=True, help="Keep what others saved since, if it does not clash."
)
@json_option
def update(
    number: int, title: str | None, body: str | None, revision: int, *, merging: bool, as_json: bool
) -> None:
    """
    Save a new text of a permanent memory, unless it has moved on since you read it.

    Then nothing is saved, and both texts and their difference are shown.
    """
    text = text_or_stdin(body)

    async def work(permanent: Permanent) -> Updated:
        kept = (await permanent.show(number)).title if title is None else title
        return await permanent.update(number, kept, text, revision, merging=merging)

    try:
        updated = with_permanent(work)
    except ConflictError as error:
        _tell_conflict(error, as_json=as_json)
        sys.exit(CONFLICT)
    if as_json:
        print_json({"merged": updated.merged, **updated.post.model_dump(mode="json")})
        return
    how = ", merged with what was saved meanwhile" if updated.merged else ""
    say(f"saved: #{number} is at revision {updated.post.revision}{how}")


@click.command()
@click.argument("numbers", nargs=-1, required=True, type=WholeNumber(1, MOST), metavar="NUMBER...")
@json_option
def archive(numbers: tuple[int, ...], *, as_json: bool) -> None:
    """
    Archive permanent memories: searches leave them out, their tag stays.

    Of several numbers those that cannot be archived keep none of the others back.
    """
    done: list[tuple[Post, bool]] = []
    left: list[BackendError] = []

    async def work(permanent: Permanent) -> None:
        for number in dict.fromkeys(numbers):
            try:
                done.append(await permanent.archive(number))
            except (NoPostError, NotPermanentError) as error:
                left.append(error)

    try:
        with_permanent(work)
    finally:
        # What was done is told, too, where something stops it in the middle.
        if done:
            _tell_archived(done, as_json=as_json)
    for error in left[:-1]:
        note(str(error))
    if left:
        raise left[-1]


def _tell_archived(done: Sequence[tuple[Post, bool]], *, as_json: bool) -> None:
    if as_json:
        print_json([{"archived": new, **post.model_dump(mode="json")} for post, new in done])
        return
    for post, is_new in done:
        word = "archived" if is_new else "archived already"
        say(f"{word}: #{post.number}  {post.title}")


def _tell_conflict(error: ConflictError, *, as_json: bool) -> None:
    """Show both texts on stdout: to whoever asked, that is the result."""
    if as_json:
        print_json({"conflict": str(error), **error.difference.model_dump(mode="json")})
        return
    say(str(error))
    put(f"\n{clean(_both(error.difference))}\n")


def _both(found: Difference) -> str:
    if found.merged is not None:
        return f"merged, as far as it goes:\n\n{found.merged}"
    return f"from what is there to yours:\n\n{found.diff}"

"""`runtime longterm promote`: a captured memory becomes a fact that somebody chose."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import click

from runtime.cli.notes_write import save
from runtime.cli.output import json_option
from runtime.cli.permanent_write import keep_for_good
from runtime.cli.selecting import MOST
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.longterm.promoting import Draft, draft_of
from runtime.store.candidates import memory_of
from runtime.store.refusals import UnknownMemoryError
from schemas.notes import Append
from schemas.records import Memory

FILE: Final = "promoted.md"


class Wish(NamedTuple):
    """What was asked for beside the memory."""

    file: str
    title: str | None
    as_json: bool


def _to_permanent(draft: Draft, wish: Wish) -> None:
    if wish.title is None:
        msg = "--to permanent needs a title: --title '[keyword][keyword] outline'"
        raise click.UsageError(msg)
    keep_for_good(wish.title, f"{draft.body}\n\n{draft.origin}", as_json=wish.as_json)


def _to_notes(draft: Draft, wish: Wish) -> None:
    save(
        lambda: [Append(file=wish.file, heading=draft.heading, body=draft.body)],
        as_json=wish.as_json,
    )


PLACES: Final[dict[str, Callable[[Draft, Wish], None]]] = {
    "notes": _to_notes,
    "permanent": _to_permanent,
}
"""What takes a memory over, by name. Each holds to its own rules, and tells of it."""


@click.command()
@click.argument("memory_id", type=WholeNumber(1, MOST), metavar="ID")
@click.option(
    "--to", "place", required=True, type=click.Choice(list(PLACES)), help="What takes it over."
)
@click.option("--file", default=FILE, show_default=True, help="The note, such as decisions.md.")
@click.option("--heading", help="A date (YYYY-MM-DD) and a title.  [default: its day and begin]")
@click.option("--title", help="For a permanent memory: [keyword][keyword] outline.")
@click.option("--body", help="Better words for it.  [default: its text]")
@json_option
def promote(memory_id: int, *, heading: str | None, body: str | None, **wish: Any) -> None:
    """
    Hand a memory over to the notes, or to the permanent memories; it stays one, too.

    What was captured by itself may be cleaned up one day; what somebody chose stays
    where that person put it. A text that breaks a rule of the notes, such as a
    relative date, is refused with the reason: give it in better words with --body.
    A permanent memory needs a --title, and says at its end where it comes from;
    handed over once more as it is, it is the same one.
    """

    async def work(app: AppContext) -> Memory | None:
        return await memory_of(app.opened.connection, memory_id)

    memory = with_app(work)
    if memory is None:
        raise UnknownMemoryError([memory_id])
    take_over = PLACES[wish.pop("place")]
    take_over(draft_of(memory, heading, body), Wish(**wish))

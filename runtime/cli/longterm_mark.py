"""`runtime longterm mark`: what is seen everywhere, and what is never cleaned up."""

import click

from runtime.cli.output import json_option, print_json, say
from runtime.cli.selecting import MOST
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.store.longterm import mark as set_marks
from runtime.store.refusals import UnknownMemoryError


@click.command()
@click.argument("ids", nargs=-1, required=True, type=WholeNumber(1, MOST), metavar="ID...")
@click.option("--global/--no-global", "is_global", default=None, help="Visible in all projects.")
@click.option("--pinned/--no-pinned", "is_pinned", default=None, help="Never cleaned up.")
@json_option
def mark(
    ids: tuple[int, ...], *, is_global: bool | None, is_pinned: bool | None, as_json: bool
) -> None:
    """
    Mark memories: visible in all projects, or never to be cleaned up.

    A memory is injected only into sessions of its own project unless it is global.
    """
    if is_global is None and is_pinned is None:
        msg = "give at least one of --global, --no-global, --pinned, --no-pinned"
        raise click.UsageError(msg)

    async def work(app: AppContext) -> list[int]:
        async with app.opened.transaction() as connection:
            unique = tuple(dict.fromkeys(ids))
            return await set_marks(connection, unique, is_global=is_global, is_pinned=is_pinned)

    found = with_app(work)
    missing = [number for number in dict.fromkeys(ids) if number not in found]
    if as_json:
        print_json({"marked": found, "missing": missing})
    elif found:
        say(f"marked {', '.join(map(str, found))}")
    if missing:
        raise UnknownMemoryError(missing)

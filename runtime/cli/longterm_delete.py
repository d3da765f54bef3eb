"""`runtime longterm delete` and `restore`: out of sight, and back."""

from collections.abc import Mapping

import click

from runtime.cli.output import json_option, note, print_json, say
from runtime.cli.selecting import MOST
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.store.clock import utc_now
from runtime.store.deleting import delete as delete_rows
from runtime.store.deleting import restore as restore_rows
from runtime.store.refusals import UnknownMemoryError

ids_argument = click.argument(
    "ids", nargs=-1, required=True, type=WholeNumber(1, MOST), metavar="ID..."
)


@click.command()
@ids_argument
@json_option
def delete(ids: tuple[int, ...], *, as_json: bool) -> None:
    """
    Delete memories; `runtime longterm restore` takes it back.

    A deleted memory is found and told no more, and is not captured again.
    """

    async def work(app: AppContext) -> Mapping[int, str]:
        async with app.opened.transaction() as connection:
            return await delete_rows(connection, ids, utc_now())

    found = with_app(work)
    _tell(found, ("deleted", "already deleted"), as_json=as_json)


@click.command()
@ids_argument
@json_option
def restore(ids: tuple[int, ...], *, as_json: bool) -> None:
    """Take the deletion of memories back."""

    async def work(app: AppContext) -> Mapping[int, str]:
        async with app.opened.transaction() as connection:
            return await restore_rows(connection, ids, utc_now())

    found = with_app(work)
    _tell(found, ("restored", "not deleted"), as_json=as_json)


def _tell(found: Mapping[int, str], outcomes: tuple[str, str], *, as_json: bool) -> None:
    """Print what was done; what was so before is no error, what does not exist is one."""
    done, before = ([number for number in found if found[number] == word] for word in outcomes)
    missing = [number for number in found if found[number] == "not found"]
    if as_json:
        names = (word.replace(" ", "_") for word in outcomes)
        print_json({**dict(zip(names, (done, before), strict=True)), "missing": missing})
    else:
        if done:
            say(f"{outcomes[0]} {', '.join(map(str, done))}")
        if before:
            note(f"{outcomes[1]}: {', '.join(map(str, before))}")
    if missing:
        raise UnknownMemoryError(missing)

"""`runtime longterm purge`: what was deleted, gone for good."""

from datetime import timedelta
from typing import Any, Final

import click

from runtime.cli.output import columns, counted, json_option, note, print_json, say
from runtime.cli.selecting import MOST
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.longterm.purging import Purged
from runtime.longterm.purging import purge as purge_memories
from runtime.store.clock import local_time, utc, utc_now
from runtime.store.purging import deleted
from runtime.store.refusals import NotDeletedError
from runtime.text import one_line

LISTED: Final = 20
SUMMARY_CHARS: Final = 80
MOST_DAYS: Final = 365_000

yes_option = click.option("--yes", is_flag=True, help="Do it; it cannot be taken back.")


@click.command()
@click.argument("ids", nargs=-1, type=WholeNumber(1, MOST), metavar="[ID...]")
@click.option(
    "--older-than",
    "days",
    default=0,
    type=WholeNumber(0, MOST_DAYS),
    metavar="DAYS",
    help="Only what was deleted longer ago.",
)
@yes_option
@json_option
def purge(ids: tuple[int, ...], *, days: int, yes: bool, as_json: bool) -> None:
    """
    Take deleted memories out for good: all, or those of the ids.

    Without --yes it shows what would go. No byte of them is left in the database,
    its index and its log, nor in the captured events that they came from. A row
    without content stays, so that they are not captured or synced again. What is
    not deleted is not purged.
    """

    async def work(app: AppContext) -> tuple[list[dict[str, Any]], Purged | None]:
        before = utc(utc_now() - timedelta(days=days)) if days else ""
        rows = await deleted(app.opened.connection, ids, before)
        found = [dict(row) for row in rows]
        missing = set(ids) - {row["id"] for row in rows}
        if missing and not days:
            raise NotDeletedError(sorted(missing))
        if not yes:
            return found, None
        return found, await purge_memories(app.opened, [row["id"] for row in rows])

    found, done = with_app(work)
    if as_json:
        print_json({"purged": done is not None, "memories": found, "events": done and done.events})
    elif done is not None:
        events = counted(done.events, "captured event")
        held = f", and what {events} held of it" if done.events else ""
        say(f"{counted(done.memories, 'memory', 'memories')} purged{held}")
    else:
        _show(found)


def _show(found: list[dict[str, Any]]) -> None:
    if not found:
        note("nothing is deleted")
        return
    rows = found[:LISTED]
    columns([(f"#{row['id']}", local_time(row["deleted_at"]), _short(row)) for row in rows])
    rest = f", and {len(found) - LISTED:,} more" if len(found) > LISTED else ""
    note(f"these{rest} would be purged; --yes does it, and it cannot be taken back")


def _short(row: dict[str, Any]) -> str:
    return one_line(row["summary"] or "", SUMMARY_CHARS)

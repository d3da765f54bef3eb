"""`runtime longterm list`: what is kept, newest first."""

import click

from runtime.cli.output import columns, json_option, note, print_json
from runtime.cli.selecting import DAY, MOST
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.days import local_day
from runtime.store.listing import Wanted, listed
from runtime.text import one_line
from schemas.longterm import ListedMemory

SUMMARY_CHARS = 72


@click.command("list")
@click.option(
    *("-n", "limit"), default=20, show_default=True, type=WholeNumber(1, MOST), help="Most."
)
@click.option("--project", multiple=True, metavar="NAME", help="Of this project.")
@click.option("--source", multiple=True, metavar="NAME", help="Of this source, such as session.")
@click.option("--tool", multiple=True, metavar="NAME", help="What this tool made, such as Write.")
@click.option("--tag", multiple=True, metavar="TAG", help="With this tag.")
@click.option("--session", metavar="ID", help="Of this session (the beginning is enough).")
@click.option("--after", type=DAY, help="Of this day (month, year) or later.")
@click.option("--before", type=DAY, help="Earlier than this day (month, year).")
@click.option("--pinned", "is_pinned", is_flag=True, help="Pinned ones only.")
@click.option("--deleted", "is_deleted", is_flag=True, help="Deleted ones instead.")
@json_option
def command(*, as_json: bool, **filters: object) -> None:
    """List long-term memories, newest first, each by its beginning."""
    wanted = Wanted(**filters)  # type: ignore[arg-type]  # the options are its fields

    async def work(app: AppContext) -> list[ListedMemory]:
        return await listed(app.opened.connection, wanted)

    found = with_app(work)
    if as_json:
        print_json(found)
    elif found:
        columns([_row(memory) for memory in found])
    else:
        note("no such memories; `runtime longterm stats` counts what there is")


def _row(memory: ListedMemory) -> tuple[str, ...]:
    marks = [word for word in ("pinned", "global") if getattr(memory, f"is_{word}")]
    return (
        f"#{memory.id}",
        local_day(memory.created_at),
        memory.source,
        memory.project or "-",
        ",".join(marks) or "-",
        one_line(memory.summary, SUMMARY_CHARS),
    )

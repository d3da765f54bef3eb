"""`runtime reindex`: bring the index up to date with the notes."""

import click

from runtime.cli.output import json_option, note, print_json, say
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.notes.book import refresh
from runtime.notes.indexer import Indexed
from runtime.store.rebuild import rebuild


@click.command()
@click.option("--rebuild", "anew", is_flag=True, help="First make the search index anew.")
@json_option
def reindex(*, anew: bool, as_json: bool) -> None:
    """
    Index what changed in the notes and forget what is gone.

    An unchanged file costs a look at its time and size. A file that cannot be
    read is named and the rest is indexed.
    """

    async def work(app: AppContext) -> tuple[Indexed, int]:
        rebuilt = 0
        if anew:
            async with app.opened.transaction() as connection:
                rebuilt = await rebuild(connection)
        return await refresh(app.home, app.settings, app.opened), rebuilt

    done, rebuilt = with_app(work)
    if as_json:
        problems = [{"path": path, "reason": reason} for path, reason in done.problems]
        print_json({**done._asdict(), "problems": problems, "rebuilt": rebuilt})
        return
    for path, reason in done.problems:
        note(f"not indexed: {path}: {reason}")
    if anew:
        say(f"search index made anew from {rebuilt} records")
    say(
        f"{done.files} files, {done.changed} changed: "
        f"{done.added} sections added, {done.removed} removed"
    )

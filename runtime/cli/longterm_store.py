"""`runtime longterm store`: one memory by hand."""

import sys

import click

from runtime.cli.output import json_option, print_json, say
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.project import identify
from runtime.store.by_hand import Given, origin_of, store_by_hand
from runtime.store.clock import utc_now
from schemas.longterm import Kept

STDIN = "-"


@click.command()
@click.option("--content", required=True, metavar="TEXT", help="What to remember; - reads stdin.")
@click.option("--source", required=True, metavar="NAME", help="Who stores it, in your own word.")
@click.option(
    "--project", metavar="NAME", help="The project it is about: its name, or its folder (./shop)."
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; give one or several.")
@json_option
def store(
    content: str, source: str, project: str | None, tags: tuple[str, ...], *, as_json: bool
) -> None:
    """
    Store one memory.

    A text that is there already is left as it is, and one that was deleted comes
    back. Without --project no session is told it before `runtime longterm mark ID
    --global`; searches find it all the same.
    """
    if content == STDIN:
        content = sys.stdin.buffer.read().decode("utf-8-sig", "replace")
    here = identify(project) if project and "/" in project else None
    named = None if here else project

    async def work(app: AppContext) -> Kept:
        async with app.opened.transaction() as connection:
            origin = await origin_of(connection, named, here, app.host)
            given = Given(content, source, tags)
            return await store_by_hand(connection, given, origin, utc_now())

    kept = with_app(work)
    if as_json:
        print_json(kept)
        return
    note = f": {kept.note}" if kept.note else ""
    say(f"stored #{kept.id}{note}" if kept.status == "stored" else f"known as #{kept.id}{note}")

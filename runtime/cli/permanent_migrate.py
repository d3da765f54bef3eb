"""`runtime permanent migrate`: from a folder to esa, or back."""

import os

import click

from runtime.cli.output import counted, json_option, print_json, say
from runtime.cli.progress import progress_bar
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.permanent.migrate import Moved, migrate
from runtime.permanent.service import Permanent
from runtime.permanent.setup import PERSON, Name, open_backend

PLACES = click.Choice(["local", "esa"])


@click.command("migrate")
@click.option("--from", "old", required=True, type=PLACES, help="Where they are.")
@click.option("--to", "new", required=True, type=PLACES, help="Where they shall be.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Say what would be done.")
@json_option
def migrate_command(old: Name, new: Name, *, is_dry: bool, as_json: bool) -> None:
    """
    Copy all permanent memories to another place; those in the archive stay behind.

    The old place is left as it is, and so is the setting: change
    permanent.backend when you are content. Run it again after an interruption,
    nothing is made twice.
    """
    if old == new:
        msg = "--from and --to are the same"
        raise click.UsageError(msg)
    with progress_bar("copying") as progress:

        async def work(app: AppContext) -> list[Moved]:
            settings = app.settings.permanent
            where = (app.home, settings, app.opened, os.environ)
            async with (
                open_backend(old, *where, author=PERSON) as source,
                open_backend(new, *where, author=PERSON) as target,
            ):
                return await migrate(
                    Permanent(source, settings.tag),
                    Permanent(target, settings.tag),
                    is_dry=is_dry,
                    progress=progress,
                )

        done = with_app(work)
    if as_json:
        print_json(
            [{"title": each.post.title, "to": each.to, "status": each.status} for each in done]
        )
        return
    for each in done:
        say(f"{each.status}: {each.post.title}{f' -> #{each.to}' if each.to else ''}")
    say(counted(len(done), "permanent memory", "permanent memories"))


def _document(moved: Moved) -> dict[str, object]:
    return {"title": moved.post.title, "to": moved.to, "status": moved.status}

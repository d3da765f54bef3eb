"""`runtime longterm dump`: write what this machine remembers for the others."""

import click

from runtime.cli.output import counted, json_option, print_json, say
from runtime.cli.progress import progress_bar
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.longterm.exchange import dump_to
from runtime.store.clock import utc_now
from schemas.sync import Dumped


@click.command("dump")
@click.argument("place", metavar="[DIR]", default="")
@click.option("--incremental", is_flag=True, help="Only what changed since this machine's dumps.")
@json_option
def command(place: str, *, incremental: bool, as_json: bool) -> None:
    """
    Write all memories and deletions into DIR, a folder that other machines see.

    DIR may be an address such as s3://bucket/folder; without it, sync.dir holds.
    Older dumps of this machine go when the new one is safe (sync.keep). Other
    machines take it over with `runtime longterm sync`.
    """

    async def work(app: AppContext) -> Dumped:
        with progress_bar("writing memories") as progress:
            return await dump_to(app, place, utc_now(), incremental=incremental, progress=progress)

    done = with_app(work)
    if as_json:
        print_json(done)
        return
    if done.name is None:
        say(f"nothing has changed since the last dump in {done.folder}")
        return
    memories = counted(done.memories, "memory", "memories")
    say(f"{done.folder}/{done.name}: {memories}, {counted(done.tombstones, 'deletion')}")
    if done.removed:
        say(f"removed: {', '.join(done.removed)}")

"""`runtime longterm sync`: take over what other machines have dumped."""

import os
from contextlib import suppress

import click
import structlog

from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.progress import progress_bar
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.errors import ExpectedError
from runtime.longterm.exchange import exchange_if_due, make_found, sync_from
from runtime.store.clock import utc_now
from schemas.sync import Dumped, Synced, SyncedFile, SyncedHost

log = structlog.get_logger(__name__)

NICE = 10
"""What is done by itself waits for what a person waits for."""


@click.command("sync")
@click.argument("place", metavar="[DIR]", default="")
@click.option("--auto", is_flag=True, help="Dump, too, and do nothing when that was done lately.")
@json_option
def command(place: str, *, auto: bool, as_json: bool) -> None:
    """
    Take over the dumps in DIR: what is new, what changed, what was deleted.

    DIR may be an address such as s3://bucket/folder; without it, sync.dir holds.
    A file that is not whole is named and left for the next time. In any order and
    however often it is done, all machines end up with the same memories.
    """
    if auto:
        _exchange(place, as_json=as_json)
        return

    async def work(app: AppContext) -> Synced:
        with progress_bar("taking memories over") as progress:
            done = await sync_from(app, place, utc_now(), progress)
        with progress_bar("putting them into the index") as progress:
            await make_found(app, progress)
        return done

    done = with_app(work)
    if as_json:
        print_json(done)
    else:
        _show(done)


def _exchange(place: str, *, as_json: bool) -> None:
    with suppress(OSError):
        os.nice(NICE)

    async def work(app: AppContext) -> tuple[Dumped, Synced] | None:
        try:
            return await exchange_if_due(app, place, utc_now())
        except ExpectedError as error:
            log.warning("sync_failed", error=str(error))
            raise

    done = with_app(work)
    if as_json:
        print_json(None if done is None else {"dumped": done[0], "synced": done[1]})
    elif done is None:
        say("nothing to do: machines were synced lately (sync.interval_s)")
    else:
        _show(done[1])


def _show(done: Synced) -> None:
    for file in done.files:
        say(f"{file.name}: {_fate(file)}")
        for line in file.skipped_lines:
            note(f"skipped: {file.name}, line {line.line:,}: {line.reason}")
        if file.skipped > len(file.skipped_lines):
            note(f"skipped: {file.name}: {file.skipped - len(file.skipped_lines):,} more lines")
    for host in done.hosts:
        say(f"from {host.host}: {_numbers(host)}")
        if host.ahead:
            note(
                f"{host.host}: {counted(host.ahead, 'line')} dated in the future counted as old: "
                "look at that machine's clock"
            )
    if done.mended:
        memories = counted(done.mended, "memory", "memories")
        note(f"{memories} of this machine dated in the future count as old now")
    if not done.files:
        say(f"no dumps in {done.folder}; `runtime longterm dump` writes one")


def _fate(file: SyncedFile) -> str:
    if file.state != "taken":
        return file.state
    skipped = f", {file.skipped:,} skipped" if file.skipped else ""
    return f"{counted(file.lines, 'line')}{skipped}"


def _numbers(host: SyncedHost) -> str:
    return f"{host.new:,} new, {host.changed:,} changed, {host.deleted:,} deleted"

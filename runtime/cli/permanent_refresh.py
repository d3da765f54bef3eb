"""`runtime permanent refresh`: what the search knows of esa, brought up to date."""

import os
from typing import Final

import anyio
import click
import structlog

from runtime import logs
from runtime.cli.output import counted, json_option, print_json, say
from runtime.cli.progress import progress_bar
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.errors import ExpectedError
from runtime.permanent.errors import CannotReadError
from runtime.permanent.freshness import place_of
from runtime.permanent.refreshing import Progress, refresh
from runtime.permanent.setup import PERSON, open_permanent
from runtime.permanent.shadow import Refreshed, follow_folder

log = structlog.get_logger(__name__)

FAILED: Final = 1


@click.command("refresh")
@click.option("--all", "is_whole", is_flag=True, help="List all posts, not only what has changed.")
@click.option("--auto", "is_auto", is_flag=True, hidden=True, help="Tell the log, not a person.")
@json_option
def refresh_command(*, is_whole: bool, is_auto: bool, as_json: bool) -> None:
    """
    Bring what the search knows of the permanent memories up to date.

    A folder is followed by itself before every search. Of esa there is a copy, which
    the worker refreshes as often as permanent.refresh_s says, and this command now.
    When esa cannot be asked, the copy stays as it was.
    """
    if is_auto:
        _by_itself()
        return
    with progress_bar("reading") as progress:
        done = with_app(lambda app: _refresh(app, is_whole=is_whole, progress=progress))
    if as_json:
        print_json(done._asdict())
        return
    memories = counted(done.posts, "permanent memory", "permanent memories")
    say(f"{memories}: {done.changed:,} new or changed, {done.removed:,} gone")


async def _refresh(app: AppContext, *, is_whole: bool, progress: Progress) -> Refreshed:
    settings = app.settings
    place = await anyio.to_thread.run_sync(place_of, app.home, settings)
    if place.is_folder:
        try:
            return await follow_folder(place, app.opened)
        except OSError as error:
            raise CannotReadError(place.name, error.strerror or str(error)) from error
    opened = open_permanent(app.home, settings, app.opened, os.environ, author=PERSON)
    async with opened as permanent:
        backend = permanent.backend
        return await refresh(backend, place, app.opened, is_whole=is_whole, progress=progress)


def _by_itself() -> None:
    """Refresh for the worker, which nobody watches: what fails is one line of the log."""

    async def work(app: AppContext) -> None:
        logs.configure(app.home, app.settings.logs)
        try:
            done = await _refresh(app, is_whole=False, progress=lambda _done, _total: None)
        except ExpectedError as error:
            log.warning("permanent_not_refreshed", error=str(error))
        else:
            log.info("permanent_refreshed", **done._asdict())

    with_app(work)

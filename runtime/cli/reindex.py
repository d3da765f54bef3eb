"""`runtime reindex`: bring the index up to date with the notes."""

from typing import Final

import click

from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.progress import progress_bar
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.longterm.catching_up import catch_up
from runtime.longterm.helper_processes import cores
from runtime.notes.book import refresh
from runtime.notes.changes import Aside, State
from runtime.notes.indexer import Indexed
from runtime.store import index_change
from runtime.store.rebuild import rebuild

ASIDE: Final[dict[State, str]] = {
    "outside": "{files} of {folder} {are} outside the configured folders: not searched",
    "missing": "{folder} is missing or cannot be read: {files} of it {are} still searched",
    "empty": "{folder} holds no notes any more: {files} of it {are} still searched",
    "evicted": "{files} of {folder} {are} in iCloud Drive only: still searched",
    "emptied": "{folder} holds no notes any more: the last one was forgotten",
}
FORGET: Final = "`runtime reindex --forget` forgets what was not found"


@click.command()
@click.option("--rebuild", "anew", is_flag=True, help="First make the search index anew.")
@click.option("--forget", is_flag=True, help="Forget every note that is not found.")
@json_option
def reindex(*, anew: bool, forget: bool, as_json: bool) -> None:
    """
    Index what changed in the notes and forget what is gone.

    An unchanged file costs a look at its time and size. A file that cannot be
    read is named and the rest is indexed. Notes of a folder that is missing, or
    is not configured any more, are named and kept, unless told to forget them.
    """

    async def work(app: AppContext) -> tuple[Indexed, int]:
        rebuilt = 0
        if anew:
            async with app.opened.transaction() as connection:
                rebuilt = await rebuild(connection)
        with progress_bar("making the search index anew") as progress:
            while seen := await index_change.progress(app.opened.connection):
                progress(seen.done, seen.total)
                await app.opened.change_index()
        with progress_bar("indexing memories") as progress:
            await catch_up(app.opened, cores(), progress)
        with progress_bar("indexing notes") as progress:
            done = await refresh(
                app.home, app.settings, app.opened, forget=forget, progress=progress
            )
        return done, rebuilt

    done, rebuilt = with_app(work)
    if as_json:
        problems = [{"path": path, "reason": reason} for path, reason in done.problems]
        aside = [each._asdict() for each in done.aside]
        print_json({**done._asdict(), "problems": problems, "aside": aside, "rebuilt": rebuilt})
        return
    _print(done)
    if anew:
        say(f"search index made anew from {counted(rebuilt, 'record')}")
    say(
        f"{counted(done.files, 'file')}, {done.changed:,} changed: "
        f"{counted(done.added, 'section')} added, {done.removed:,} removed"
    )


def _print(done: Indexed) -> None:
    for path, reason in done.problems:
        note(f"not indexed: {path}: {reason}")
    for aside in done.aside:
        note(_sentence(aside))
    if any(aside.files and aside.state != "emptied" for aside in done.aside):
        note(FORGET)


def _sentence(aside: Aside) -> str:
    if aside.state == "missing" and not aside.files:
        return f"{aside.folder} is missing or cannot be read"
    return ASIDE[aside.state].format(
        folder=aside.folder,
        files=counted(aside.files, "file"),
        are="is" if aside.files == 1 else "are",
    )

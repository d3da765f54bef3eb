"""`runtime notes import`: take over a folder of memory_system's."""

import os
import sys
from functools import partial
from pathlib import Path

import anyio
import click

from runtime.cli.output import json_option, note, print_json, say
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.errors import ImportSourceError
from runtime.notes.book import folders, refresh
from runtime.notes.importing import Source, import_copies, report
from runtime.notes.indexer import Indexed
from runtime.notes.registering import name_folders
from runtime.settings import OLD_NAMES, load, require, variable
from schemas.reports import Imported, ImportedFile


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--in-place", is_flag=True, help="Copy nothing: name FOLDER in config.toml.")
@click.option("--dry-run", is_flag=True, help="Show what would happen, write nothing.")
@json_option
def import_(folder: Path, *, in_place: bool, dry_run: bool, as_json: bool) -> None:
    """
    Take over FOLDER, a memory folder of memory_system.

    Its Markdown, CONTEXT.md included, and ../logs/context_archive.md are copied
    byte for byte into the first folder of notes. Nothing is overwritten: a file
    that differs from one of the same name is put beside it. Blocks that today's
    rules would refuse are told and taken all the same. Running it again changes
    nothing.
    """

    async def work(app: AppContext) -> tuple[Imported, Indexed | None]:
        take = partial(_register if in_place else _copy, app, folder, dry_run=dry_run)
        done = await anyio.to_thread.run_sync(take)
        if dry_run:
            return done, None
        # The registered folder is in the file, and not yet in the settings of this process.
        settings = await anyio.to_thread.run_sync(load, app.home.config, os.environ)
        return done, await refresh(app.home, require(settings), app.opened)

    done, indexed = with_app(work)
    if as_json:
        counts = None if indexed is None else {**indexed._asdict(), "problems": _problems(indexed)}
        print_json({**done.model_dump(mode="json"), "indexed": counts})
    else:
        _show(done, indexed)
    if any(file.outcome == "failed" for file in done.files):
        sys.exit(1)


def _copy(app: AppContext, folder: Path, *, dry_run: bool) -> Imported:
    source = Source(folder)
    for root in map(os.path.realpath, folders(app.home, app.settings)):
        if source.folder.is_relative_to(root):
            hint = "its notes are indexed where they are: `runtime reindex`"
            raise ImportSourceError(str(folder), f"it belongs to the notes folder {root}", hint)
    roots = folders(app.home, app.settings)
    # A file may be named among the folders, as `--in-place` does with an archive.
    target = Path(next((root for root in roots if not os.path.isfile(root)), app.home.notes))
    return import_copies(source, target, app.settings, dry_run=dry_run)


def _register(app: AppContext, folder: Path, *, dry_run: bool) -> Imported:
    source = Source(folder)
    places = [str(source.folder), *map(str, source.archives)]
    config = Path(app.home.config)
    is_changed = name_folders(config, places, app.home.notes, dry_run=dry_run)
    for name in (OLD_NAMES["notes.dirs"], variable("notes.dirs")):
        if os.environ.get(name):
            note(f"{name} is set and wins over {config}: unset it, or name {source.folder} there")
    outcome = "registered" if is_changed else "identical"
    values = ({"source": str(path), "outcome": outcome, "target": str(path)}
              for path in source.files)  # fmt: skip
    files = [ImportedFile.model_validate(value) for value in values]
    return report(source, str(config), app.settings, files, dry_run=dry_run)


def _show(done: Imported, indexed: Indexed | None) -> None:
    for file in done.files:
        where = f" -> {file.target}" if file.outcome in {"copied", "renamed"} else ""
        say(f"{file.outcome:<10} {file.source}{where}{file.reason and f': {file.reason}'}")
    for rule in done.breaks:
        what = f"{rule.chars} characters" if rule.rule == "oversized" else f"## {rule.heading}"
        say(f"{rule.rule:<10} {rule.file}:{rule.line}: {what}")
    if done.breaks:
        say("taken all the same; the rules hold for what is written from now on")
    if done.others:
        say(f"{done.others} files that are no Markdown are not needed: the index is made anew")
    if indexed is None:
        say("nothing was written")
        return
    for path, reason in indexed.problems:
        note(f"not indexed: {path}: {reason}")
    say(f"indexed: {indexed.added} sections added, {indexed.removed} removed")


def _problems(indexed: Indexed) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in indexed.problems]

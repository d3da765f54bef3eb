"""`runtime notes import`: take over a folder of memory_system's."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import click

from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.errors import ImportSourceError
from runtime.notes.book import folders, refresh
from runtime.notes.importing import Source, files_below, folders_in_place, import_copies, report
from runtime.notes.indexer import Indexed
from runtime.notes.registering import name_folders
from runtime.paths import Home, find_home
from runtime.settings import OLD_NAMES, Settings, load, require, variable
from schemas.reports import Imported, ImportedFile

WOULD: Final = {"copied": "would copy", "renamed": "would copy", "registered": "would register"}
"""What is said of an outcome where nothing is done."""
WIDTH: Final = 10
DRY_WIDTH: Final = max(map(len, WOULD.values()))


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
    take = partial(_register if in_place else _copy, folder, dry_run=dry_run)

    async def work(app: AppContext) -> tuple[Imported, Indexed]:
        done = await anyio.to_thread.run_sync(take, app.home, app.settings)
        # The registered folder is in the file, and not yet in the settings of this process.
        settings = await anyio.to_thread.run_sync(load, app.home.config, os.environ)
        return done, await refresh(app.home, require(settings), app.opened)

    done, indexed = (_looked(take), None) if dry_run else with_app(work)
    if as_json:
        counts = None if indexed is None else {**indexed._asdict(), "problems": _problems(indexed)}
        print_json({**done.model_dump(mode="json"), "indexed": counts})
    else:
        _show(done, indexed)
    if any(file.outcome == "failed" for file in done.files):
        sys.exit(1)


def _looked(take: Callable[[Home, Settings], Imported]) -> Imported:
    """Do it dry: neither the home nor its database is made."""
    home = find_home(dict(os.environ))
    return take(home, require(load(home.config, os.environ)))


def _copy(folder: Path, home: Home, settings: Settings, *, dry_run: bool) -> Imported:
    source = Source(folder)
    for root in map(os.path.realpath, folders(home, settings)):
        if source.folder.is_relative_to(root):
            hint = "its notes are indexed where they are: `runtime reindex`"
            raise ImportSourceError(str(folder), f"it belongs to the notes folder {root}", hint)
    roots = folders(home, settings)
    # A file may be named among the folders, as `--in-place` does with an archive.
    target = Path(next((root for root in roots if not os.path.isfile(root)), home.notes))
    return import_copies(source, target, settings, dry_run=dry_run)


def _register(folder: Path, home: Home, settings: Settings, *, dry_run: bool) -> Imported:
    source = Source(folder)
    places = [str(source.folder), *map(str, source.archives)]
    config = Path(home.config)
    is_changed = name_folders(config, places, home.notes, dry_run=dry_run)
    for name in (OLD_NAMES["notes.dirs"], variable("notes.dirs")):
        if os.environ.get(name):
            note(f"{name} is set and wins over {config}: unset it, or name {source.folder} there")
    outcome = "registered" if is_changed else "identical"
    values = ({"source": str(path), "outcome": outcome, "target": str(path)}
              for path in source.files)  # fmt: skip
    files = [ImportedFile.model_validate(value) for value in values]
    below = files_below(source, settings)
    files += folders_in_place(source, str(config), below, is_changed=is_changed)
    return report(source, str(config), settings, files, below=below, dry_run=dry_run)


def _show(done: Imported, indexed: Indexed | None) -> None:
    width = DRY_WIDTH if done.dry_run else WIDTH
    for file in done.files:
        where = f" -> {file.target}" if file.outcome in {"copied", "renamed"} else ""
        outcome = WOULD.get(file.outcome, file.outcome) if done.dry_run else file.outcome
        say(f"{outcome:<{width}} {file.source}{where}{file.reason and f': {file.reason}'}")
    for rule in done.breaks:
        what = f"{rule.chars:,} characters" if rule.rule == "oversized" else f"## {rule.heading}"
        say(f"{rule.rule:<{width}} {rule.file}:{rule.line}: {what}")
    for held in done.secrets:
        say(f"{'secret':<{width}} {held.file}: {', '.join(held.kinds)}")
    _remarks(done)
    if indexed is None:
        say("nothing was written")
        return
    for path, reason in indexed.problems:
        note(f"not indexed: {path}: {reason}")
    say(f"indexed: {counted(indexed.added, 'section')} added, {indexed.removed:,} removed")


def _remarks(done: Imported) -> None:
    if done.breaks:
        taken = "would be taken" if done.dry_run else "taken"
        say(f"{taken} all the same; the rules hold for what is written from now on")
    if done.secrets:
        say("secrets stay in the files and are masked in the index: take them out, and change them")
    if done.others:
        verb = "is" if done.others == 1 else "are"
        files = counted(
            done.others, f"file that {verb} no Markdown", f"files that {verb} no Markdown"
        )
        say(f"{files} {verb} not needed: the index is made anew")


def _problems(indexed: Indexed) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in indexed.problems]

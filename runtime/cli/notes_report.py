"""`runtime notes report` and `runtime notes tidy`: what could be tidied, and a plan for it."""

import os
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

import anyio
import click

from runtime.cli.notes_findings import show
from runtime.cli.output import counted, json_option, note, print_json, put
from runtime.cli.progress import progress_bar
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.errors import PlanExistsError, PlanUnwritableError
from runtime.files import write_atomic
from runtime.notes.book import archives, folders
from runtime.notes.entries import Entry, NoteTexts, of_memory, read_notes
from runtime.notes.report import STALE_DAYS, Measures, take_inventory
from runtime.notes.tidy import Plan, make_plan
from runtime.store.clock import utc_now
from runtime.store.longterm import living
from schemas.inventory import Inventory

Which = Literal["note", "notes", "long-term", "all"]
STDOUT: Final = "-"
PRIVATE_MODE: Final = 0o600

stale_days_option = click.option(
    "--stale-days",
    default=STALE_DAYS,
    show_default=True,
    type=WholeNumber(0),
    help="Age from which a block is stale.",
)


class _Material(NamedTuple):
    """What an inventory is taken of."""

    roots: tuple[str, ...]
    notes: NoteTexts | None
    memories: list[Entry] | None
    limit_chars: int
    ignore: tuple[str, ...]


@click.command()
@stale_days_option
@click.option(
    "--kind",
    "which",
    default="note",
    show_default=True,
    metavar="[note|long-term|all]",  # "notes" is understood too, one word for each is shown
    type=click.Choice(["note", "notes", "long-term", "all"]),
    help="What to look at.",
)
@json_option
def report(stale_days: int, which: Which, *, as_json: bool) -> None:
    """
    List what in the notes could be tidied. Changes nothing.

    Old blocks, blocks that say the same, dates that contradict, files that grow
    too large, blocks without text or date. Dates are those that somebody wrote.
    """
    found = _inventory(_material(which), stale_days)
    if as_json:
        print_json(found)
    else:
        show(found)


@click.command()
@click.option(
    "--plan", "path", required=True, metavar="FILE", help="Where the plan goes; - for stdout."
)
@click.option("--force", is_flag=True, help="Overwrite a plan that is there.")
@stale_days_option
@json_option
def tidy(path: str, stale_days: int, *, force: bool, as_json: bool) -> None:
    """
    Write a plan for tidying the notes, to be edited and given to `notes batch`.

    The plan proposes operations, each behind a comment mark: as it is, it changes
    nothing. It holds text of the notes.
    """
    if path == STDOUT and as_json:
        msg = "--plan - prints the plan itself: leave --json out, or name a file"
        raise click.UsageError(msg)
    if path != STDOUT and os.path.lexists(path) and not force:
        raise PlanExistsError(path)
    material = _material("note")
    found = _inventory(material, stale_days)
    plan = make_plan(found, material.notes or NoteTexts((), ()), material.roots, material.ignore)
    if not plan.is_empty:
        _write(path, plan)
    if as_json:
        print_json({"plan": None if plan.is_empty else path, "operations": plan.operations})
    elif plan.is_empty:
        note("nothing to tidy; no plan was written")
    else:
        note(f"{counted(plan.operations, 'operation')} proposed; edit the plan, then batch it")


def _write(path: str, plan: Plan) -> None:
    if path == STDOUT:
        put(plan.text)
        return
    try:
        write_atomic(Path(path), plan.text, new_mode=PRIVATE_MODE)
    except OSError as error:
        raise PlanUnwritableError(path, error.strerror or str(error)) from error


def _material(which: Which) -> _Material:
    async def work(app: AppContext) -> _Material:
        settings = app.settings
        roots = await anyio.to_thread.run_sync(folders, app.home, settings)
        notes, memories = None, None
        if which != "long-term":
            left_out = await anyio.to_thread.run_sync(archives, settings)
            limit_bytes = settings.notes.max_file_bytes
            reading = partial(read_notes, roots, left_out, limit_bytes, settings.notes.ignore)
            notes = await anyio.to_thread.run_sync(reading)
        if which in {"long-term", "all"}:
            memories = [of_memory(memory) for memory in await living(app.opened.connection)]
        return _Material(
            roots, notes, memories, settings.notes.file_max_chars, tuple(settings.notes.ignore)
        )

    return with_app(work)


def _inventory(material: _Material, stale_days: int) -> Inventory:
    measures = Measures(_today(), material.limit_chars, stale_days)
    with progress_bar("comparing") as progress:
        return take_inventory(material.notes, material.memories, measures, progress)


def _today() -> date:
    """Return the day on the person's calendar, which is what headings are dated by."""
    return utc_now().astimezone().date()

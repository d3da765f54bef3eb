"""`runtime notes append`, `replace`, `delete`, `move` and `batch`: write notes by rule."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

import anyio
import click
import structlog

from runtime import logs
from runtime.app import prepared_home, store_path
from runtime.cli.output import json_option, note, print_json, say
from runtime.cli.stdin_text import text_or_stdin
from runtime.errors import NoteRefusedError
from runtime.notes.batch import parse
from runtime.notes.following import follow
from runtime.notes.places import Places
from runtime.notes.writer import Written, write
from runtime.paths import Home
from runtime.redact import redact
from runtime.settings import Settings, load, require
from schemas.notes import (
    Append,
    Change,
    Delete,
    Move,
    Operation,
    Refused,
    Replace,
    Saved,
    SavedBatch,
)

log = structlog.get_logger(__name__)

REFUSED: Final = 1
SHOWN_HEADINGS: Final = 100
"""Of a refusal for people; JSON has all of them."""

Ask = Callable[[], Sequence[Operation]]
"""Reads what is asked for; it may refuse, too."""

file_option = click.option("--file", required=True, help="The note, such as decisions.md.")
match_option = click.option(
    "--match", required=True, help="All of the block's heading, or a part that no other has."
)
heading_option = click.option("--heading", required=True, help="A date (YYYY-MM-DD) and a title.")
body_option = click.option("--body", help="The text below the heading.  [default: stdin]")


@click.command()
@file_option
@heading_option
@body_option
@json_option
def append(file: str, heading: str, body: str | None, *, as_json: bool) -> None:
    """
    Save a new block: a dated heading and what is below it.

    It goes to the end of the file, in a CONTEXT.md before the first block. What
    breaks a rule is refused with the reason and what to do: exit code 1.
    """
    save(lambda: [Append(file=file, heading=heading, body=text_or_stdin(body))], as_json=as_json)


@click.command()
@file_option
@match_option
@heading_option
@body_option
@json_option
def replace(file: str, match: str, heading: str, body: str | None, *, as_json: bool) -> None:
    """Write a block anew, in its place: heading and body."""
    save(
        lambda: [Replace(file=file, match=match, heading=heading, body=text_or_stdin(body))],
        as_json=as_json,
    )


@click.command()
@file_option
@match_option
@json_option
def delete(file: str, match: str, *, as_json: bool) -> None:
    """Take a block out of a note, for good."""
    save(lambda: [Delete(file=file, match=match)], as_json=as_json)


@click.command()
@file_option
@match_option
@click.option("--to", required=True, help="The note that it moves to.")
@json_option
def move(file: str, match: str, to: str, *, as_json: bool) -> None:
    """Move a block to another note, as it is."""
    save(lambda: [Move(file=file, match=match, to=to)], as_json=as_json)


@click.command()
@click.argument("operations", type=click.File("rb"), default="-", metavar="[FILE|-]")
@click.option("--file", help="The note of operations that name none.")
@json_option
def batch(operations: IO[bytes], file: str | None, *, as_json: bool) -> None:
    """
    Do several operations from FILE or stdin, all or none of them.

    One JSON object a line, or an array: op (append, replace, delete, move), file,
    heading, body, match, to. A line that begins with # is a comment. What counts is
    the size of each file at the end, so blocks can be consolidated in a file that
    is full.
    """

    data = operations.read()
    save(lambda: parse(data, file), as_json=as_json, is_batch=True)


def save(ask: Ask, *, as_json: bool, is_batch: bool = False) -> None:
    """Write what is asked for and tell of it; a refusal ends the process with 1."""
    home = prepared_home(os.environ)
    settings = require(load(home.config, os.environ))
    logs.configure(home, settings.logs)
    try:
        written = write(
            ask(),
            Places(home, settings),
            limit_chars=settings.notes.file_max_chars,
            lock_dir=Path(home.run),
        )
    except NoteRefusedError as error:
        log.info("note_refused", reason=error.reason)
        if not is_batch:
            error.operation = None
        _tell_refusal(error, as_json=as_json)
        sys.exit(REFUSED)
    log.info("notes_written", operations=len(written.changes), files=len(written.states))
    problem = _index(home, settings, written)
    if problem:
        note(f"saved, but {problem}")
    if as_json:
        print_json(_answer(written, is_batch=is_batch, indexed=not problem))
    else:
        for change in written.changes:
            say(_line(change))


def _index(home: Home, settings: Settings, written: Written) -> str:
    # What is not below a folder of notes, as a CONTEXT.md may be, is not searched.
    paths = [place.indexed_as for place in written.places if place.indexed_as]
    return anyio.run(follow, home, settings, store_path(home, settings), paths) if paths else ""


def _answer(written: Written, *, is_batch: bool, indexed: bool) -> Saved | SavedBatch:
    if is_batch:
        return SavedBatch(changes=written.changes, files=written.states, indexed=indexed)
    (change,) = written.changes
    state = written.states[-1]  # Of a move the file that the block went to.
    return Saved(
        **state.model_dump(),
        action=change.action,
        heading=change.heading,
        source=change.file if change.to else None,
        indexed=indexed,
    )


def _line(change: Change) -> str:
    word = "saved" if change.action == "appended" else change.action
    where = f"{change.file} -> {change.to}" if change.to else change.file
    return f"{word}: {where} ({redact(change.heading)})"


def _tell_refusal(error: NoteRefusedError, *, as_json: bool) -> None:
    """Tell why nothing was written, on stdout: to an agent that is the result."""
    headings = tuple(redact(heading) for heading in error.headings)
    if as_json:
        refused = Refused(
            refused=error.reason,
            message=redact(str(error)),
            headings=headings,
            operation=error.operation,
        )
        print_json(refused)
        return
    which = f"operation {error.operation}: " if error.operation else ""
    say(f"refused: {which}{redact(str(error))}")
    for heading in headings[:SHOWN_HEADINGS]:
        say(f"  ## {heading}")
    if len(headings) > SHOWN_HEADINGS:
        say(f"  and {len(headings) - SHOWN_HEADINGS} more")

"""`runtime notes list`: which notes there are, and what blocks they hold."""

import os
from pathlib import Path

import click

from runtime.app import prepared_home
from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.errors import NotUtf8Error
from runtime.files import read_text
from runtime.markdown.blocks import split_blocks
from runtime.notes.book import context_file, folders
from runtime.notes.finding import find_files
from runtime.notes.places import Places
from runtime.notes.refusals import PlaceRefusedError
from runtime.notes.shown import shown_headings
from runtime.notes.writer import state_of
from runtime.paths import Home
from runtime.settings import Settings, load, require
from schemas.notes import BlockLine, NoteListing


@click.command(name="list")
@click.option("--file", help="This note only.")
@json_option
def list_notes(file: str | None, *, as_json: bool) -> None:
    """
    List the notes: characters, room left, and the heading of each block.

    A heading, or a part of it that no other has, is what --match of the other
    commands takes.
    """
    home = prepared_home(os.environ)
    settings = require(load(home.config, os.environ))
    if file is not None:
        path = Places(home, settings).locate(file).path
        if not path.exists():
            raise PlaceRefusedError("no_file", str(path))
        listings = [_listing(str(path), settings)]
    else:
        listings = _listings(home, settings)
    if as_json:
        print_json({"notes": listings})
        return
    for listing in listings:
        limit = f"{listing.chars:,} of {listing.limit:,} characters"
        say(f"{listing.file}  {limit}, {counted(listing.blocks, 'block')}")
        for block in listing.headings:
            say(f"  {block.line}: {block.heading}  ({block.chars:,})")
    if not listings and not os.path.isdir(folders(home, settings)[0]):
        return  # what is missing has been said: the notes may lie there
    if not listings:
        note("no notes yet; `runtime notes append` makes the first")


def _listings(home: Home, settings: Settings) -> list[NoteListing]:
    roots = folders(home, settings)
    found = find_files(roots, settings.notes.ignore)
    unseen = [(root, "missing, or cannot be read") for root in roots if root not in found.walked]
    for place, reason in (*unseen, *found.unread):
        note(f"not listed: {place}: {reason}")
    paths = {file.path: file.size for file in found.files}
    context = context_file(home, settings)
    if context and context not in paths and os.path.isfile(context):
        paths = {context: os.path.getsize(context), **paths}
    listings = []
    most = settings.notes.max_file_bytes
    for path, size_bytes in paths.items():
        if size_bytes > most:
            note(f"not listed: {path}: {size_bytes} bytes, at most {most} (notes.max_file_bytes)")
            continue
        try:
            listings.append(_listing(path, settings))
        except NotUtf8Error as error:
            note(f"not listed: {error}")
        except OSError as error:
            note(f"not listed: {path}: {error.strerror or error}")
    return listings


def _listing(path: str, settings: Settings) -> NoteListing:
    text = read_text(Path(path))
    document = split_blocks(text)
    blocks = tuple(
        BlockLine(heading=heading, line=block.start_line, chars=len(block.text))
        for block, heading in zip(document.blocks, shown_headings(document), strict=True)
    )
    state = state_of(path, text, settings.notes.file_max_chars)
    return NoteListing(**state.model_dump(), headings=blocks)

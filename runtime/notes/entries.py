"""
The blocks of all notes, as an inventory looks at them.

A block is an H2 with what stands below it. What stands above the first H2 is
one too, or several where H1s cut it, as far as it says anything: a file
without an H2 has blocks all the same.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from runtime.errors import ExpectedError
from runtime.files import read_text
from runtime.markdown.blocks import BLOCK_LEVEL, split_blocks
from runtime.markdown.chunker import MarkdownChunk, chunk_markdown
from runtime.markdown.dates import find_date, without_dates
from runtime.markdown.lines import Line, scan_lines
from runtime.notes.finding import find_files
from runtime.redact import redact_lines
from schemas.inventory import Place
from schemas.records import Memory

ARCHIVE_FOLDER: Final = "archive"
"""What lies in a folder of this name was put aside on purpose."""


class Entry(NamedTuple):
    """
    One block, or one long-term memory, redacted.

    *text* is what is compared: the heading without marks and dates, and the body
    without blanks at the ends of lines. *body* is what stands below the heading,
    its line ends `\\n`. *group* is the project that a memory is of: memories of
    two projects are never compared. *chars* is its size in the file.
    """

    place: Place
    text: str
    body: str
    chars: int
    heading_date: str | None = None
    group: str = ""
    is_block: bool = False
    """It begins with an H2, so that an operation can name it."""
    is_empty: bool = False
    is_pinned: bool = False
    is_whole: bool = True
    """Redaction took nothing out."""


class NoteText(NamedTuple):
    """One file: its size in characters, that of its preamble, its blocks in order."""

    path: str
    root: str
    chars: int
    preamble_chars: int
    entries: tuple[Entry, ...]


class NoteTexts(NamedTuple):
    """All notes, and path and reason of each that could not be read."""

    files: tuple[NoteText, ...]
    problems: tuple[tuple[str, str], ...]


def read_notes(
    roots: Sequence[str], left_out: Sequence[str], max_bytes: int, ignore: Sequence[str] = ()
) -> NoteTexts:
    """
    Read every note in *roots* but *left_out* and what lies in an archive; blocking.

    A file of more than *max_bytes* is a problem, like one that is not UTF-8.
    """
    found = find_files(roots, ignore)
    files, problems = [], [*found.unread]
    for file in found.files:
        inside = os.path.relpath(os.path.dirname(file.path), file.root).split(os.sep)
        if file.path in left_out or ARCHIVE_FOLDER in inside:
            continue
        try:
            if file.size > max_bytes:
                problems.append((file.path, f"{file.size:,} bytes, at most {max_bytes:,} are read"))
            elif not os.path.isfile(file.path):  # opening a FIFO would wait for ever
                problems.append((file.path, "not a regular file, or gone"))
            else:
                text = read_text(Path(file.path))
                root = os.path.dirname(file.path) if file.root == file.path else file.root
                files.append(parse_note(text, file.path, root))
        except (ExpectedError, OSError) as error:
            problems.append((file.path, str(error).removeprefix(f"{file.path} ")))
    return NoteTexts(tuple(files), tuple(problems))


def parse_note(text: str, path: str, root: str = "") -> NoteText:
    """Cut the text of one note into its blocks."""
    clean = redact_lines(text)
    chunks = chunk_markdown(clean, file_name=os.path.basename(path))
    lines = list(scan_lines(clean))
    starts = [block.start_line for block in split_blocks(clean).blocks]
    before = [line for line in lines if not starts or line.number < starts[0]]
    parts = [*_parts_of_preamble(before, has_blocks=bool(starts))]
    ends = [*starts[1:], len(lines) + 1]
    parts += [lines[start - 1 : end - 1] for start, end in zip(starts, ends, strict=False)]
    raw = [line.text for line in scan_lines(text)]
    entries = []
    for part in parts:
        entry = _entry(part, path, [item for item in chunks if _begins_in(item, part)])
        is_whole = raw[part[0].number - 1 : part[-1].number] == [line.text for line in part]
        entries.append(entry._replace(is_whole=is_whole))
    preamble_chars = len(split_blocks(text).preamble) if starts else 0
    return NoteText(path, root, len(text), preamble_chars, tuple(entries))


def _parts_of_preamble(lines: Sequence[Line], *, has_blocks: bool) -> Iterator[Sequence[Line]]:
    """Cut at H1s; a title that says nothing more is a part only where nothing else is."""
    written = [line for line in lines if line.kind != "front_matter"]
    cuts = [index for index, line in enumerate(written) if line.level == 1]
    borders = [0, *(cut for cut in cuts if cut), len(written)]
    parts = [written[start:end] for start, end in pairwise(borders)]
    saying = [part for part in parts if _says_something(part)]
    titles = [part for part in parts if any(line.kind == "heading" for line in part)]
    yield from saying or ([] if has_blocks else titles[:1])


def _says_something(lines: Sequence[Line]) -> bool:
    return any(
        line.text.strip() and line.kind not in {"heading", "front_matter", "html_comment"}
        for line in lines
    )


def _begins_in(chunk: MarkdownChunk, lines: Sequence[Line]) -> bool:
    return lines[0].number <= chunk.start_line <= lines[-1].number


def _entry(lines: Sequence[Line], path: str, chunks: Sequence[MarkdownChunk]) -> Entry:
    first = next((line for line in lines if line.text.strip()), lines[0])
    has_heading = first.kind == "heading"
    own = [chunk for chunk in chunks if chunk.date_origin == "heading"]
    # A heading inside may be newer than the block's own: the block was worked on then.
    dated = max(own, key=lambda chunk: chunk.date or "", default=chunks[0] if chunks else None)
    place = Place(
        kind="note",
        file=path,
        line=first.number,
        id=None,
        heading=first.title if has_heading else "",
        date=dated.date if dated else None,
        date_origin=dated.date_origin if dated else None,
    )
    below = [line for line in lines if not has_heading or line.number > first.number]
    body = "\n".join(line.body for line in below).strip("\n")
    return Entry(
        place,
        _compared(without_dates(place.heading), body),
        body,
        chars=sum(len(line.text) for line in lines),
        heading_date=find_date(first.title) if has_heading else None,
        is_block=first.level == BLOCK_LEVEL,
        is_empty=not _says_something(lines),
    )


def of_memory(memory: Memory) -> Entry:
    """Give a long-term memory as an entry; its date is the day of its capture, local time."""
    created = datetime.fromisoformat(memory.created_at).astimezone()
    place = Place(
        kind="long-term",
        file=None,
        line=None,
        id=memory.id,
        heading=memory.summary,
        date=created.date().isoformat(),
        date_origin="event",
    )
    text = _compared("", memory.content)
    return Entry(
        place,
        text,
        memory.content,
        chars=len(memory.content),
        group=memory.project_key or "",
        is_empty=not text,
        is_pinned=memory.is_pinned,
    )


def _compared(title: str, body: str) -> str:
    lines = [title, *(line.rstrip() for line in body.split("\n"))]
    return "\n".join(lines).strip("\n")


def newest_first(entries: Iterable[Entry]) -> list[Entry]:
    """Sort by date; of one day the later memory comes first, and the block read first."""
    return sorted(entries, key=_newness, reverse=True)


def _newness(entry: Entry) -> tuple[str, int]:
    return entry.place.date or "", entry.place.id or 0

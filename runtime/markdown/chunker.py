"""
Cut a Markdown text into the chunks that are indexed.

Every heading begins a section, so the borders of `split_blocks` are among the
borders here: both read the same lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath
from typing import Final, Literal

from runtime.markdown.cutting import atoms_of, cut, joined
from runtime.markdown.dates import find_date
from runtime.markdown.lines import Line, scan_lines

MAX_CHARS: Final = 1500  # source text, "chunker"
OVERLAP_LINES: Final = 2  # source text, "chunker"
PATH_SEPARATOR: Final = " › "

DateOrigin = Literal["heading", "parent", "front matter", "file name"]

_FRONT_MATTER_DATE: Final = re.compile(r"date[ \t]*:(.*)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MarkdownChunk:
    r"""
    A section of a text, or a part of a long one.

    *ordinal* counts from 0 through the text. *heading* is "" before the first
    heading; *heading_path* names the headings above it too ("Top › Sub").
    *content* is lines *start_line* to *end_line* (both from 1, both included),
    joined by `\n`, with the heading's own line; where one line was too long it
    is a piece of that line. *date* is `YYYY-MM-DD`; *date_origin* tells whether
    it stood in the chunk's heading, in one above it, or counts for the file.
    """

    ordinal: int
    heading: str
    heading_path: str
    content: str
    start_line: int
    end_line: int
    date: str | None
    date_origin: DateOrigin | None


@dataclass(frozen=True, slots=True)
class _Dated:
    date: str | None
    origin: DateOrigin | None


@dataclass(frozen=True, slots=True)
class _Section:
    trail: tuple[str, ...]
    dated: _Dated
    lines: Sequence[Line]


def chunk_markdown(
    text: str,
    *,
    file_name: str = "",
    max_chars: int = MAX_CHARS,
    overlap_lines: int = OVERLAP_LINES,
) -> list[MarkdownChunk]:
    """
    Cut *text* into chunks of at most *max_chars* characters, in order.

    A heading without text below it is a chunk of its own; blank lines around a
    section are in none. Parts of a long section share up to *overlap_lines*
    lines (sentences, inside a line that is too long). *file_name* serves only
    to find a date when the text itself has none.

    Raises:
        ValueError: *max_chars* is below 2 or *overlap_lines* below 0.
    """
    if max_chars < 2 or overlap_lines < 0:  # noqa: PLR2004 - a surrogate pair must fit
        raise ValueError(f"max_chars is {max_chars} (2 or more), overlap_lines {overlap_lines}")
    chunks: list[MarkdownChunk] = []
    for section in _sections(list(scan_lines(text)), file_name):
        numbered = [(line.number, line.body) for line in section.lines]
        for run in cut(atoms_of(numbered, max_chars), max_chars=max_chars, overlap=overlap_lines):
            chunks.append(
                MarkdownChunk(
                    ordinal=len(chunks),
                    heading=section.trail[-1] if section.trail else "",
                    heading_path=PATH_SEPARATOR.join(filter(None, section.trail)),
                    content=joined(run),
                    start_line=run[0].line,
                    end_line=run[-1].line,
                    date=section.dated.date,
                    date_origin=section.dated.origin,
                )
            )
    return chunks


def _sections(lines: Sequence[Line], file_name: str) -> Iterator[_Section]:
    """Yield the sections that are not blank, each with its headings and its date."""
    of_file = _date_of_file(lines, file_name)
    starts = [index for index, line in enumerate(lines) if line.kind == "heading"]
    ancestors: list[tuple[int, str, _Dated]] = []
    if before := _trimmed(lines[: starts[0]] if starts else lines):
        yield _Section((), of_file, before)
    for start, end in pairwise([*starts, len(lines)]):
        heading = lines[start]
        while ancestors and ancestors[-1][0] >= heading.level:
            ancestors.pop()
        above = ancestors[-1][2] if ancestors else of_file
        dated = _date_of_heading(heading.title, above)
        ancestors.append((heading.level, heading.title, dated))
        trail = tuple(title for _, title, _ in ancestors)
        yield _Section(trail, dated, _trimmed(lines[start:end]))


def _date_of_heading(title: str, above: _Dated) -> _Dated:
    own = find_date(title)
    if own is not None:
        return _Dated(own, "heading")
    return _Dated(above.date, "parent") if above.origin == "heading" else above


def _date_of_file(lines: Sequence[Line], file_name: str) -> _Dated:
    for line in lines:
        if line.kind != "front_matter":
            break
        match = _FRONT_MATTER_DATE.match(line.body)
        found = find_date(match[1]) if match else None
        if found is not None:
            return _Dated(found, "front matter")
    found = find_date(PurePath(file_name).stem)
    return _Dated(found, "file name") if found is not None else _Dated(None, None)


def _trimmed(lines: Sequence[Line]) -> Sequence[Line]:
    """Leave out the blank lines at both ends."""
    written = [index for index, line in enumerate(lines) if line.text.strip()]
    return lines[written[0] : written[-1] + 1] if written else ()

"""
Operations on the blocks of a Markdown text: text in, text out, pure.

Every block that is not named keeps its characters. A text is taken apart, its
parts are changed, and the result must come apart into the same parts again.
"""

import unicodedata

from runtime.markdown.blocks import Block, Document, split_blocks
from runtime.markdown.lines import BOM, closing_line, newline_of, split_lines
from runtime.notes.refusals import (
    DuplicateError,
    EmptyMatchError,
    HeadingTakenError,
    MatchError,
    StructureError,
)
from runtime.notes.rules import MARKS, NewBlock, body_key
from runtime.notes.shown import shown_headings


def append(text: str, block: NewBlock, *, newest_first: bool) -> str:
    """
    Give *text* with *block* at its end, or before the first one with *newest_first*.

    A blank line sets it apart from what stands before it. Raises DuplicateError,
    HeadingTakenError and StructureError.
    """
    return _insert(text, block.heading, block.text(newline_of(text)), newest_first=newest_first)


def replace(text: str, match: str, block: NewBlock) -> str:
    """
    Give *text* with *block* in the place of the one that *match* names.

    The blank lines behind it, and a missing end of the last line, stay. Raises
    as `append` and `find_block` do.
    """
    document = split_blocks(text)
    index = find_block(document, match)
    newline = newline_of(text)
    written = block.text(newline)
    _refuse_equal(document, block.heading, written, besides=index)
    parts = _parts(document)
    old = parts[index + 1]
    parts[index + 1] = written.removesuffix(newline) + old[len(old.rstrip()) :]
    return _join(parts)


def delete(text: str, match: str) -> str:
    """Give *text* without the block that *match* names. Raises as `find_block` does."""
    document = split_blocks(text)
    parts = _parts(document)
    del parts[find_block(document, match) + 1]
    return _join(parts)


def insert_moved(text: str, moved: Block, *, newest_first: bool) -> str:
    """
    Give *text* with a block of another text, where `append` would put a new one.

    It takes the line ending of *text*; raises as `append` does.
    """
    if closing_line(moved.text):
        raise StructureError(())
    newline = newline_of(text)
    lines = [line.rstrip("\r\n") for line in split_lines(moved.text.rstrip("\r\n \t"))]
    written = "".join(line + newline for line in lines)
    return _insert(text, moved.heading, written, newest_first=newest_first)


def find_block(document: Document, match: str) -> int:
    """
    Give the index of the one block that *match* names.

    That is the block with exactly this heading, else the one whose heading holds
    it. Raises EmptyMatchError and MatchError, with the headings to choose from.
    """
    wanted = _comparable(match.strip().removeprefix(MARKS))
    headings = [_comparable(block.heading) for block in document.blocks]
    if not wanted:
        raise EmptyMatchError(shown_headings(document))
    found = [index for index, heading in enumerate(headings) if heading == wanted]
    found = found or [index for index, heading in enumerate(headings) if wanted in heading]
    if len(found) == 1:
        return found[0]
    shown = shown_headings(document)
    candidates = tuple(shown[index] for index in found) or shown
    are_equal = len({headings[index] for index in found}) == 1
    raise MatchError(len(found), candidates, are_equal=are_equal)


def _insert(text: str, heading: str, written: str, *, newest_first: bool) -> str:
    document = split_blocks(text)
    _refuse_equal(document, heading, written)
    parts = _parts(document)
    newline = newline_of(text)
    place = 1 if newest_first else len(parts)
    before = "".join(parts[:place])
    parts[place - 1] += _gap(before, newline)
    is_followed = place < len(parts)
    parts.insert(place, written + (newline if is_followed else ""))
    return _join(parts)


def _gap(before: str, newline: str) -> str:
    """Give what ends the last line of *before* and leaves one line blank."""
    if before in {"", BOM}:
        return ""
    last = split_lines(before)[-1]
    if not last.endswith(("\n", "\r")):
        return newline * 2
    return newline if last.strip() else ""


def _refuse_equal(
    document: Document, heading: str, written: str, *, besides: int | None = None
) -> None:
    """Refuse what one of the blocks says already, or is called; *besides* is not asked."""
    body, title = body_key(written), _comparable(heading)
    others = [(n, block) for n, block in enumerate(document.blocks) if n != besides]
    for number, block in others:
        if body and body_key(block.text) == body:
            raise DuplicateError(shown_headings(document)[number])
    for number, block in others:
        if _comparable(block.heading) == title:
            raise HeadingTakenError(shown_headings(document)[number])


def _parts(document: Document) -> list[str]:
    return [document.preamble, *(block.text for block in document.blocks)]


def _join(parts: list[str]) -> str:
    text = "".join(parts)
    document = split_blocks(text)
    if _parts(document) != parts:
        raise StructureError(shown_headings(document))
    return text


def _comparable(heading: str) -> str:
    return unicodedata.normalize("NFC", heading)

"""Headings of a note as they may be shown: without secrets and without what is private."""

from typing import Final

from runtime.markdown.blocks import BLOCK_LEVEL, Document
from runtime.markdown.lines import BOM, scan_lines, split_lines
from runtime.redact import redact, redact_lines

PRIVATE_HEADING: Final = "[private]"
"""In the place of a heading that stands in a private part of its file."""


def shown_headings(document: Document) -> tuple[str, ...]:
    """
    Give the headings of all blocks in order, redacted.

    The whole text is looked at: a heading alone does not show that `<private>`
    stands somewhere above it.
    """
    lines = split_lines(redact_lines(document.text).removeprefix(BOM))
    numbers = (block.start_line - 1 for block in document.blocks)
    return tuple(_shown(lines[number] if number < len(lines) else "") for number in numbers)


def _shown(line: str) -> str:
    first = next(scan_lines(line), None)
    if first is None or first.level != BLOCK_LEVEL:
        return PRIVATE_HEADING
    return redact(first.title)

"""The H2 blocks of a Markdown text, as exact slices."""

from dataclasses import dataclass
from typing import Final

from runtime.markdown.lines import scan_lines

BLOCK_LEVEL: Final = 2


@dataclass(frozen=True, slots=True)
class Block:
    """
    One H2 heading and everything up to the next one, other headings included.

    *heading* is the title without its marks, *text* the exact slice with the
    heading's line, *start_line* counts from 1.
    """

    heading: str
    text: str
    start_line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text cut into what precedes the first H2 and its blocks, in order."""

    preamble: str
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The whole text again, character for character."""
        return self.preamble + "".join(block.text for block in self.blocks)


def split_blocks(text: str) -> Document:
    """
    Cut *text* before each H2 (a line of `## …`, see `runtime.markdown.lines`).

    Preamble and blocks joined are *text* itself. A byte order mark and front
    matter belong to the preamble; an H1 below an H2 belongs to that block.
    """
    starts = [line for line in scan_lines(text) if line.level == BLOCK_LEVEL]
    ends = [line.offset for line in starts[1:]] + [len(text)]
    blocks = tuple(
        Block(heading=line.title, text=text[line.offset : end], start_line=line.number)
        for line, end in zip(starts, ends, strict=False)
    )
    return Document(preamble=text[: starts[0].offset] if starts else text, blocks=blocks)

"""
A three-way merge of texts by lines: what both sides changed apart is kept from both.

Pure functions. Where the two sides changed the same lines, or touching ones, in
different ways, that is a clash; the merged text then holds both sides between
the marks that git uses.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

OURS_MARK: Final = "<<<<<<<"
SPLIT_MARK: Final = "======="
THEIRS_MARK: Final = ">>>>>>>"


class Merged(NamedTuple):
    """The merged text, and how many places hold both sides because they clash."""

    text: str
    clashes: int


class _Stretch(NamedTuple):
    """Lines of all three texts that lie between the same anchors; half-open ranges."""

    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


def merge(base: str, ours: str, theirs: str, *, our_name: str, their_name: str) -> Merged:
    """
    Return *base* with the changes of both sides.

    A last line without an end is a line of its own: text and text with a newline differ.
    """
    if theirs in {ours, base}:
        return Merged(ours, 0)
    if ours == base:
        return Merged(theirs, 0)
    texts = base_lines, our_lines, their_lines = _lines(base), _lines(ours), _lines(theirs)
    merged: list[str] = []
    clashes = 0
    for stretch in _stretches(*texts):
        old = base_lines[slice(*stretch.base)]
        our, their = our_lines[slice(*stretch.ours)], their_lines[slice(*stretch.theirs)]
        if their in (our, old):
            merged += our
        elif our == old:
            merged += their
        else:
            clashes += 1
            merged += _both(our, their, our_name, their_name)
    return Merged("".join(merged), clashes)


def _lines(text: str) -> list[str]:
    """Cut at line feeds alone: what else ends a line for Python is part of one here."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]


def _stretches(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[_Stretch]:
    """
    Cut the texts at the lines that are the same in all three, in order.

    Each such line is a stretch by itself, and what lies between two of them another.
    """
    in_ours, in_theirs = _same(base, ours), _same(base, theirs)
    anchors = [
        (line, in_ours[line], in_theirs[line])
        for line in range(len(base))
        if line in in_ours and line in in_theirs
    ]
    ends = (len(base), len(ours), len(theirs))
    for before, after in pairwise([(-1, -1, -1), *anchors, ends]):
        between = [(low + 1, high) for low, high in zip(before, after, strict=True)]
        if any(low < high for low, high in between):
            yield _Stretch(*between)
        if after is not ends:
            yield _Stretch(*((line, line + 1) for line in after))


def _same(base: Sequence[str], side: Sequence[str]) -> dict[int, int]:
    """Pair lines of *base* with equal lines of *side*, in order: index to index."""
    matcher = SequenceMatcher(None, base, side, autojunk=False)
    return {
        block.a + offset: block.b + offset
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
    }


def _both(ours: Sequence[str], theirs: Sequence[str], our_name: str, their_name: str) -> list[str]:
    return [
        f"{OURS_MARK} {our_name}\n",
        *_ended(ours),
        f"{SPLIT_MARK}\n",
        *_ended(theirs),
        f"{THEIRS_MARK} {their_name}\n",
    ]


def _ended(lines: Sequence[str]) -> list[str]:
    return [line if line.endswith("\n") else line + "\n" for line in lines]

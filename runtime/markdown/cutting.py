"""
Cut a long section into parts that overlap a little.

A section is a row of atoms: its lines, and for a line longer than a part its
sentences. Parts are runs of atoms; borders lie at blank lines where that
leaves the part at least half full, else between lines, else between sentences.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

# A part may start with this share of old text at most: more would make it a
# copy of its neighbour.
OVERLAP_SHARE: Final = 4

_SENTENCE_END: Final = re.compile(
    r"(?:[。！？]+|(?<![!?])[!?]++(?![!-~])|\.(?=[ \t]|\Z))[」』）)\"'”’]*[ \t]*"
)
_ZERO_WIDTH_JOINER: Final = "\u200d"
_MARK_CATEGORIES: Final = frozenset({"Mn", "Mc", "Me"})


class Atom(NamedTuple):
    """A piece that is never cut: a line's number (from 1), its text, whether it ends there."""

    line: int
    text: str
    ends_line: bool

    @property
    def size_chars(self) -> int:
        return len(self.text) + self.ends_line

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def atoms_of(lines: Iterable[tuple[int, str]], max_chars: int) -> list[Atom]:
    """Turn numbered lines without endings into atoms of at most *max_chars* characters."""
    atoms = []
    for number, body in lines:
        pieces = [body] if len(body) <= max_chars else list(_sentences(body, max_chars))
        atoms += [Atom(number, piece, ends_line=False) for piece in pieces[:-1]]
        atoms.append(Atom(number, pieces[-1], ends_line=True))
    return atoms


def cut(atoms: Sequence[Atom], *, max_chars: int, overlap: int) -> Iterator[Sequence[Atom]]:
    """
    Yield runs of *atoms* whose joined text has at most *max_chars* characters.

    Every atom but blank lines at a border is in some run. Each run after the
    first begins with up to *overlap* atoms of the one before, as far as they fit.
    """
    start = fresh = 0
    while fresh < len(atoms):
        end = _fill(atoms, start, max_chars)
        if end < len(atoms):
            end = _border(atoms, start, fresh, end)
        last = end
        while last > fresh + 1 and atoms[last - 1].is_blank:
            last -= 1
        yield atoms[start:last]
        fresh = end
        while fresh < len(atoms) and atoms[fresh].is_blank:
            fresh += 1
        if fresh < len(atoms):
            start = _overlap_start(atoms, (max(start, last - overlap), last), fresh, max_chars)


def joined(atoms: Sequence[Atom]) -> str:
    r"""Give the text of a run, its lines joined by `\n`, without a last one."""
    return "".join(atom.text + "\n" * atom.ends_line for atom in atoms).removesuffix("\n")


def _fill(atoms: Sequence[Atom], start: int, max_chars: int) -> int:
    size = 0
    for index in range(start, len(atoms)):
        size += atoms[index].size_chars
        if size - atoms[index].ends_line > max_chars:
            return index
    return len(atoms)


def _border(atoms: Sequence[Atom], start: int, fresh: int, end: int) -> int:
    """Move *end* back behind the last blank line, if enough is left before it."""
    sizes = [atom.size_chars for atom in atoms[start:end]]
    size = whole = sum(sizes)
    for index in range(end - 1, fresh, -1):
        if size * 2 < whole:
            break
        if atoms[index].is_blank:
            return index + 1
        size -= sizes[index - start]
    return end


def _overlap_start(atoms: Sequence[Atom], old: tuple[int, int], fresh: int, max_chars: int) -> int:
    """Find where the next run starts so that its old atoms leave room for a new one."""
    gap = sum(atom.size_chars for atom in atoms[old[1] : fresh])
    room = min(max_chars // OVERLAP_SHARE, max_chars - atoms[fresh].size_chars - gap)
    start = old[1]
    while start > old[0] and atoms[start - 1].size_chars <= room:
        start -= 1
        room -= atoms[start].size_chars
    return start if start < old[1] else fresh


def _sentences(body: str, max_chars: int) -> Iterator[str]:
    start = 0
    for match in _SENTENCE_END.finditer(body):
        if _joins(body, match.end()):
            continue
        yield from _hard_cut(body[start : match.end()], max_chars)
        start = match.end()
    yield from _hard_cut(body[start:], max_chars)


def _hard_cut(text: str, max_chars: int) -> Iterator[str]:
    """Cut by length, before a whole character; a longer sequence than a part is cut inside."""
    start = 0
    while len(text) - start > max_chars:
        end = start + max_chars
        while end > start and _joins(text, end):
            end -= 1
        end = end if end > start else start + max_chars
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _joins(text: str, index: int) -> bool:
    """Tell whether the characters on both sides of *index* are read as one."""
    if not 0 < index < len(text):
        return False
    before, after = text[index - 1], text[index]
    return (
        unicodedata.category(after) in _MARK_CATEGORIES
        or _ZERO_WIDTH_JOINER in {before, after}
        or after in "ﾞﾟ"  # half-width voicing marks are letters to Unicode
        or "\u1160" <= after <= "\u11ff"  # vowels and finals of decomposed Hangul
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")
    )

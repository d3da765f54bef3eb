"""
Find texts that say the same, without comparing every pair at length.

Two texts are duplicates when `difflib` calls them at least 70 % equal (its
ratio with autojunk off, `runtime.likeness`), or when at least 70 % of
their characters lie in sentences that both have, in whatever order.

Neither measure can exceed what two cheap looks allow: the lengths, and how
many characters both have. Pairs that fail one are done; for them nothing is
missed. The others are compared in full, those with the most 4-grams in common
first. A collection of a few hundred texts is compared whole. In a larger one the
comparing ends when its budget is spent, and `Duplicates` says how many pairs
were left and how little those have in common.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from statistics import fmean
from typing import Final, Literal, NamedTuple

from runtime.likeness import CharacterCounts, Likeness

THRESHOLD: Final = 0.7  # Source text, "memory_report.py".
GRAM_CHARS: Final = 4
BUDGET: Final = 100_000_000_000
"""Work for full comparisons, see `_cost`: 90,000 unlike pairs of texts of 560 characters."""
STEP_CHARS: Final = 1_360
"""What looking at one character costs beside the other text, in characters of that text."""
ALIKE_SHARE: Final = 0.5
ALIKE_COST: Final = 16
"""So many times the work is a pair with so many 4-grams in common: it needs its ratio."""
KEPT_PAIRS: Final = 100_000
BITS_PER_CHAR: Final = 32
LEAST_BITS: Final = 4096
MOST_BITS: Final = 262_144
PROGRESS_EVERY: Final = 100

How = Literal["similar", "reordered"]
Progress = Callable[[int, int], None]
"""Told now and then how much is done, and of how much."""


class Pair(NamedTuple):
    """Two duplicates by their numbers in the sequence, the earlier first; 0 to 1."""

    a: int
    b: int
    similarity: float
    how: How


class Duplicates(NamedTuple):
    """What was found among all pairs, in order, and what was left."""

    pairs: tuple[Pair, ...]
    uncompared: int
    """Pairs left out when the budget was spent."""
    most_shared: float
    """None of these has more than this share of its 4-grams in common, 0 to 1."""


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""


def find_duplicates(
    texts: Sequence[str],
    *,
    threshold: float = THRESHOLD,
    budget: int = BUDGET,
    progress: Progress = no_progress,
) -> Duplicates:
    """
    Give every pair of *texts* whose similarity is at least *threshold*.

    Equal texts are pairs like any other: take copies out before. An empty text
    is nobody's duplicate. The result depends on nothing but the arguments.
    """
    total = 2 * len(texts)
    candidates = _Candidates(texts, threshold)
    for row in range(candidates.rows):
        candidates.look(row)
        progress(row + 1, total)
    chosen = candidates.chosen(budget)
    likeness = Likeness(texts, threshold)
    pairs = []
    for number, (a, b) in enumerate(chosen, start=1):
        similar = likeness.of(a, b)
        if similar is not None:
            pairs.append(Pair(a, b, *similar))
        if number % PROGRESS_EVERY == 0:
            progress(len(texts) + number * len(texts) // len(chosen), total)
    progress(total, total)
    return Duplicates(tuple(pairs), candidates.seen - len(chosen), candidates.most_shared)


def piece_chars(most_shared: float, threshold: float = THRESHOLD) -> float:
    """
    Give the most that common pieces of an uncompared duplicate have on average.

    M characters in B common pieces have at least M - 3B 4-grams in common, and
    a duplicate has M of at least *threshold* of the length: with a share s of
    common 4-grams, M / B is at most 3 / (1 - s / threshold). Infinite from s = threshold on.
    """
    room = 1 - most_shared / threshold
    return (GRAM_CHARS - 1) / room if room > 0 else float("inf")


class _Candidates:
    """
    The pairs that are worth a comparison: those with most in common are kept.

    One row for each text, from short to long, with the texts that are longer.
    """

    def __init__(self, texts: Sequence[str], threshold: float) -> None:
        order = sorted((len(text), index) for index, text in enumerate(texts) if text)
        self.rows = len(order)
        self.seen = 0
        self.most_shared = 0.0
        """The most that a pair has in common which is not among those kept."""
        self._threshold = threshold
        self._lengths = [length for length, _ in order]
        self._indexes = [index for _, index in order]
        counts = CharacterCounts(texts)
        self._masks = [counts.mask(texts[index]) for index in self._indexes]
        self._grams = _grams_of([texts[index] for index in self._indexes])
        self._kept: list[tuple[float, int, int]] = []  # Share of 4-grams, and both rows.
        self._is_full = False

    def look(self, row: int) -> None:
        """Take in the pairs of a row that lengths and common characters allow."""
        length, mask, grams = self._lengths[row], self._masks[row], self._grams[row]
        for other in range(row + 1, self.rows):
            both = length + self._lengths[other]
            if 2.0 * length / both < self._threshold:
                break
            if 2.0 * (mask & self._masks[other]).bit_count() / both < self._threshold:
                continue
            self.seen += 1
            share = 2.0 * grams.shared(self._grams[other]) / both
            if not self._is_full or share > self.most_shared:
                self._kept.append((share, row, other))
        if len(self._kept) > 2 * KEPT_PAIRS:
            self._cut(KEPT_PAIRS)

    def chosen(self, budget: int) -> list[tuple[int, int]]:
        """Give the pairs that the budget allows, as indexes of the texts, in order."""
        self._kept.sort(key=_most_first)
        costs = accumulate(
            _cost(share, self._lengths[row], self._lengths[other])
            for share, row, other in self._kept
        )
        self._cut(sum(cost <= budget for cost in costs))
        pairs = ((self._indexes[row], self._indexes[other]) for _, row, other in self._kept)
        return sorted((min(pair), max(pair)) for pair in pairs)

    def _cut(self, length: int) -> None:
        if length < len(self._kept):
            self._kept.sort(key=_most_first)
            self.most_shared = max(self.most_shared, self._kept[length][0])
            self._is_full = True
        del self._kept[length:]


def _cost(share: float, shorter: int, longer: int) -> int:
    """Estimate the work of a comparison, about 75 ps each; measured, not exact."""
    return longer * (shorter + STEP_CHARS) * (ALIKE_COST if share >= ALIKE_SHARE else 1)


def _most_first(candidate: tuple[float, int, int]) -> tuple[float, int, int]:
    return (-candidate[0], candidate[1], candidate[2])


class _Grams(NamedTuple):
    """
    A text's 4-grams as a set of bits, repeated ones counted.

    Two grams may fall on one bit. *lost* is how often that was so: it keeps
    `shared` from ever being too low.
    """

    mask: int
    lost: int

    def shared(self, other: "_Grams") -> int:
        """Give no less than the number of grams that both have."""
        return (self.mask & other.mask).bit_count() + min(self.lost, other.lost)


def _grams_of(texts: Sequence[str]) -> list[_Grams]:
    usual = fmean(map(len, texts)) if texts else 0
    bits = min(MOST_BITS, max(LEAST_BITS, round(usual) * BITS_PER_CHAR))
    return [_grams(text, bits) for text in texts]


def _grams(text: str, bits: int) -> _Grams:
    marks = bytearray(bits // 8 + 1)
    seen: Counter[str] = Counter()
    for start in range(len(text) - GRAM_CHARS + 1):
        gram = text[start : start + GRAM_CHARS]
        seen[gram] += 1
        # crc32, because `hash` differs from process to process.
        bit = zlib.crc32(f"{seen[gram]}{gram}".encode("utf-8", "surrogatepass")) % bits
        marks[bit >> 3] |= 1 << (bit & 7)
    mask = int.from_bytes(marks, "little")
    return _Grams(mask, max(0, len(text) - GRAM_CHARS + 1) - mask.bit_count())

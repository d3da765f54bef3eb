"""
Which of very many texts may say almost the same, without comparing all of them.

A text is known by its runs of five characters. Their hashes fall into bins, and
the least of each bin makes a signature: two texts agree in a bin about as often as
they have runs in common (one-permutation MinHash, Li, Owen and Zhang 2012, with empty
bins filled from the next one, Shrivastava and Li 2014). Bins are taken in bands, and
texts that agree in a whole band are looked at (Leskovec, Rajaraman and Ullman, "Mining
of Massive Datasets", 3.4). What is left is confirmed by the texts themselves.

One band is sorted at a time, so memory grows by some hundred bytes for each text, and
time by its length.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Final
from zlib import crc32

from runtime.likeness import Likeness

THRESHOLD: Final = 0.9
"""Two texts that are less alike say something of their own."""
LEAST_CHARS: Final = 150
"""In a shorter text one word may be all that it says."""
RUNS_THRESHOLD: Final = 0.8
"""The same in runs in common: a changed character takes five of them with it."""
RUN_CHARS: Final = 5
BINS: Final = 48
BAND_BINS: Final = 4
BANDS: Final = BINS // BAND_BINS
LEAST_BANDS: Final = 2
"""
Bands in which a pair has to agree. With 80 % of their runs in common 99 of 100 do; of
unlike ones, of which there are millions, next to none, where many would in one.
"""
LEAST_SHARE: Final = THRESHOLD / (2 - THRESHOLD)
"""Of two texts that are alike the shorter one has at least this share of the other's length."""
SAMPLED_CHARS: Final = 800
"""Of a longer text every fourth run or so is taken, by the character that it begins with."""
BEFORE: Final = 4
"""So many that agree in a band each text is compared with: a crowd stays linear."""
LAST_CODE: Final = 0x10000


@cache
def _sampled() -> re.Pattern[str]:
    """Give what finds the runs that are taken: about a quarter, in every script."""
    chars = (char for char in map(chr, range(LAST_CODE)) if not char.isspace())
    signs = (char for char in chars if crc32(char.encode("utf-16", "surrogatepass")) % 4 == 0)
    begin = "".join(map(re.escape, signs))
    return re.compile(f"(?=([{begin}].{{{RUN_CHARS - 1}}}))", re.DOTALL)


def signatures(text: str) -> list[list[int]]:
    """
    Return the least hash of each bin: of all runs of a short text, some of a long one.

    Both where a text of the other kind may be alike.
    """
    found = []
    if len(text) <= SAMPLED_CHARS / LEAST_SHARE:
        ends = range(RUN_CHARS, max(RUN_CHARS, len(text)) + 1)
        found.append(_signature({text[end - RUN_CHARS : end] for end in ends}))
    if len(text) > SAMPLED_CHARS * LEAST_SHARE:
        found.append(_signature(set(_sampled().findall(text)) or {text}))
    return found


def _signature(runs: set[str]) -> list[int]:
    hashes = sorted(map(crc32, map(str.encode, runs)), reverse=True)
    least = {value % BINS: value for value in hashes}
    return [_filled(least, number) for number in range(BINS)]


def _filled(least: dict[int, int], number: int) -> int:
    """Return a bin's hash; for an empty one that of the next, marked by the distance."""
    distance = 0
    while (number + distance) % BINS not in least:
        distance += 1
    return least[(number + distance) % BINS] + (distance << 32)


class Bands:
    """The bands of many texts; each is known by the number in which it came."""

    def __init__(self) -> None:
        self._keys = [array("q") for _ in range(BANDS)]
        self._owners = array("q")
        """Which text a row of keys is of: some have two."""
        self._texts = 0

    def add(self, text: str, group: str) -> None:
        """Take one text in; those of two groups are never compared, nor are short ones."""
        if len(text) < LEAST_CHARS:
            self._texts += 1
            return
        salt = crc32(group.encode("utf-8", "surrogatepass"))
        for bins in signatures(text):
            self._owners.append(self._texts)
            for number, keys in enumerate(self._keys):
                band = bins[number * BAND_BINS : (number + 1) * BAND_BINS]
                keys.append(hash((salt, number, *band)))
        self._texts += 1

    def pairs(self) -> list[tuple[int, int]]:
        """Return pairs of numbers that agree in enough bands, the earlier first; in order."""
        owners = self._owners
        rows = chain.from_iterable(map(_pairs_of, self._keys))
        pairs = Counter((owners[a], owners[b]) for a, b in rows)
        often = (pair for pair, bands in pairs.items() if bands >= LEAST_BANDS)
        return sorted({(min(pair), max(pair)) for pair in often if pair[0] != pair[1]})


def _pairs_of(keys: "array[int]") -> Iterator[tuple[int, int]]:
    order = sorted(range(len(keys)), key=keys.__getitem__)
    begin = 0
    for at in range(1, len(order)):
        if keys[order[at]] != keys[order[begin]]:
            begin = at
        # `sorted` keeps the order of equal ones: earlier texts stand first.
        for other in order[max(begin, at - BEFORE) : at]:
            yield other, order[at]


class Families:
    """What is alike, directly or through others (union-find)."""

    def __init__(self, size: int) -> None:
        self._parents = array("q", range(size))

    def of(self, number: int) -> int:
        """Return the number that stands for a family."""
        while self._parents[number] != number:
            self._parents[number] = self._parents[self._parents[number]]
            number = self._parents[number]
        return number

    def join(self, a: int, b: int) -> None:
        """Make two families one."""
        first, second = sorted((self.of(a), self.of(b)))
        self._parents[second] = first


def similarity(a: str, b: str) -> float | None:
    """
    Return how alike two texts are, None below the threshold.

    Short ones are compared as notes are. That takes the square of their length, so
    of longer ones the runs that both have are counted, in whatever order.
    """
    if max(len(a), len(b)) <= SAMPLED_CHARS:
        found = Likeness((a, b), THRESHOLD).of(0, 1)
        return None if found is None else found[0]
    first, second = _runs(a), _runs(b)
    share = 2.0 * (first & second).total() / (first.total() + second.total())
    return share if share >= RUNS_THRESHOLD else None


def _runs(text: str) -> Counter[str]:
    return Counter(text[end - RUN_CHARS : end] for end in range(RUN_CHARS, len(text) + 1))

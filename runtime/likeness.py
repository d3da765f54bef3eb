"""How alike two texts are: difflib's ratio, quickly, and common sentences in any order."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal

LOOK_EVERY: Final = 32
"""Characters after which a comparison is asked whether it can still succeed."""

_END: Final = re.compile(r"(?<=[。！？])|(?<=[.!?])(?=\s)")
_MARKER: Final = re.compile(r"\s*(?:[-+*]|[0-9]{1,9}[.)]|#{1,6})\s+")

Similar = tuple[float, Literal["similar", "reordered"]]


class Likeness:
    """Compares texts by their numbers in *texts*; remembers what it has worked out."""

    def __init__(self, texts: Sequence[str], threshold: float) -> None:
        self._texts = texts
        self._threshold = threshold
        self._sentences: dict[int, Counter[str]] = {}

    def of(self, a: int, b: int) -> Similar | None:
        """Give the similarity of two texts and what kind it is, or None below the threshold."""
        first, second = self._texts[a], self._texts[b]
        if may_be_similar(second, first, self._threshold):
            similarity = ratio(first, second)
            if similarity >= self._threshold:
                return similarity, "similar"
        both = len(first) + len(second)
        common = 2.0 * shared_chars(self._of(a), self._of(b)) / both if both else 0.0
        return (common, "reordered") if common >= self._threshold else None

    def _of(self, index: int) -> Counter[str]:
        if index not in self._sentences:
            self._sentences[index] = sentences(self._texts[index])
        return self._sentences[index]


class CharacterCounts:
    """
    Texts as sets of bits, one for each first, second, third … occurrence of a character.

    What two sets have in common is as many bits as the texts have characters
    in common, in any order: difflib's `quick_ratio` in one step.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        most: Counter[str] = Counter()
        for text in texts:
            most |= Counter(text)
        starts = accumulate((count for _, count in most.most_common()), initial=0)
        self._starts = dict(zip((char for char, _ in most.most_common()), starts, strict=False))

    def mask(self, text: str) -> int:
        """Give the set of a text that was among those given at first."""
        counts = Counter(text).items()
        return sum(((1 << count) - 1) << self._starts[char] for char, count in counts)


def ratio(a: str, b: str) -> float:
    """
    Give what `difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()` gives.

    Several times as fast: the longest common piece is looked for with `str.find`.
    """
    matched = 0
    todo = [(a, b)]
    while todo:
        left, right = todo.pop()
        i, j, size = _longest_piece(left, right)
        if size:
            matched += size
            todo += [(left[:i], right[:j]), (left[i + size :], right[j + size :])]
    return 2.0 * matched / (len(a) + len(b)) if a or b else 1.0


def _longest_piece(a: str, b: str) -> tuple[int, int, int]:
    """Find the longest common piece: the first such in *a*, and its first place in *b*."""
    best_i = best_j = size = 0
    i = 0
    while i + size < len(a):
        j = b.find(a[i : i + size + 1])
        while j >= 0:
            best_i, best_j, size = i, j, size + 1
            # A longer piece cannot begin before the shorter one does.
            j = b.find(a[i : i + size + 1], j) if i + size < len(a) else -1
        i += 1
    return best_i, best_j, size


def may_be_similar(a: str, b: str, threshold: float) -> bool:
    """
    Tell whether the longest common subsequence leaves room for *threshold*.

    difflib's pieces are a common subsequence, so they never have more
    characters than the longest. One bit for each character of *b* (Hyyrö 2004,
    "Bit-parallel LCS-length computation revisited"); given up as soon as what
    is left of *a* cannot be enough. Cheapest with calls of the same *b* in a row.
    """
    both = len(a) + len(b)
    places = _places(b)
    row = whole = (1 << len(b)) - 1
    for number, char in enumerate(a, start=1):
        here = row & places.get(char, 0)
        row = ((row + here) | (row - here)) & whole
        if number % LOOK_EVERY == 0:
            common = len(b) - row.bit_count()
            if 2.0 * (common + len(a) - number) < threshold * both:
                return False
    return 2.0 * (len(b) - row.bit_count()) >= threshold * both


@lru_cache(maxsize=1)
def _places(text: str) -> Mapping[str, int]:
    """Give for each character the set of bits of its places."""
    places: dict[str, int] = {}
    for place, char in enumerate(text):
        places[char] = places.get(char, 0) | 1 << place
    return places


def sentences(text: str) -> Counter[str]:
    """Count the sentences of a text, line by line, without list marks and blanks around."""
    lines = (_MARKER.sub("", line, count=1) for line in text.split("\n"))
    parts = (part.strip() for line in lines for part in _END.split(line))
    return Counter(part for part in parts if part)


def shared_chars(a: Counter[str], b: Counter[str]) -> int:
    """Count the characters in the sentences that both have."""
    if a.keys().isdisjoint(b):
        return 0
    return sum(len(sentence) * count for sentence, count in (a & b).items())

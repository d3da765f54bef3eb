"""Pairs of texts that are more or less alike, and the slow way to tell."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from hypothesis import strategies as st

from runtime.likeness import sentences, shared_chars

PROSE: Final = (
    "the retry policy keeps three attempts before a session ends because people lose half written "
    "forms when it expires early and nobody wants to type twice what was there already"
)
WORDS: Final = tuple(PROSE.split())
JAPANESE: Final = (
    "セッションの期限は最終操作から30分とする。再試行は3回まで。理由は入力を失うから。"
)


def slow_ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def brute_force(texts: Sequence[str], threshold: float) -> list[tuple[int, int, float, str]]:
    """Compare every pair in full, with difflib itself."""
    found = []
    for b, second in enumerate(texts):
        for a, first in enumerate(texts[:b]):
            both = len(first) + len(second)
            similarity = slow_ratio(first, second)
            common = 2.0 * shared_chars(sentences(first), sentences(second)) / both
            if similarity >= threshold:
                found.append((a, b, similarity, "similar"))
            elif common >= threshold:
                found.append((a, b, common, "reordered"))
    return sorted(found)


@st.composite
def relatives(draw: st.DrawFn) -> list[str]:
    """Give a text and some of its descendants: noise, swaps, cuts, pieces moved."""
    alphabet = draw(st.sampled_from(["ab", "abc ", "セッション。\n", JAPANESE, "the. of\n"]))
    first = draw(st.text(alphabet=alphabet, min_size=1, max_size=60))
    return [first, *draw(st.lists(_descendant(first, alphabet), max_size=5))]


@st.composite
def _descendant(draw: st.DrawFn, text: str, alphabet: str) -> str:
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(text)))
        to = draw(st.integers(at, min(len(text), at + 20)))
        piece = draw(st.text(alphabet=alphabet, max_size=8))
        text = draw(
            st.sampled_from(
                [
                    text[:at] + piece + text[to:],
                    text[to:] + text[at:to] + text[:at],
                    text[:at] + text[to:],
                    # Every fourth character another one: the least that 4-grams see.
                    "".join(piece[:1] if n % 4 == 3 else char for n, char in enumerate(text)),
                ]
            )
        )
    return text or "a"

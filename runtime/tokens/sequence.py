"""Tokens in text order: what phrases are matched against."""

from runtime.tokens.script import (
    ABUGIDA,
    CJK,
    HANGUL,
    SYLLABARY,
    SYMBOL,
    WORD,
    fold_kana,
)
from runtime.tokens.words import word_parts

# Characters per token in scripts that put no space between words.
WINDOW_CHARS = {CJK: 2, HANGUL: 2, SYLLABARY: 2, ABUGIDA: 3}


def ordered_tokens(family: str, run: str) -> list[str]:
    """
    Give the tokens of one run as they follow each other in the index.

    In unspaced scripts a window starts at every character; the last ones are
    shorter, so that any shorter string is the prefix of some token.
    """
    if family == WORD:
        return word_parts(run)
    if family == SYMBOL:
        return [run]
    size = WINDOW_CHARS[family]
    folded = fold_kana(run) if family == CJK else run
    return [folded[start : start + size] for start in range(len(folded))]


def full_windows(family: str, run: str) -> list[str]:
    """Give only the tokens of full length of a run in an unspaced script; none if it is short."""
    return ordered_tokens(family, run)[: 1 - WINDOW_CHARS[family]]

"""
Spelling variants of Japanese words: kana, okurigana and the long vowel mark.

*scripts* is what ``scripts_of`` gives for *run*: one letter per character.
"""

from itertools import compress

from runtime.tokens.script import HIRAGANA, KANJI, KATAKANA

# Inflected endings that writers leave out between two kanji, as in 打ち合わせ and 打合せ.
_OKURIGANA = frozenset("いえきぎけげしじせちびべみめりれ")
_PARTICLES = frozenset("かがでとなにねのはへもやよを")
_LONG_VOWEL = "ー"
_AROUND_ENDING = KANJI + HIRAGANA + KANJI


def single_kanji(run: str, scripts: str) -> list[str]:
    """List the kanji of a run in order, each alone."""
    return list(compress(run, map(KANJI.__eq__, scripts))) if KANJI in scripts else []


def okurigana_skeletons(run: str, scripts: str) -> list[str]:
    """List the kanji pairs that stand around one ending: 打ち合わせ gives 打合."""
    skeletons = []
    at = scripts.find(_AROUND_ENDING)
    while at >= 0:
        if run[at + 1] in _OKURIGANA:
            skeletons.append(run[at] + run[at + 2])
        at = scripts.find(_AROUND_ENDING, at + 1)
    return skeletons


def katakana_words(run: str, scripts: str) -> list[str]:
    """List the katakana words of two characters or more, without the long vowel at the end."""
    if KATAKANA not in scripts:
        return []
    katakana = (
        char if script == KATAKANA else " " for char, script in zip(run, scripts, strict=True)
    )
    return without_long_vowels("".join(katakana).split())


def without_long_vowels(words: list[str]) -> list[str]:
    """Take the long vowel off the end of katakana words; what has less than two characters goes."""
    shorter = (word.rstrip(_LONG_VOWEL) for word in words)
    return [word for word in shorter if len(word) > 1]


def grammar_pairs(run: str, scripts: str) -> list[bool]:
    """Say for each two adjacent characters whether they show grammar rather than a word."""
    return [
        first == HIRAGANA or (second == HIRAGANA and (first == KATAKANA or char in _PARTICLES))
        for first, second, char in zip(scripts, scripts[1:], run[1:], strict=False)
    ]

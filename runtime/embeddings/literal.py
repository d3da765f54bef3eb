"""
Which questions are meant to the letter, so that nothing of like meaning may displace a hit.

Standard library only.
"""

from itertools import groupby
from typing import Final

from runtime.query import Asked
from runtime.tokens.dates import date_tokens
from runtime.tokens.script import CJK, WORD, normalize, runs, scripts_of
from runtime.tokens.words import is_hex_id, word_parts

FEWEST: Final = 2
"""Words in a question of which some may be missing from the answer."""


def is_literal(asked: Asked) -> bool:
    """
    Tell whether a question is one word, or nothing but names, dates and phrases.

    Japanese words are told apart where the script changes, and an ending in hiragana
    belongs to its word: 打合せ is one, 打合せの記録 are two.
    """
    text = normalize(asked.words)
    words = [word for piece in text.split() for word in _words(piece)]
    plain = [word for word in words if word]
    return bool(asked.phrases) or len(words) < FEWEST or not plain


def _words(piece: str) -> list[str]:
    """Return the words between two blanks, "" for each that is a name or a date."""
    if date_tokens(piece):
        return [""]
    found = runs(piece)
    if found and all(family == WORD for family, _run in found):
        return ["" if _is_name(piece, [run for _family, run in found]) else piece]
    words: list[str] = []
    for family, run in found:
        words += _japanese(run) if family == CJK else [run]
    return words


def _is_name(piece: str, parts: list[str]) -> bool:
    """Tell an identifier, a path, a version, a flag or an id from a word."""
    inside = piece.strip(".,;:!?()'\"")
    return (
        (len(parts) > 1 and "'" not in inside)
        or any(len(word_parts(part)) > 1 or is_hex_id(part.casefold()) for part in parts)
        or any(char.isdigit() for char in inside)
    )


def _japanese(run: str) -> list[str]:
    """Cut a run where its script changes; hiragana of two characters or fewer is an ending."""
    words: list[str] = []
    at = 0
    for script, same in groupby(scripts_of(run)):
        end = at + len(list(same))
        is_ending = script == "h" and end - at < 3 and words  # noqa: PLR2004
        if is_ending:
            words[-1] += run[at:end]
        else:
            words.append(run[at:end])
        at = end
    return words

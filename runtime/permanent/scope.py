"""
A person's search words, made literal, so that no word leaves the scope.

The scope is: posts with the tag, outside the archive. esa's syntax has `OR`,
negation and qualifiers that could widen it; here they are words like any other.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from runtime.text import clean
from schemas.permanent import ARCHIVE

MAX_WORDS: Final = 20
WORD: Final = re.compile(r'"([^"]*)"?|([^\s"]+)')
OPERATOR: Final = re.compile(r"(OR|\||-.+|-?[a-z]+:.*|[#@].+)\Z")
PLAIN: Final = re.compile(r"[\w.+-]+")
HINT: Final = (
    'looked for literally: {}. Only words and "phrases" are understood, all of which must '
    "occur; the search never leaves the permanent memories"
)


class Words(NamedTuple):
    """What is looked for, and what the person should know about it."""

    words: tuple[str, ...]
    hint: str | None


def literal_words(query: str) -> Words:
    """Take a query apart into words and phrases; any string is accepted."""
    words: dict[str, None] = {}
    operators = []
    # Full-width quotation marks and blanks are what a Japanese keyboard gives.
    for found in WORD.finditer(clean(query).replace("\u3000", " ").translate(_QUOTES)):
        phrase, word = found.groups()
        text = " ".join((phrase if phrase is not None else word).split())
        if text:
            words[text] = None
        if word and OPERATOR.fullmatch(word):
            operators.append(word)
    kept = tuple(words)[:MAX_WORDS]
    return Words(kept, HINT.format(" ".join(operators)) if operators else None)


_QUOTES: Final = str.maketrans("“”„‟＂", '"""""')


def esa_query(words: Sequence[str], tag: str) -> str:
    """Return the query for esa: the scope, and every word as a phrase."""
    scope = tag if PLAIN.fullmatch(tag) else _quoted(tag)
    return " ".join([f"tag:{scope}", f"-in:{ARCHIVE}", *map(_quoted, words)])


def _quoted(text: str) -> str:
    # There is no way to write a quotation mark inside of two.
    return '"' + text.replace('"', " ").strip() + '"'

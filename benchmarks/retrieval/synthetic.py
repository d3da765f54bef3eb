"""Stores as large as wanted: sections spliced of sentences from the sets."""

import random
import re
from collections.abc import Iterable, Iterator

from benchmarks.retrieval.sets import Set

SENTENCE_END = re.compile(r"(?<=[。．!?！？\n])\s*|(?<=\. )")
SHORTEST_CHARS, LONGEST_CHARS = 8, 300
SENTENCES = (2, 3, 4)
"""In one section; with its heading that makes about 265 bytes."""


def sections(sets: Iterable[Set], count: int) -> Iterator[tuple[str, str]]:
    """Give (id, text); the same for the same sets and count."""
    texts = (text for item in sets for text in item.documents.values())
    pieces = (piece.strip() for text in texts for piece in SENTENCE_END.split(text))
    sentences = [piece[:LONGEST_CHARS] for piece in pieces if len(piece) >= SHORTEST_CHARS]
    chance = random.Random(7)
    for number in range(count):
        date = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        body = "\n".join(chance.choices(sentences, k=chance.choice(SENTENCES)))
        yield f"s{number}", f"## {date} note {number}\n{body}"


def questions(sets: Iterable[Set], each: int) -> list[str]:
    """Return the first queries of each set."""
    return [query.text for item in sets for query in item.queries[:each]]

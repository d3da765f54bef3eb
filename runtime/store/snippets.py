"""The part of a text around what was searched for."""

import unicodedata
from collections.abc import Collection, Iterator
from typing import Final

from runtime.text import one_line

WIDTH_CHARS: Final = 160
LEAD_CHARS: Final = 40
QUERY_CHARS: Final = 1000
"""Of a longer query its beginning decides where to look."""
PAIR: Final = 2
_HIRAGANA: Final = ("\u3041", "\u309f")


def snippet(content: str, query: str, width: int = WIDTH_CHARS) -> str:
    """
    Return one line of the content around the first match, else its beginning.

    The longest piece of the query that occurs literally (width and case aside)
    decides where to look.
    """
    at = _find(_folded_in_place(content), _fold(query[:QUERY_CHARS]))
    start = max(0, at - LEAD_CHARS)
    text = one_line(content[start : start + 2 * width], width)
    return "…" + text if start else text


def answer_snippet(before: str, content: str, query: str) -> str:
    """Return the match in what was said before, in brackets, and the beginning of the content."""
    asked = snippet(before, query, WIDTH_CHARS // 2)
    return f"[before: {asked}] {one_line(content, WIDTH_CHARS // 2)}"


def matches(text: str, query: str) -> list[tuple[int, int]]:
    """
    Return where words of the query stand in a text, as (start, end) in order.

    Latin words count from their beginning, Japanese ones by pairs of characters of
    which one is not hiragana.
    """
    folded = _folded_in_place(text)
    marked = bytearray(len(text))
    for piece in _fold(query[:QUERY_CHARS]).split():
        for part in [piece] if piece.isascii() else _pairs(piece):
            for start in _places(folded, part):
                if not (part.isascii() and _goes_on(folded, start)):
                    marked[start : start + len(part)] = b"\1" * len(part)
    return _spans(marked)


def _spans(marked: bytearray) -> list[tuple[int, int]]:
    spans = []
    end = 0
    while (start := marked.find(1, end)) >= 0:
        end = marked.find(0, start)
        end = len(marked) if end < 0 else end
        spans.append((start, end))
    return spans


def _pairs(piece: str) -> list[str]:
    pairs = [piece[at : at + PAIR] for at in range(len(piece) - 1)] or [piece]
    first, last = _HIRAGANA
    return [pair for pair in pairs if not all(first <= char <= last for char in pair)]


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _goes_on(text: str, start: int) -> bool:
    """Tell whether a Latin word has begun before."""
    before = text[start - 1 : start] if start else ""
    return before.isascii() and before.isalnum() and text[start].isalnum()


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _folded_in_place(text: str) -> str:
    """Fold a text without moving a character: what has another length folded stays as it is."""
    folded = _fold(text)
    if len(folded) == len(text):
        return folded
    return "".join(new if len(new := _fold(char)) == 1 else char for char in text)


def _find(content: str, query: str) -> int:
    """Return where the longest piece of a query stands, 0 when none does."""
    pieces = sorted({query, *query.split()}, key=len, reverse=True)
    for piece in pieces:
        at = content.find(piece) if piece else -1
        if at >= 0:
            return at
    # A part of a Latin word is another word, one of a Japanese run need not be.
    pairs = {pair for piece in query.split() if not piece.isascii() for pair in _pairs(piece)}
    return _longest_run(content, pairs) if pairs else 0


def _longest_run(content: str, pairs: Collection[str]) -> int:
    """Return where the first longest run of pairs of characters begins, 0 for none."""
    longest, place, begin = 0, 0, -1
    for at in range(len(content)):
        if content[at : at + PAIR] not in pairs:
            begin = -1
            continue
        begin = at if begin < 0 else begin
        if at - begin + 1 > longest:
            longest, place = at - begin + 1, begin
    return place

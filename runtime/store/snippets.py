"""The part of a text around what was searched for."""

import unicodedata
from typing import Final

from runtime.text import one_line

WIDTH_CHARS: Final = 160
LEAD_CHARS: Final = 40


def snippet(content: str, query: str, width: int = WIDTH_CHARS) -> str:
    """
    Return one line of the content around the first match, else its beginning.

    The longest piece of the query that occurs literally (width and case aside)
    decides where to look.
    """
    folded = _fold(content)
    # Folding may change lengths (ﾊﾟ is two, パ one): then positions do not map.
    at = _find(folded, _fold(query)) if len(folded) == len(content) else 0
    start = max(0, at - LEAD_CHARS)
    text = one_line(content[start : start + 2 * width], width)
    return "…" + text if start else text


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _find(content: str, query: str) -> int:
    pieces = sorted({query, *query.split()}, key=len, reverse=True)
    for piece in pieces:
        for length in range(len(piece), 1, -1):
            if len(piece) > length and piece.isascii():
                break  # part of a Latin word is another word
            for start in range(len(piece) - length + 1):
                at = content.find(piece[start : start + length])
                if at >= 0:
                    return at
    return 0

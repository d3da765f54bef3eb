"""What a user marked as private never gets further than this module."""

import re
from typing import Final

from runtime.patterns import pattern

TAG: Final = pattern(r"<\s{0,8}(/?)\s{0,8}private(?![\w-])[^>]*+>", re.IGNORECASE)
"""One opening or closing tag; attributes may hold anything but the end of a tag."""

HEAD: Final = pattern(
    r"<\s{0,8}/?\s{0,8}(?:p(?:r(?:i(?:v(?:a(?:t(?:e)?)?)?)?)?)?)?\Z", re.IGNORECASE
)
"""The beginning of a tag at the end of a text."""

HEAD_CHARS: Final = 25  # The longest text that HEAD can match.


NO_BREAK: Final = pattern(r"[^\r\n]+")


def line_breaks(text: str) -> str:
    """Return a text's line ends alone, as it has them."""
    return NO_BREAK().sub("", text)


def drop_private(text: str, *, keep_lines: bool = False) -> str:
    """
    Drop every ``<private>`` block with its content; idempotent, linear time.

    Blocks nest. A block without an end reaches to the end of the text, a closing
    tag without a beginning loses only itself. A half tag left of a dropped part
    goes too, so that the two sides cannot join to a new tag. With *keep_lines* the
    line ends of what is dropped stay, so that every other line keeps its number.
    """
    # Up to the last ">" every tag head finds its end, so no head is scanned twice.
    end = text.rfind(">") + 1
    if end == 0 or not TAG().search(text, 0, end):
        return text
    kept: list[str] = []
    depth = 0
    position = 0
    for tag in TAG().finditer(text, 0, end):
        if depth == 0:
            kept.append(_without_head(text[position : tag.start()]))
        if keep_lines:
            shown = len(line_breaks(kept[-1])) if depth == 0 else 0
            kept.append(line_breaks(text[position : tag.end()])[shown:])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    elif keep_lines:
        kept.append(line_breaks(text[position:]))
    return "".join(kept)


def _without_head(text: str) -> str:
    """Cut the beginnings of a tag off the end of the text."""
    end = len(text)
    while head := HEAD().search(text, max(0, end - HEAD_CHARS), end):
        end = head.start()
    return text[:end]

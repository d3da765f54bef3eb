"""
The frame around everything we tell the model.

Stable marks let us take our own words out again when they come back in a
transcript. Every line inside begins with a bar, so that a frame whose end was
lost (the client shortens long output) can still be told from the person's
words line by line, and quoted text can never look like a line of ours.
"""

from collections.abc import Iterable
from typing import Final

BEGIN: Final = "<runtime-memory>"
END: Final = "</runtime-memory>"
BAR: Final = "│"
OURS: Final = BAR + " "
QUOTED: Final = BAR + "> "


def own(lines: Iterable[str]) -> str:
    """Return lines of ours as they stand inside a frame."""
    return "".join(f"{OURS}{line}\n" for line in lines)


def quoted(text: str) -> str:
    """Return quoted text as it stands inside a frame; it must be clean and defused."""
    return "".join(f"{QUOTED}{line}".rstrip() + "\n" for line in text.split("\n"))


def framed(body: str) -> str:
    """Return the frame around lines made by `own` and `quoted`."""
    return f"{BEGIN}\n{body}{END}"


def strip_frames(text: str) -> str:
    """
    Return the text without our frames and with nothing else missing.

    A frame may hold frames. One without an end loses its mark and the lines that
    carry the bar; a stray end mark goes alone.
    """
    if BEGIN not in text and END not in text:
        return text
    out: list[str] = []
    depth, start, at = 0, 0, 0
    while True:
        begin, end = text.find(BEGIN, at), text.find(END, at)
        if end < 0:
            break
        if 0 <= begin < end:
            if depth == 0:
                out.append(text[start:begin])
                start = begin
            depth, at = depth + 1, begin + len(BEGIN)
            continue
        if depth == 0:
            out.append(text[start:end])
        depth, at = max(0, depth - 1), end + len(END)
        if depth == 0:
            start = at
    out.append(_without_bars(text[start:]))
    return "".join(out)


def _without_bars(text: str) -> str:
    """Take unclosed frames out of a text that holds no end mark."""
    head, mark, rest = text.partition(BEGIN)
    if not mark:
        return text
    lines = rest.removeprefix("\n").split("\n")
    ours = 0
    while ours < len(lines) and lines[ours].startswith(BAR):
        ours += 1
    return head + _without_bars("\n".join(lines[ours:]))

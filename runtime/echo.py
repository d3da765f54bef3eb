"""
Our own words, coming back.

What we told the model stands in the transcript, and the model may quote it.
Captured again, it would be remembered as something new, once more each time.
"""

import re
from typing import Final

from runtime.frame import BAR, BEGIN, END

MARK: Final = re.compile(f"{BEGIN}|{END}")


def strip_frames(text: str) -> str:
    """
    Return the text without our frames and with nothing else missing.

    A frame may hold frames. One without an end loses its mark and the lines that
    carry the bar; a stray end mark goes alone. Linear time, no recursion: the
    text may hold any number of marks.
    """
    if BEGIN not in text and END not in text:
        return text
    marks = [(mark.start(), mark.end(), mark[0] == BEGIN) for mark in MARK.finditer(text)]
    ends = _frame_ends(marks)
    out: list[str] = []
    at = 0
    for start, end, is_begin in marks:
        if start < at:
            continue
        out.append(text[at:start])
        # An end mark that is met here belongs to no frame that was taken out.
        at = (ends.get(start) or _after_bars(text, end)) if is_begin else end
    out.append(text[at:])
    return "".join(out)


def _frame_ends(marks: list[tuple[int, int, bool]]) -> dict[int, int]:
    """Return where each frame that has an end is over, by where it begins."""
    found: dict[int, int] = {}
    begun: list[int] = []
    for start, end, is_begin in marks:
        if is_begin:
            begun.append(start)
        elif begun:
            found[begun.pop()] = end
    return found


def _after_bars(text: str, at: int) -> int:
    """Return where the lines with the bar that follow a begin mark are over."""
    if text.startswith("\n", at):
        at += 1
    while text.startswith(BAR, at):
        at = text.find("\n", at) + 1 or len(text)
    return at

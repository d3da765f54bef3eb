"""
What the turns of a conversation say about the next one.

"Yes, last May" answers a question whose words stand in the turns before it. So the
index has the end of those in a column of its own, which counts for less.
"""

from typing import Final

END_CHARS: Final = 400
TOOLS: Final = "\n\n[tools] "
"""Begins the last part of a turn: names of tools, which say little about what comes next."""


def said_before(earlier: str | None, last: str | None) -> str | None:
    """
    Return the end of what two turns say, the last of them first filled: 400 characters at most.

    None when there are no turns.
    """
    if last is None:
        return None
    end = end_of(last, END_CHARS)
    room = END_CHARS - len(end) - 1
    return f"{end_of(earlier, room)}\n{end}" if earlier is not None and room > 0 else end


def end_of(content: str, limit_chars: int) -> str:
    """Return the last words of a turn, beginning with a whole one."""
    words = content[: content.rfind(TOOLS)] if TOOLS in content else content
    end = words[-limit_chars:]
    if len(words) > limit_chars and _is_latin(words[-limit_chars - 1]) and _is_latin(end[0]):
        end = end.partition(" ")[2] or end
    return end.strip()


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()

"""
A memory as somebody's own words: a dated heading and a text, for what keeps chosen facts.

Where it goes decides whether it takes it; a place refuses what breaks its rules.
"""

import re
from typing import Final, NamedTuple

from runtime.days import local_day
from runtime.longterm.noise import read_turn
from runtime.text import one_line
from schemas.records import Memory

TITLE_CHARS: Final = 60
_HEADING: Final = re.compile(r"^#{1,2}(?=\s)", re.MULTILINE)
_MARKS: Final = re.compile(r"^\[(?:user|assistant|tools)\] ", re.MULTILINE)


class Draft(NamedTuple):
    """What is handed over."""

    heading: str
    """Begins with the day of the memory, local time."""
    body: str
    origin: str
    """When and where it was captured, one line."""


def draft_of(memory: Memory, heading: str | None = None, body: str | None = None) -> Draft:
    """Return a memory as a draft; *heading* and *body* are somebody's better words."""
    text = memory.content.strip()
    return Draft(
        heading or f"{local_day(memory.created_at)} {_title(memory)}",
        _HEADING.sub("###", text) if body is None else body,
        _origin(memory),
    )


def _origin(memory: Memory) -> str:
    parts = (memory.source, memory.project, memory.host)
    where = ", ".join(one_line(part, TITLE_CHARS) for part in parts if part)
    return f"From a memory of {local_day(memory.created_at)} ({where})."


def _title(memory: Memory) -> str:
    said = read_turn(memory.content)
    text = said.prompt or said.answer or memory.content
    first = next((line for line in text.splitlines() if line.strip()), "")
    return one_line(_MARKS.sub("", first).lstrip("# "), TITLE_CHARS) or f"Memory {memory.id}"

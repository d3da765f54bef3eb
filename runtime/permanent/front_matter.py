"""
The facts at the head of a Markdown file: a small, fixed part of YAML.

    ---
    number: 7
    title: "[auth][token] how sessions expire"
    tags: ["永続", "auth"]
    ---

Values are written as JSON, which YAML reads too. Read are also bare words and
lists of them, as people write them; lines that are not ours are kept.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

FENCE: Final = "---"
RETURNS: Final = re.compile(r"\r+\n")
LINE: Final = re.compile(r"([a-z_]+):[ \t]*(.*)")


class Head(NamedTuple):
    """A file's facts and what stands below them."""

    facts: dict[str, Any]
    other: tuple[str, ...]
    """Lines of the head that tell nothing we know of."""
    body: str


def read(text: str, names: frozenset[str]) -> Head:
    """Take a text apart; one without a head is all body. Never raises."""
    text = lf(text.removeprefix("\ufeff"))
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        return Head({}, (), text)
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        return Head({}, (), text)
    facts: dict[str, Any] = {}
    other = []
    for line in lines[1:end]:
        found = LINE.fullmatch(line.rstrip())
        if found and found[1] in names and found[1] not in facts:
            facts[found[1]] = _value(found[2].strip())
        else:
            other.append(line)
    body = "\n".join(lines[end + 1 :])
    return Head(facts, tuple(other), body.removeprefix("\n"))


def lf(text: str) -> str:
    """Return a text with the line ends that `read` gives; idempotent."""
    return RETURNS.sub("\n", text)


def write(facts: Mapping[str, Any], other: tuple[str, ...], body: str) -> str:
    """Put a text together; what `read` gives of it is the same again."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items()]
    return "\n".join([FENCE, *lines, *other, FENCE, "", body])


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if text.startswith("[") and text.endswith("]"):
        return [_bare(part) for part in text[1:-1].split(",") if part.strip()]
    return _bare(text)


def _bare(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text

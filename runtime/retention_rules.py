"""
Rules for how long, how many and how much is kept: `kind=tool:WebFetch age=90d`.

A rule names a project, a kind, both or neither, and at least one measure.
"""

import re
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from runtime.patterns import Pattern, pattern

_UNITS: Final = {"B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}
_AGE: Final = pattern(r"([0-9]{1,6})d", re.ASCII)
_COUNT: Final = pattern(r"[0-9]{1,12}", re.ASCII)
_SIZE: Final = pattern(r"([0-9]{1,12})(B|KB|MB|GB)", re.ASCII)


class Rule(NamedTuple):
    """What is kept of the memories that it names; None: not measured."""

    text: str
    project: str
    """A name, a key or a pattern of names; "*" for all."""
    kind: str
    """The source of a memory, such as `session` or `tool:WebFetch`, or a pattern."""
    days: int | None
    most: int | None
    size_bytes: int | None

    def names(self, project: str, project_key: str, source: str) -> bool:
        """Tell whether the rule is for a memory."""
        is_of = fnmatchcase(project, self.project) or project_key == self.project
        return is_of and fnmatchcase(source, self.kind)


def parse_rule(text: str) -> Rule:
    """Read one rule. Raises ValueError with what is wrong."""
    parts: dict[str, str] = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if name not in ("project", "kind", "age", "count", "size") or not value:
            msg = f"{word!r} in the rule {text!r} is none of project=, kind=, age=, count=, size="
            raise ValueError(msg)
        parts[name] = value
    if not parts.keys() & {"age", "count", "size"}:
        msg = f"the rule {text!r} measures nothing: give age=90d, count=500 or size=50MB"
        raise ValueError(msg)
    return Rule(
        " ".join(text.split()),
        parts.get("project", "*"),
        parts.get("kind", "*"),
        _number(_AGE, parts.get("age"), "age=90d"),
        _number(_COUNT, parts.get("count"), "count=500"),
        _bytes(parts.get("size")),
    )


def checked(rules: tuple[str, ...]) -> tuple[str, ...]:
    """Return rules that can all be read. Raises ValueError."""
    for text in rules:
        parse_rule(text)
    return rules


def _number(form: Pattern, value: str | None, example: str) -> int | None:
    if value is None:
        return None
    if not form().fullmatch(value):
        msg = f"{value!r} does not fit, write it like {example}"
        raise ValueError(msg)
    return int(value.rstrip("d"))


def _bytes(value: str | None) -> int | None:
    if value is None:
        return None
    match = _SIZE().fullmatch(value.upper())
    if match is None:
        msg = f"{value!r} does not fit, write it like size=50MB"
        raise ValueError(msg)
    return int(match[1]) * _UNITS[match[2]]

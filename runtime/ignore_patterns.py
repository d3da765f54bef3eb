"""
Lines of a `.gitignore`, as git reads them (gitignore(5), wildmatch.c of git 2.39).

A test asks git itself about the same lines and paths. Beside git's own rules two
spellings of one name, composed and decomposed, are one.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_CLASSES: Final = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": "!-/:-@\\[-`{-~", "space": "\\s", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
NOTHING: Final = "(?!)"


class Line(NamedTuple):
    """One pattern."""

    expression: re.Pattern[str]
    is_negated: bool
    only_folders: bool
    only_name: bool
    """Compared with the last part of a path; else with the whole path."""


class Patterns:
    """The lines of one file; paths are relative to its folder, with `/` between their parts."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines

    @classmethod
    def read(cls, text: str, *, ignore_case: bool = False) -> "Patterns":
        """Take the text of a file."""
        lines = text.removeprefix("\ufeff").split("\n")
        return cls.of((line.removesuffix("\r") for line in lines), ignore_case=ignore_case)

    @classmethod
    def of(cls, lines: Iterable[str], *, ignore_case: bool = False) -> "Patterns":
        """Take lines without their ends."""
        flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
        return cls([found for line in lines if (found := _line(line, flags)) is not None])

    def __bool__(self) -> bool:
        """Tell whether there is any pattern."""
        return bool(self._lines)

    @property
    def takes_back(self) -> bool:
        """Tell whether a line begins with `!`."""
        return any(line.is_negated for line in self._lines)

    def says(self, path: str, *, is_folder: bool) -> bool | None:
        """Tell what the last line that fits says: ignored or not; None for no line."""
        path = unicodedata.normalize("NFC", path)
        name = path.rpartition("/")[2]
        for line in reversed(self._lines):
            if line.only_folders and not is_folder:
                continue
            if line.expression.fullmatch(name if line.only_name else path):
                return not line.is_negated
        return None


def _line(line: str, flags: int) -> Line | None:
    if line.startswith("#"):
        return None
    pattern = unicodedata.normalize("NFC", _without_blanks(line))
    is_negated = pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    only_folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    if not pattern:
        return None
    only_name = "/" not in pattern
    expression = re.compile(_translated(pattern.removeprefix("/")), flags)
    return Line(expression, is_negated, only_folders, only_name)


def _without_blanks(line: str) -> str:
    """Take blanks off the end, but not one behind a backslash."""
    bare = line.rstrip(" ")
    slashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if len(bare) < len(line) and slashes % 2 else bare


def _translated(pattern: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            piece, at = _stars(pattern, at)
        elif char == "?":
            piece, at = "[^/]", at + 1
        elif char == "[":
            piece, at = _class(pattern, at)
        elif char == "\\":
            piece = re.escape(pattern[at + 1]) if at + 1 < len(pattern) else NOTHING
            at += 2
        else:
            piece, at = re.escape(char), at + 1
        out.append(piece)
    return "".join(out)


def _stars(pattern: str, at: int) -> tuple[str, int]:
    end = at
    while end < len(pattern) and pattern[end] == "*":
        end += 1
    is_whole_part = (
        end - at > 1
        and (at == 0 or pattern[at - 1] == "/")
        and (end == len(pattern) or pattern[end] == "/")
    )
    if not is_whole_part:
        return "[^/]*", end
    # `**/` stands for no folder too.
    return (".*", end) if end == len(pattern) else ("(?:.*/)?", end + 1)


def _class(pattern: str, at: int) -> tuple[str, int]:
    """Translate a bracket; one without an end fits nothing."""
    start = at + 1
    is_negated = pattern[start : start + 1] in ("!", "^")
    start += is_negated
    items: list[str] = []
    here = start
    while here < len(pattern) and (pattern[here] != "]" or here == start):
        item, here = _member(pattern, here)
        if item is None:
            return NOTHING, len(pattern)
        items.append(item)
    if here >= len(pattern):
        return NOTHING, len(pattern)
    body = "".join(items)
    if is_negated:
        return f"[^/{body}]", here + 1
    return (f"(?!/)[{body}]" if body else NOTHING), here + 1


def _member(pattern: str, at: int) -> tuple[str | None, int]:
    if pattern.startswith("[:", at):
        end = pattern.find("]", at + 2)
        if end < 0:
            return None, at
        if pattern[end - 1] == ":" and end - 1 >= at + 2:
            name = pattern[at + 2 : end - 1]
            return _CLASSES.get(name), end + 1
    first, at = _char(pattern, at)
    if first is None or pattern[at : at + 1] != "-" or pattern[at + 1 : at + 2] in ("", "]"):
        return (None if first is None else re.escape(first)), at
    last, at = _char(pattern, at + 1)
    if last is None:
        return None, at
    return (f"{re.escape(first)}-{re.escape(last)}" if first <= last else ""), at


def _char(pattern: str, at: int) -> tuple[str | None, int]:
    if pattern[at] != "\\":
        return pattern[at], at + 1
    return (pattern[at + 1], at + 2) if at + 1 < len(pattern) else (None, at)

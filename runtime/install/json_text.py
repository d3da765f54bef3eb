"""
Edit a JSON text in place: what is not meant keeps its every byte.

Loading and dumping would re-wrap other people's lists, turn `1.0e3` into
`1000.0` and drop the second of two equal keys. So a value is found by its
place in the text, and only that stretch is replaced. The texts given here have
been parsed before: none of these functions meets invalid JSON.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_FIRST_INDENT: Final = re.compile(r"[\[{][ \t]*\r?\n([ \t]+)\S")
DEFAULT_INDENT: Final = "  "


class Item(NamedTuple):
    """One member of an object or array, with its place in the text."""

    key: str | None
    """None in an array."""
    start: int
    """Where the key begins, or the value in an array."""
    value_start: int
    end: int
    value: Any


def root(text: str) -> int:
    """Return where the document's one value begins."""
    return _skip(text, 1 if text.startswith("\ufeff") else 0)


def items(text: str, start: int) -> list[Item]:
    """Return the members of the object or array that begins at `start`, in order."""
    return list(_items(text, start))


def _items(text: str, start: int) -> Iterator[Item]:
    is_object = text[start] == "{"
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        begin, key = at, None
        if is_object:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        value, end = _DECODER.raw_decode(text, at)
        yield Item(key, begin, at, end, value)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def member(text: str, start: int, key: str) -> Item | None:
    """Return the object's member of that name: the last one, as a JSON parser does."""
    found = [item for item in items(text, start) if item.key == key]
    return found[-1] if found else None


def replace(text: str, item: Item, value: Any) -> str:
    """Return the text with another value in the member's place."""
    is_flat = "\n" not in text[item.value_start : item.end]
    piece = _render(text, value, is_flat, _line_start(text, item.start))
    return text[: item.value_start] + piece + text[item.end :]


def append(text: str, start: int, value: Any, key: str | None = None) -> str:
    """
    Return the text with one more member at the end of the object or array at `start`.

    It is laid out as its neighbours are; the first member of an empty one as
    the document is.
    """
    colon = ":" if _is_tight(text) else ": "
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + colon
    members = items(text, start)
    if not members:
        return _fill(text, start, label, value)
    end = members[-1].end
    is_flat = "\n" not in text[start : members[0].start]
    line_start = _line_start(text, members[0].start)
    gap = line_start if not is_flat else "" if _is_tight(text) else " "
    return f"{text[:end]},{gap}{label}{_render(text, value, is_flat, line_start)}{text[end:]}"


def _fill(text: str, start: int, label: str, value: Any) -> str:
    end = _skip(text, start + 1)
    is_flat = _is_flat(text)
    outer = "" if is_flat else _line_start(text, start)
    inner = "" if is_flat else outer + _unit(text)
    piece = _render(text, value, is_flat, inner)
    return f"{text[: start + 1]}{inner}{label}{piece}{outer}{text[end:]}"


def remove(text: str, start: int, item_start: int) -> str:
    """Return the text without the member that begins at `item_start`, its comma and its line."""
    members = items(text, start)
    index = [item.start for item in members].index(item_start)
    end = members[index].end
    if len(members) == 1:
        return text[: start + 1] + text[_skip(text, end) :]
    if index == 0:
        return text[:item_start] + text[members[1].start :]
    return text[: members[index - 1].end] + text[end:]


def _render(text: str, value: Any, is_flat: bool, line_start: str) -> str:
    if is_flat:
        separators = (",", ":") if _is_tight(text) else (", ", ": ")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", line_start)


def _is_flat(text: str) -> bool:
    """Tell whether everything stands in one line; an empty document is none."""
    body = text.strip()
    return "\n" not in body and body not in {"{}", "\ufeff{}"}


def _is_tight(text: str) -> bool:
    return _is_flat(text) and ", " not in text and ": " not in text


def _unit(text: str) -> str:
    found = _FIRST_INDENT.search(text)
    return found[1] if found else DEFAULT_INDENT


def _line_start(text: str, at: int) -> str:
    """Return the line break and indentation that the line of this place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    first = text.find("\n")
    newline = "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
    return newline + line[: len(line) - len(line.lstrip(" \t"))]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at

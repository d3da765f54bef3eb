"""
SQLite's functions that compare each place of a text with all of another, in linear time.

Its own `instr`, `replace` and `trim` take the product of both lengths, within one step
that nothing can stop. These give the same (https://sqlite.org/lang_corefunc.html).
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Final

Value = int | float | str | bytes | None


def instr(whole: Value, part: Value) -> int | None:
    """Return where a part begins, from 1, or 0; of two BLOBs in bytes."""
    if whole is None or part is None:
        return None
    if isinstance(whole, bytes) and isinstance(part, bytes):
        return whole.find(part) + 1
    return _text(whole).find(_text(part)) + 1


def replace(whole: Value, part: Value, other: Value) -> Value:
    """Return a text with another one in the place of each part; an empty part is in none."""
    if whole is None or part is None:
        return None
    if not (wanted := _text(part)):
        return _text(whole) if isinstance(whole, bytes) else whole
    return None if other is None else _text(whole).replace(wanted, _text(other))


def trim(whole: Value, chars: Value, *, left: bool = True, right: bool = True) -> str | None:
    """Return a text without those characters at its ends."""
    if whole is None or chars is None:
        return None
    text, unwanted = _text(whole), frozenset(_text(chars))
    begin, end = 0, len(text)
    while left and begin < end and text[begin] in unwanted:
        begin += 1
    while right and begin < end and text[end - 1] in unwanted:
        end -= 1
    return text[begin:end]


def _text(value: Value) -> str:
    """Return a value as SQLite turns it into a text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        return _number(value)
    return str(value)


def _number(value: float) -> str:
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    shown = f"{value:.15g}"
    if "e" in shown:
        digits, _, power = shown.partition("e")
        return f"{digits if '.' in digits else digits + '.0'}e{power}"
    return shown if "." in shown or not shown.strip("-").isdigit() else shown + ".0"


LINEAR: Final[tuple[tuple[str, int, Callable[..., Value]], ...]] = (
    ("instr", 2, instr),
    ("replace", 3, replace),
    ("trim", 2, trim),
    ("ltrim", 2, partial(trim, right=False)),
    ("rtrim", 2, partial(trim, left=False)),
)

"""
From bytes to a validated event, leniently.

pydantic refuses a whole payload for one lone surrogate, byte order mark or bad
byte. So the bytes are decoded and cleaned first, and only then validated.
"""

import json
import math
from typing import Any, Final, NamedTuple

from pydantic import JsonValue, ValidationError

from schemas.events import BASE_FIELDS, HookEvent, validated

MAX_DEPTH: Final = 200
"""Nesting levels. Real payloads stay under 20; json itself gives up near 1,000."""
MAX_INT_DIGITS: Final = 18
"""Longer numbers fit no 64-bit column and are kept as text."""


class UnreadableError(Exception):
    """The bytes hold no event. `kind` is a short class for logs and counts."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


class Decoded(NamedTuple):
    """A payload, and what had to be mended to read it."""

    payload: dict[str, JsonValue]
    notes: tuple[str, ...]


def decode(data: bytes) -> Decoded:
    """
    Return the first JSON object in stdin's bytes.

    Bad UTF-8, lone surrogates and NUL become U+FFFD, so that every later step
    (hashing, SQLite, JSON) can take the text. Raises UnreadableError.
    """
    text = _text(data)
    if not text:
        raise UnreadableError("empty input", f"{len(data)} bytes")
    try:
        value, end = _DECODER.raw_decode(text)
    except RecursionError:
        raise UnreadableError("nested too deep") from None
    except ValueError as error:
        raise UnreadableError("not JSON", str(error)) from None
    if not isinstance(value, dict):
        raise UnreadableError("not an object", type(value).__name__)
    if _depth(value) > MAX_DEPTH:
        raise UnreadableError("nested too deep", f"more than {MAX_DEPTH} levels")
    rest = len(text[end:].strip())
    notes = (f"{rest} characters after the first object left out",) if rest else ()
    payload = _clean(value)
    return Decoded(payload, notes)


def validate(decoded: Decoded) -> tuple[HookEvent, tuple[str, ...]]:
    """
    Return the event and what was mended on the way.

    An absent base field becomes ""; an optional field of an unknown type is
    dropped, since a newer client must not cost us the event. Raises
    UnreadableError when no event name is left.
    """
    payload, notes = dict(decoded.payload), list(decoded.notes)
    for field in BASE_FIELDS:
        value = payload.get(field)
        if not isinstance(value, str):
            notes.append(f"{field} was {'absent' if value is None else 'not a string'}")
            payload[field] = "" if value is None else json.dumps(value, ensure_ascii=False)
    if not isinstance(decoded.payload.get("hook_event_name"), str):
        raise UnreadableError("unknown event", "hook_event_name is missing")
    try:
        return validated(payload), tuple(notes)
    except ValidationError as error:
        misfits = {str(part) for item in error.errors() for part in item["loc"][:1]}
        notes.append(f"dropped {', '.join(sorted(misfits))}")
        kept = {key: value for key, value in payload.items() if key not in misfits}
        return validated(kept), tuple(notes)


def _text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace").strip()
    return data.decode("utf-8-sig", errors="replace").strip("\ufeff \t\r\n\0")


def _int(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_INT_DIGITS else digits


def _float(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


_DECODER: Final = json.JSONDecoder(
    strict=False, parse_int=_int, parse_float=_float, parse_constant=lambda _name: None
)


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        below: list[object] = []
        for item in level:
            if isinstance(item, dict):
                below += item.values()
            elif isinstance(item, list):
                below += item
        level = below
    return depth


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def clean_text(text: str) -> str:
    """Return text that UTF-8 and SQLite can hold: lone surrogates and NUL become U+FFFD."""
    if text.isascii():
        return text.replace("\0", "\ufffd")
    return (
        text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    )

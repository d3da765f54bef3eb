"""
Takes secrets out of a text before anything is stored, hashed, indexed or logged.

What is found: text that its owner marked as private, tokens with a vendor's
prefix, key blocks, JSON web tokens, passwords in URLs, authorization headers,
and values whose name says that they are secret. Clean a text of invisible
characters first; they can hide the shape of a secret.
"""

import re
from typing import Final

from runtime.assigned_secrets import is_secret_under, replace_assigned
from runtime.patterns import pattern
from runtime.private_tags import drop_private
from runtime.secret_tokens import mark, replace_key_blocks, replace_tokens

JSON_ESCAPE: Final = pattern(r"\\(?:u00([2-7][0-9A-Fa-f])|(/)|(.))", re.DOTALL)
UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
KEEPS_ESCAPE: Final = '"\\\x7f'  # Without their backslash these would change the JSON.


def redact(text: str) -> str:
    """
    Replace every secret by ``[redacted:kind]`` and drop private parts.

    Idempotent; time is linear in the length of the text. A text without a
    secret comes back unchanged.
    """
    return replace_assigned(replace_tokens(drop_private(text)))


def redact_lines(text: str) -> str:
    """
    Redact a text that will be cut into parts; every line keeps its number.

    Once cut, a part shows neither the beginning of a private block nor that of a
    key, and could not be told from anything else.
    """
    return redact(replace_key_blocks(drop_private(text, keep_lines=True)))


def redact_value(value: object) -> object:
    """
    Redact every string of a JSON value, keys too, and strings under secret names.

    Works on a copy, without recursion, so depth is no limit. What is no dict,
    list or str comes back as it is. A key that became equal to an earlier one
    gets a number, so that no entry is lost.
    """
    todo: list[Container] = []
    copy = _shallow(value, "", todo)
    while todo:
        source, target, name = todo.pop()
        if isinstance(source, dict) and isinstance(target, dict):
            _fill(source, target, todo)
        elif isinstance(source, list) and isinstance(target, list):
            target.extend(_shallow(item, name, todo) for item in source)
    return copy


def redact_bytes(data: bytes) -> bytes:
    """
    Redact input that could not be parsed and is kept only to find out why.

    Bytes that are no UTF-8 become U+FFFD; what begins as UTF-16 is read as that.
    JSON escapes of printable ASCII are written out, because they can hide a
    secret's shape; the JSON means the same.
    """
    # Two odd bytes make no UTF-16; the NUL bytes of its ASCII half do.
    is_utf_16 = data.startswith(UTF_16_MARKS) and b"\0" in data
    encoding = "utf-16" if is_utf_16 else "utf-8"
    text = data.decode(encoding, errors="replace")
    return redact(JSON_ESCAPE().sub(_unescaped, text)).encode("utf-8")


Container = tuple[object, object, str]
"""A dict or list, its copy that is still to be filled, and the key it stands under."""


def _shallow(value: object, name: str, todo: list[Container]) -> object:
    """Redact a string; copy a container empty and note it."""
    if isinstance(value, str):
        cleaned = redact(value)
        return mark("assigned-secret") if is_secret_under(name, cleaned) else cleaned
    if isinstance(value, dict | list):
        copy: object = {} if isinstance(value, dict) else []
        todo.append((value, copy, name))
        return copy
    return value


def _fill(
    source: dict[object, object], target: dict[object, object], todo: list[Container]
) -> None:
    # {"name": "DB_PASSWORD", "value": "x"} is how containers get their settings.
    label = source.get("name")
    label = redact(label) if isinstance(label, str) else ""
    for key, value in source.items():
        new = redact(key) if isinstance(key, str) else key
        while new in target:
            new = f"{new} {len(target)}"
        target[new] = _shallow(value, label if new == "value" and label else str(new), todo)


def _unescaped(escape: re.Match[str]) -> str:
    if escape[2]:
        return "/"
    if not escape[1]:
        return escape[0]
    char = chr(int(escape[1], 16))
    return escape[0] if char in KEEPS_ESCAPE else char

"""Values of a TOML file by their dotted names: `section.key`, or `key` at the top."""

from collections.abc import Mapping
from typing import Any


def get(values: Mapping[str, Any], name: str) -> Any:
    """Return a value, None where there is none."""
    section, _, key = name.partition(".")
    value = values.get(section)
    if not key:
        return value
    return value.get(key) if isinstance(value, dict) else None


def put(values: dict[str, Any], name: str, value: str) -> None:
    """Set a value; its section is made when it is not there."""
    section, _, key = name.partition(".")
    if key:
        values.setdefault(section, {})[key] = value
    else:
        values[section] = value


def drop(values: dict[str, Any], name: str) -> None:
    """Take a value out."""
    section, _, key = name.partition(".")
    if key and isinstance(values.get(section), dict):
        values[section].pop(key, None)
    else:
        values.pop(section, None)

"""Which settings hold paths, and where the relative ones of config.toml begin."""

import os
from collections.abc import Mapping
from typing import Any, Final

PATHS: Final[Mapping[str, bool]] = {
    "notes.dirs": True,
    "notes.context": False,
    "notes.archive": False,
    "store.path": False,
    "sync.dir": False,
    "semantic.model": False,
    "permanent.dir": False,
    "permanent.token_file": False,
}
"""By dotted name; True for a list of paths, which may be joined like PATH."""


def begin_at(folder: str, values: dict[str, Any]) -> None:
    """
    Let the file's relative paths begin at its folder, wherever a process runs.

    What is no path is left for the validation to complain about.
    """
    for name, is_list in PATHS.items():
        section, _, key = name.partition(".")
        table = values.get(section)
        if not isinstance(table, dict) or key not in table:
            continue
        value = table[key]
        if is_list and isinstance(value, str):
            value = value.split(os.pathsep)
        if isinstance(value, list):
            table[key] = [_begun(folder, path) for path in value]
        else:
            table[key] = _begun(folder, value)


def _begun(folder: str, path: Any) -> Any:
    if not isinstance(path, str) or not path or is_address(path):
        return path
    return os.path.join(folder, os.path.expanduser(path))


def is_address(value: str) -> bool:
    """Tell whether a place lies elsewhere, such as `s3://bucket/folder`."""
    return "://" in value

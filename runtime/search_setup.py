"""
What a search needs of the settings, kept for searches that follow.

Reading settings loads packages, which takes longer than to search. Whoever has read
them writes down what came of it, and from what; as long as that has not changed,
the next search need not read them. Standard library only.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from runtime import __version__
from runtime.paths import FILE_MODE, Home
from runtime.prepared import state

OURS: Final = (
    "OBOEGAKI_NOTES_",
    "OBOEGAKI_STORE_",
    "OBOEGAKI_SEMANTIC_",
    "OBOEGAKI_PERMANENT_",
    "MEMORY_",
)
"""What a variable's name begins with that may set some of it."""


class Setup(NamedTuple):
    """Where a search looks."""

    database: str
    schema: int
    """The version of its tables."""
    folders: tuple[str, ...]
    """Of notes, absolute."""
    archive: tuple[str, str, str] | None
    """Folder, and beginning and end of the names, of the files that blocks rotate into."""
    ignore: tuple[str, ...]
    max_file_bytes: int
    permanent: tuple[str, str, bool]
    """Where the permanent memories live: a folder or a team's address, tag, whether a folder."""
    semantic: tuple[str, str] | None = None
    """Encoder and folder of its model, where hits are ordered by meaning too."""


def keep(home: Home, environ: Mapping[str, str], setup: Setup, *, is_anywhere: bool) -> None:
    """
    Keep it for the next search, never an error.

    Without *is_anywhere* it holds in the current folder alone: some path is relative.
    """
    path = _path(home)
    temp = f"{path}.{os.getpid()}"
    folder = "" if is_anywhere else os.getcwd()
    document = {"of": _origin(home, environ), "in": folder, "setup": setup._asdict()}
    with suppress(OSError, ValueError):  # a name that is not UTF-8
        data = json.dumps(document).encode()
        if data == _read(path):
            return
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        with open(fd, "wb") as file:
            file.write(data)
        os.replace(temp, path)


def kept(home: Home, environ: Mapping[str, str]) -> Setup | None:
    """Return what was kept, None when there is nothing that still holds."""
    try:
        document = json.loads(_read(_path(home)) or b"null")
        if document["of"] != _origin(home, environ) or document["in"] not in ("", os.getcwd()):
            return None
        values = document["setup"]
        lists = {name: tuple(values[name]) for name in ("folders", "ignore")}
        pairs = {
            name: tuple(values[name]) if values[name] else None for name in ("archive", "semantic")
        }
        permanent = tuple(values["permanent"])
        return Setup(**{**values, **lists, **pairs, "permanent": permanent})
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _path(home: Home) -> str:
    return home.run + "/search.json"


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _origin(home: Home, environ: Mapping[str, str]) -> list[object]:
    """Return all that it is made of; a list as JSON gives it back."""
    ours = sorted(
        [name, value] for name, value in environ.items() if name.startswith(OURS) or name == "HOME"
    )
    return [__version__, state(home.config).decode("utf-8", "replace"), ours]

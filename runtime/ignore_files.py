"""
The files named `.oboegakiignore`, each for its own folder and everything below it.

They are read as git reads `.gitignore`: one further down says more, and below an
ignored folder nothing can be taken back. None needs a repository.
"""

import os
from collections.abc import Callable
from functools import cache
from typing import Final

from runtime.ignore_patterns import Patterns

NAME: Final = ".oboegakiignore"
MAX_BYTES: Final = 1_000_000
ANY_NAMES: Final = ("\u00b6\u00b6\u00b6", ".\u00b6\u00b6\u00b6")
"""Names that nobody has: a file in which both are ignored ignores everything."""

Read = Callable[[str], str | None]
"""Gives the text of a folder's file, None where there is none."""


def read_file(folder: str) -> str | None:
    """Return the text of a folder's `.oboegakiignore`; one that cannot be read ignores all."""
    path = os.path.join(folder, NAME)
    try:
        if not os.path.isfile(path):
            return "*" if os.path.lexists(path) else None
        with open(path, "rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", errors="replace")
    except (FileNotFoundError, ValueError):  # a NUL in the path is a ValueError
        return None
    except OSError:
        return "*"


class IgnoreFiles:
    """What those files say of absolute paths; each is read once."""

    def __init__(self, read: Read = read_file, *, ignore_case: bool = False) -> None:
        @cache
        def patterns(folder: str) -> Patterns:
            return Patterns.read(read(folder) or "", ignore_case=ignore_case)

        self._patterns = patterns

    def hide(self, path: str, *, is_folder: bool = False) -> bool:
        """Tell whether a path, or a folder that it lies in, is ignored."""
        parts = [part for part in path.split("/") if part]
        for end in range(1, len(parts) + 1):
            if self._says(parts[:end], is_folder=is_folder or end < len(parts)):
                return True
        return False

    def hide_all(self, folder: str) -> bool:
        """Tell whether a folder is ignored, or its own file ignores all that may be in it."""
        own = self._patterns(folder)
        everything = all(own.says(name, is_folder=False) for name in ANY_NAMES)
        return (everything and not own.takes_back) or self.hide(folder, is_folder=True)

    def are_above(self, folder: str) -> bool:
        """Tell whether anything may be ignored in a folder."""
        parts = [part for part in folder.split("/") if part]
        return any(self._patterns("/" + "/".join(parts[:end])) for end in range(len(parts) + 1))

    def _says(self, parts: list[str], *, is_folder: bool) -> bool:
        for depth in reversed(range(len(parts))):
            says = self._patterns("/" + "/".join(parts[:depth]))
            said = says.says("/".join(parts[depth:]), is_folder=is_folder) if says else None
            if said is not None:
                return said
        return False

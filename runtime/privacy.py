"""
What its owner keeps out of the memory: projects, paths, addresses and tools.

Said by settings (`capture.off_projects`, `ignore_paths`, `ignore_tools`) and by
files named `.oboegakiignore`. Asked before anything is kept. In doubt nothing is:
where a project has such rules, what cannot be told (input that cannot be read, an
answer without its transcript) is not kept either.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from runtime.ignore_files import IgnoreFiles
from runtime.ignore_patterns import Patterns
from runtime.patterns import pattern
from runtime.project import identify, main_tree, real_path
from runtime.setting_sections import Capture

PATH_KEYS: Final = frozenset(
    {"file_path", "filePath", "notebook_path", "path", "file", "filenames", "url", "uri"}
    | {"parent_file_path", "trigger_file_path", "directory", "worktreePath", "worktree_path"}
    | {"outputFile"}
)
"""Fields of payloads and of tools' inputs that hold a path or an address (client 2.1.332)."""
COMMAND_KEYS: Final = frozenset({"command", "cmd", "script"})
_WORDS: Final = pattern(r"[^\s'\"`;|&<>()=,]+")
_MENTION: Final = pattern(r"(?<!\S)@(\"[^\"\n]+\"|\S+)")
_QUERY: Final = pattern(r"[?#].*", re.DOTALL)
_PORT: Final = pattern(r":[0-9]*\Z")
WORDS_MAX: Final = 1000
IGNORES_CASE: Final = sys.platform == "darwin"
OFF: Final = "a project that is off"
HIDDEN_TOOL: Final = "an ignored tool"
HIDDEN_PATH: Final = "an ignored path"


class Touched(NamedTuple):
    """What a payload, or a call of a tool, is about."""

    tools: frozenset[str]
    places: tuple[str, ...]
    """Paths as they are written there, and addresses."""
    words: tuple[str, ...] = ()
    """Bare words of commands: `make build` need not mean the folder, `ls build` does."""


def touched(value: Any) -> Touched:
    """Collect the tools, paths and addresses that a JSON value names, at any depth."""
    tools, places, words = set[str](), dict[str, None](), dict[str, None]()
    todo: list[tuple[str, Any]] = [("", value)]
    while todo:
        key, item = todo.pop()
        if isinstance(item, dict):
            todo += item.items()
        elif isinstance(item, list):
            todo += [(key, inner) for inner in item]
        elif isinstance(item, str) and item:
            if key == "tool_name":
                tools.add(item)
            elif key in PATH_KEYS:
                places[item] = None
            elif key in COMMAND_KEYS:
                for word in _WORDS().findall(item)[:WORDS_MAX]:
                    (places if "/" in word or "." in word else words)[word] = None
    return Touched(frozenset(tools), tuple(places), tuple(words))


def mentioned(text: str) -> Iterator[str]:
    """Yield the paths that a prompt brings in (`@path`): the client shows their content."""
    for match in _MENTION().finditer(text):
        yield match[1].strip('"')


class Privacy:
    """The rules that hold for the events of one project. Asking reads files."""

    def __init__(self, directory: str, capture: Capture, files: IgnoreFiles | None = None) -> None:
        self._files = files or IgnoreFiles(ignore_case=IGNORES_CASE)
        self._capture = capture
        self._patterns = Patterns.of(map(_anywhere, capture.ignore_paths), ignore_case=IGNORES_CASE)
        self._folders = [
            real_path(os.path.expanduser(name)) for name in capture.off_projects if _is_path(name)
        ]
        self._names = [name for name in capture.off_projects if not _is_path(name)]
        self._directory = os.path.normpath(directory) if directory else ""
        self._main = main_tree(self._directory) if self._directory else None
        """Working tree and main tree, where the one is a linked worktree of the other."""
        self.is_off = bool(self._directory) and self._is_off()
        """Nothing of the project is kept, and it is told nothing."""
        self.has_rules = self.is_off or self._has_rules()
        """Something of it is not to be kept."""

    def hides_tool(self, name: str) -> bool:
        """Tell whether a tool's calls are not to be kept; `*` in a setting is for any text."""
        return any(fnmatchcase(name, pattern) for pattern in self._capture.ignore_tools)

    def hides(self, what: Touched, directory: str = "") -> str | None:
        """Return why something is not to be kept, None where it may be."""
        if any(map(self.hides_tool, what.tools)):
            return HIDDEN_TOOL
        return HIDDEN_PATH if self.hides_touched(what, directory) else None

    def hides_touched(self, what: Touched, directory: str = "") -> bool:
        """Tell whether a path, an address, or a word that names what is there, is ignored."""
        directory = directory or self._directory
        if self.hides_any(what.places, directory):
            return True
        paths = (os.path.join(directory or "/", word) for word in what.words)
        return self.hides_any(path for path in paths if os.path.lexists(path))

    def hides_any(self, places: Iterable[str], directory: str = "") -> bool:
        """Tell whether one of the paths, seen from a directory, or addresses is ignored."""
        return any(self._hides_place(place, directory or self._directory) for place in places)

    def _hides_place(self, place: str, directory: str) -> bool:
        if "://" in place and not place.startswith("file://"):
            return self._hides_address(place)
        path = os.path.expanduser(place.removeprefix("file://").replace("\0", ""))
        path = os.path.normpath(os.path.join(directory or "/", path))
        real = real_path(path) if path.startswith("/") else path
        # What is not there any more may have been a folder.
        is_folder = not os.path.isfile(path)
        spelt = {path, real, *self._in_main(path, real)}
        return any(self._hides_path(name, is_folder=is_folder) for name in spelt)

    def _hides_path(self, path: str, *, is_folder: bool = False) -> bool:
        return (
            any(_is_below(path, folder) for folder in self._folders)
            or self._files.hide(path, is_folder=is_folder)
            or self._is_ignored(path.lstrip("/"), is_folder=is_folder)
        )

    def _hides_address(self, address: str) -> bool:
        host, slash, path = _QUERY().sub("", address).partition("://")[2].partition("/")
        host = _PORT().sub("", host.rpartition("@")[2]).lower()
        return self._is_ignored(f"{host}{slash}{path}".rstrip("/"), is_folder=False)

    def _is_ignored(self, path: str, *, is_folder: bool) -> bool:
        """Ask the settings' patterns about a path and every folder that it lies in."""
        if not self._patterns:
            return False
        parts = [part for part in path.split("/") if part]
        return any(
            self._patterns.says("/".join(parts[:end]), is_folder=is_folder or end < len(parts))
            for end in range(1, len(parts) + 1)
        )

    def _in_main(self, *paths: str) -> Iterator[str]:
        """Yield where a worktree's path lies in the main tree: its rules may not be tracked."""
        if self._main is not None:
            tree, main = self._main
            for path in paths:
                if _is_below(path, tree):
                    yield main + path[len(tree) :]

    def _own_folders(self) -> set[str]:
        folders = {self._directory, real_path(self._directory)}
        return folders | set(self._in_main(*folders))

    def _is_off(self) -> bool:
        if self._names:
            name = identify(self._directory).name
            if any(fnmatchcase(name, pattern) for pattern in self._names):
                return True
        return any(
            self._hides_path(folder, is_folder=True) or self._files.hide_all(folder)
            for folder in self._own_folders()
        )

    def _has_rules(self) -> bool:
        if self._capture.ignore_paths or self._folders:
            return True
        return bool(self._directory) and any(map(self._files.are_above, self._own_folders()))


def privacy_of(facts: Mapping[str, str], capture: Capture) -> Privacy:
    """Return the rules for an event's project; blocking."""
    directory = facts.get("project") or facts.get("payload_cwd") or facts.get("directory") or ""
    return Privacy(directory, capture)


def _is_path(name: str) -> bool:
    return name.startswith("~") or "/" in name


def _anywhere(pattern: str) -> str:
    """Let a setting's pattern begin anywhere, unless it begins at the root or at home."""
    sign = "!" if pattern.startswith("!") else ""
    bare = pattern.removeprefix("!")
    if bare.startswith("~"):
        return sign + os.path.expanduser(bare)
    is_anchored = bare.startswith(("/", "**/")) or "/" not in bare.rstrip("/")
    return pattern if is_anchored else f"{sign}**/{bare}"


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

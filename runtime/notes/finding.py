"""
Find the Markdown files below the folders of notes.

Folders are walked with their sub-folders. Left out are names that begin with a
dot, folders that hold other people's files by the thousand, and what the
setting `notes.ignore` names. `.gitignore` is not asked: notes are often kept
out of a repository on purpose. Links to files are followed and links to folders
are not, so no walk goes in circles.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from fnmatch import translate
from typing import Final, NamedTuple

from runtime.store.note_files import NoteFile

SUFFIXES: Final = (".md", ".markdown")
NOT_UTF8: Final = "its name is not UTF-8"
HEAVY: Final = frozenset(
    {"node_modules", "bower_components", "site-packages", "venv", "__pycache__"}
)


class Found(NamedTuple):
    """What lies in the roots."""

    files: tuple[NoteFile, ...]
    walked: frozenset[str]
    """Roots that exist and could be read: only these may lose files."""
    unread: tuple[tuple[str, str], ...] = ()
    """Places below them that could not be looked at, with the reason: nor may these."""


class _Pattern(NamedTuple):
    expression: re.Pattern[str]
    is_path: bool
    only_folders: bool


class Ignored:
    """
    The patterns of `notes.ignore`, as in a shell (`*`, `?`, `[...]`).

    One without a slash is compared with the name of every file and folder, one
    with a slash (`/drafts`, `work/2019*`) with the path below the root, where `*`
    matches slashes too. A slash at the end means folders only.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [
            _Pattern(re.compile(translate(bare)), "/" in pattern.rstrip("/"), pattern.endswith("/"))
            for pattern in patterns
            if (bare := pattern.strip("/").removeprefix("./"))
        ]

    def matches(self, path: str, *, is_folder: bool) -> bool:
        """Tell whether a path, relative to its root, is left out."""
        name = path.rpartition("/")[2]
        if name.startswith(".") or (is_folder and name in HEAVY):
            return True
        return any(
            pattern.expression.match(path if pattern.is_path else name)
            for pattern in self._patterns
            if is_folder or not pattern.only_folders
        )


def find_files(roots: Sequence[str], ignore: Sequence[str] = ()) -> Found:
    """Walk the roots: Markdown files and, where a root is a file, that file. One stat each."""
    files: dict[str, NoteFile] = {}
    walked = set()
    unread: list[tuple[str, str]] = []
    ignored = Ignored(ignore)
    for root in roots:
        status = _status(root)
        if status is None:
            continue
        if not stat.S_ISDIR(status.st_mode):
            walked.add(root)
            files.setdefault(root, _note(root, root, status))
            continue
        failed: list[tuple[str, str]] = []
        for path, seen in _walk(root, ignored, failed):
            files.setdefault(path, _note(path, root, seen))
        if root in dict(failed):
            continue
        walked.add(root)
        unread += failed
    return Found(tuple(files.values()), frozenset(walked), tuple(unread))


def files_named(folder: str, beginning: str, end: str) -> list[str]:
    """Return a folder's files whose names begin and end so, in order; none of no folder."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [
        os.path.join(folder, name)
        for name in names
        if name.startswith(beginning) and name.endswith(end) and len(name) >= len(beginning + end)
    ]


def root_of(path: str, roots: Sequence[str], ignore: Sequence[str] = ()) -> str | None:
    """Return the root in which a walk would come upon *path*, whatever lies there."""
    ignored = Ignored(ignore)
    return next((root for root in roots if _is_walked(path, root, ignored)), None)


def _is_walked(path: str, root: str, ignored: Ignored) -> bool:
    if path == root:
        return True
    if not is_below(path, root) or not path.lower().endswith(SUFFIXES):
        return False
    names = path[len(root.rstrip(os.sep)) + 1 :].split(os.sep)
    folders = ["/".join(names[:end]) for end in range(1, len(names))]
    if any(ignored.matches(folder, is_folder=True) for folder in folders):
        return False
    return not ignored.matches("/".join(names), is_folder=False)


def is_below(path: str, root: str) -> bool:
    """Tell whether a path is a root or lies in it, by its spelling."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _walk(
    root: str, ignored: Ignored, failed: list[tuple[str, str]]
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the notes below *root* in order; what cannot be looked at goes to *failed*."""
    waiting = [""]
    while waiting:
        below = waiting.pop()
        folder = os.path.join(root, below) if below else root
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            failed.append((folder, error.strerror or str(error)))
            continue
        inner = []
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if not is_folder and not entry.name.lower().endswith(SUFFIXES):
                continue
            if ignored.matches(path, is_folder=is_folder):
                continue
            if is_folder:
                inner.append(path)
            elif not _is_utf8(entry.path):
                failed.append((_shown(entry.path), NOT_UTF8))
            elif (status := _status(entry)) and not stat.S_ISDIR(status.st_mode):
                yield entry.path, status
        waiting += reversed(inner)


def _is_utf8(name: str) -> bool:
    """Tell whether a name can be kept; the file system takes any bytes."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _shown(path: str) -> str:
    return os.fsencode(path).decode(errors="replace")


def _status(place: str | os.DirEntry[str]) -> os.stat_result | None:
    try:
        return place.stat() if isinstance(place, os.DirEntry) else os.stat(place)
    except (OSError, ValueError):  # a NUL in the path is a ValueError
        return None


def _note(path: str, root: str, status: os.stat_result) -> NoteFile:
    return NoteFile(path, root, status.st_mtime_ns, status.st_size)

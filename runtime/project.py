"""
Whose memory it is: a readable name and a stable key for a project.

Worktrees of one repository share a key, because git's common directory is
what is hashed; two folders of one name do not. Git itself is never started:
a process costs more than a whole hook. Standard library only: the hook process
imports this.
"""

import sys
import unicodedata

from runtime.digest import sha256_hex

if sys.platform == "win32":
    import os
else:
    import posix as os  # what `os` adds costs a hook an eighth of its time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


LINKS_MAX = 40
"""Symbolic links that a path may lead over, as in the kernel; beyond, it goes in a circle."""
KIND, FOLDER, FILE = 0o170000, 0o040000, 0o100000
"""Bits of a file's mode that say what it is (inode(7)), and two of their values."""


class Project:
    """One project."""

    __slots__ = ("key", "name")

    def __init__(self, name: str, key: str) -> None:
        self.name = name
        self.key = key
        """16 hex digits of the SHA-256 of the identity's path."""

    def __eq__(self, other: object) -> bool:
        """Tell whether two are the same project, whatever it is called."""
        return isinstance(other, Project) and self.key == other.key

    def __hash__(self) -> int:
        """Equal projects have equal keys."""
        return hash(self.key)


def identify(directory: str) -> Project:
    """
    Return the project that a directory belongs to.

    The nearest `.git` at or above it decides, else the directory itself. A
    directory that does not exist (a captured event from another machine) is
    taken by its path.
    """
    # No folder's name holds a NUL, but a damaged record may.
    real = real_path(directory.replace("\0", ""))
    common = _common_dir(real)
    identity = common or real
    root = common.rpartition("/")[0] or "/" if common and _name(common) == ".git" else identity
    # macOS hands out decomposed names: one folder must not get two keys.
    composed = unicodedata.normalize("NFC", identity)
    key = sha256_hex(composed)[:16]
    name = unicodedata.normalize("NFC", _name(root).removesuffix(".git")) or root
    return Project(name.encode(errors="replace").decode(), key)


def is_told(facts: "Mapping[str, str]") -> bool:
    """Tell whether an event's project can be told without its payload."""
    return bool(facts.get("project_key") or facts.get("project"))


def project_of(facts: "Mapping[str, str]") -> Project:
    """
    Return the project of an event: the client's project folder, else its directory.

    The client's directory follows `cd`; the project folder does not. An event
    that had to wait carries the project that was found when it came.
    """
    if facts.get("project_key"):
        return Project(facts.get("project_name", ""), facts["project_key"])
    return identify(facts.get("project") or facts.get("payload_cwd") or "/")


def main_tree(directory: str) -> "tuple[str, str] | None":
    """
    Return a linked worktree's root, and that of the repository's main working tree.

    None where the directory lies in no linked worktree.
    """
    here = real_path(directory.replace("\0", ""))
    while here and _kind(here + "/.git") not in (FOLDER, FILE):
        here = here.rpartition("/")[0]
    common = _linked(here + "/.git") if here and _kind(here + "/.git") == FILE else None
    if common is None or _name(common) != ".git":
        return None
    return here, common.rpartition("/")[0]


def real_path(path: str) -> str:
    """Return an absolute path without symbolic links, as `os.path.realpath` does."""
    if sys.platform == "win32":
        return os.path.realpath(path).replace("\\", "/")
    rest = [*reversed(path.split("/")), *([] if path.startswith("/") else _here())]
    real, links = "", 0
    while rest:
        part = rest.pop()
        if part == "..":
            real = real.rpartition("/")[0]
        elif part not in ("", "."):
            target = _target(f"{real}/{part}")
            links += target is not None
            if target is None or links > LINKS_MAX:
                real = f"{real}/{part}"
                continue
            real = "" if target.startswith("/") else real
            rest += reversed(target.split("/"))
    return real or "/"


def _here() -> list[str]:
    return os.getcwd().split("/")[::-1]


def _target(path: str) -> str | None:
    """Return what a symbolic link holds; None for whatever is no link."""
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _common_dir(directory: str) -> str | None:
    here = directory.rstrip("/")
    while True:
        git = here + "/.git"
        kind = _kind(git)
        if kind == FOLDER:
            return git
        if kind == FILE:
            return _linked(git)
        if not here:
            return None
        here = here.rpartition("/")[0]


def _kind(path: str) -> int:
    try:
        return os.stat(path).st_mode & KIND
    except (OSError, ValueError):
        return 0


def _linked(pointer: str) -> str | None:
    """Follow a worktree's (or submodule's) `.git` file to the common directory."""
    target = _first_line(pointer)
    if target is None or not target.startswith("gitdir:"):
        return None
    git_dir = _joined(pointer.rpartition("/")[0], target.removeprefix("gitdir:").strip())
    common = _first_line(git_dir + "/commondir")
    return real_path(_joined(git_dir, common) if common else git_dir)


def _joined(folder: str, path: str) -> str:
    return path if path.startswith("/") else f"{folder}/{path}"


def _first_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(4096).strip().replace("\0", "") or None
    except OSError:
        return None

"""
Whose memory it is: a readable name and a stable key for a project.

Worktrees of one repository share a key, because git's common directory is
what is hashed; two folders of one name do not. Git itself is never started:
a process costs more than a whole hook. Standard library only: the hook process
imports this.
"""

import os
import unicodedata

try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:  # Python 3.11
    from _sha256 import sha256  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


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
    real = os.path.realpath(directory.replace("\0", ""))
    common = _common_dir(real)
    identity = common or real
    root = os.path.dirname(common) if common and os.path.basename(common) == ".git" else identity
    # macOS hands out decomposed names: one folder must not get two keys.
    composed = unicodedata.normalize("NFC", identity)
    key = sha256(composed.encode(errors="surrogateescape")).hexdigest()[:16]
    name = unicodedata.normalize("NFC", os.path.basename(root).removesuffix(".git")) or root
    return Project(name.encode(errors="replace").decode(), key)


def project_of(facts: "Mapping[str, str]") -> Project:
    """
    Return the project of an event: the client's project folder, else its directory.

    The client's directory follows `cd`; the project folder does not. An event
    that had to wait carries the project that was found when it came.
    """
    if facts.get("project_key"):
        return Project(facts.get("project_name", ""), facts["project_key"])
    return identify(facts.get("project") or facts.get("payload_cwd") or "/")


def _common_dir(directory: str) -> str | None:
    here = directory
    while True:
        git = os.path.join(here, ".git")
        if os.path.isdir(git):
            return git
        if os.path.isfile(git):
            return _linked(git)
        parent = os.path.dirname(here)
        if parent == here:
            return None
        here = parent


def _linked(pointer: str) -> str | None:
    """Follow a worktree's (or submodule's) `.git` file to the common directory."""
    target = _first_line(pointer)
    if target is None or not target.startswith("gitdir:"):
        return None
    base = os.path.dirname(pointer)
    git_dir = os.path.join(base, target.removeprefix("gitdir:").strip())
    common = _first_line(os.path.join(git_dir, "commondir"))
    return os.path.realpath(os.path.join(git_dir, common) if common else git_dir)


def _first_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(4096).strip().replace("\0", "") or None
    except OSError:
        return None

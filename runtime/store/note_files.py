"""
Rows of `notes`: the files that the index knows, as they were when they were indexed.

Read only, and without the packages that the rest of the store needs.
"""

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from sqlite3 import Connection

OUTSIDE: Final = "outside the configured folders"
"""The `error` of a file that was indexed once and is not to be searched now."""


class NoteFile(NamedTuple):
    """A file as it lies on disk."""

    path: str
    root: str
    mtime_ns: int
    size: int


def known_files(connection: "Connection") -> dict[str, NoteFile]:
    """Return every indexed file, by path, as it was when indexed; for a reader's thread."""
    rows = connection.execute("SELECT path, root, mtime_ns, size FROM notes")
    return {row["path"]: NoteFile(*row) for row in rows}


def known_problems(connection: "Connection") -> dict[str, str]:
    """Return path and reason of every file that is not indexed; for a reader's thread."""
    rows = connection.execute("SELECT path, error FROM notes WHERE error IS NOT NULL ORDER BY path")
    return {row["path"]: row["error"] for row in rows}

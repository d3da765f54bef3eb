"""
What has to be done to the index: the files as they lie there, beside what is known of them.

Reads only, and without the packages that writing takes.
"""

import os
import stat
from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.files import without_waiting
from runtime.notes.changes import Changes, compare
from runtime.notes.finding import Found, find_files
from runtime.store.note_files import OUTSIDE, known_files, known_problems

if TYPE_CHECKING:
    from sqlite3 import Connection


def survey(
    connection: "Connection",
    roots: Sequence[str],
    max_file_bytes: int,
    ignore: Sequence[str],
    forget: bool,
) -> tuple[Found, Changes, dict[str, str]]:
    """Look at the files and at what is known of them; the last are those known as bad."""
    known, known_as_bad = known_files(connection), known_problems(connection)
    found = find_files(roots, ignore)
    outside = {path for path, error in known_as_bad.items() if error == OUTSIDE}
    changes = compare(known, outside, found, roots, forget=forget)
    # Rights and settings may have changed while the file has not: looked at in every run.
    changed = tuple(
        file
        for file in changes.changed
        if file.path not in known_as_bad
        or not is_as_unreadable(file.path, known_as_bad[file.path], max_file_bytes)
    )
    return found, changes._replace(changed=changed), known_as_bad


def is_as_unreadable(path: str, problem: str, max_bytes: int) -> bool:
    """Tell whether a file cannot be read for the same reason as before; nothing of it is read."""
    try:
        with open(path, "rb", opener=without_waiting) as opened:
            return problem_of(os.fstat(opened.fileno()), max_bytes) == problem
    except OSError as error:
        return (error.strerror or str(error)) == problem


def problem_of(status: os.stat_result, max_bytes: int) -> str | None:
    """Return why a file is not to be indexed, told from its status, None when it may be."""
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if status.st_size > max_bytes:
        return f"{status.st_size:,} bytes, at most {max_bytes:,} are indexed (notes.max_file_bytes)"
    return None

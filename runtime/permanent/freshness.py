"""
Whether the shadow of the permanent memories shows what their place says.

A folder is looked at with one stat a file; of esa nothing is asked here. Standard
library only: `runtime search` loads this.
"""

import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from runtime.digest import sha256_hex

if TYPE_CHECKING:
    from sqlite3 import Connection

    from runtime.paths import Home
    from runtime.settings import Settings

SUFFIX: Final = ".md"


class Place(NamedTuple):
    """Where the permanent memories live, by the settings."""

    name: str
    """A folder's absolute path, or a team's address at esa."""
    tag: str
    is_folder: bool


def place_of(home: "Home", settings: "Settings") -> Place:
    """Return the configured place."""
    chosen = settings.permanent
    if chosen.backend == "esa":
        return Place(f"{chosen.url.rstrip('/')}/teams/{chosen.team}", chosen.tag, is_folder=False)
    folder = os.path.abspath(chosen.dir or f"{home.root}/permanent")
    return Place(folder, chosen.tag, is_folder=True)


def is_current(connection: "Connection", place: Place) -> bool:
    """Tell whether there is nothing to read; for a reader's thread. Raises OSError."""
    row = connection.execute("SELECT place, tag, state FROM permanent_place").fetchone()
    if row is None:
        return not place.is_folder or state_of(place.name) == NOTHING
    if tuple(row[:2]) != (place.name, place.tag):
        return False
    return not place.is_folder or row[2] == state_of(place.name)


def state_of(folder: str) -> str:
    """
    Return what changes whenever a post of the folder does. Raises OSError.

    Every way to write a file changes one of these: its name, number, size or times.
    """
    try:
        listing = os.scandir(folder)
    except FileNotFoundError:
        return NOTHING
    with listing:
        found = sorted(filter(None, map(_facts, listing)))
    return sha256_hex("\n".join(found)) if found else NOTHING


NOTHING: Final = "nothing"


def _facts(entry: os.DirEntry[str]) -> str:
    if not entry.name.endswith(SUFFIX) or entry.name.startswith("."):
        return ""
    try:
        status = entry.stat()
    except OSError:
        return f"{entry.name}\0"  # a link to nowhere is no post, until it leads somewhere
    if not stat.S_ISREG(status.st_mode):
        return ""
    numbers = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return "\0".join((entry.name, *map(str, numbers)))

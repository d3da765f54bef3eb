"""
What a rotation is about to do, on disk for as long as it is under way.

A file that is found at the next rotation belongs to one that was cut off. It
holds the user's text, so it is private (0600) and gone as soon as it is done.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from runtime.errors import NotUtf8Error
from runtime.files import read_text, write_atomic

SUFFIX: Final = ".rotation.json"
PRIVATE_MODE: Final = 0o600


@dataclass(frozen=True, slots=True)
class Entry:
    """
    One batch on its way from *path* to *archive*.

    *original* is the text of the file as it was read, *cut* the character where
    the batch begins. *offset* is the archive's size in bytes before, *appended*
    what is written there: the batch, and line endings where they were missing.
    """

    path: str
    archive: str
    original: str
    cut: int
    offset: int
    appended: str
    blocks: int

    @property
    def kept(self) -> str:
        """The text that stays in the file."""
        return self.original[: self.cut]

    @property
    def batch(self) -> str:
        """The text that leaves the file."""
        return self.original[self.cut :]


def save(journal: Path, entry: Entry) -> None:
    """Write *entry* so that it survives a power cut, whole or not at all."""
    write_atomic(journal, json.dumps(asdict(entry)), new_mode=PRIVATE_MODE)


def load(journal: Path) -> Entry | None:
    """Give the entry of a rotation that was cut off, or None (also for foreign content)."""
    try:
        return Entry(**json.loads(read_text(journal)))
    except (FileNotFoundError, NotUtf8Error, ValueError, TypeError):
        return None


def clear(journal: Path) -> None:
    """Forget the entry: the rotation is done or undone."""
    journal.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """
    Remove what killed processes left while they wrote their entries; it holds the user's text.

    Hold the lock of all rotations.
    """
    for temporary in folder.glob(f".*{SUFFIX}.*.tmp"):
        temporary.unlink(missing_ok=True)

"""
The file that rotated blocks go to: it only grows at its end.

It may be of any size, so nothing here reads more of it than the batch at hand.
"""

import os
import re
from pathlib import Path
from typing import Final

from runtime.files import sync_folder

_NUMBER_DIGITS: Final = 3
_O_BINARY: Final = getattr(os, "O_BINARY", 0)


def size_bytes(archive: Path) -> int:
    """Give the archive's size; 0 when it does not exist."""
    try:
        return archive.stat().st_size
    except FileNotFoundError:
        return 0


def read_at(archive: Path, offset: int, limit_bytes: int) -> bytes:
    """Read at most *limit_bytes* from *offset* on; nothing when there is no archive."""
    try:
        with archive.open("rb", buffering=0) as file:
            file.seek(offset)
            return file.read(limit_bytes)
    except FileNotFoundError:
        return b""


def ends_inside_line(archive: Path) -> bool:
    """Tell whether text appended now would be glued to the archive's last line."""
    size = size_bytes(archive)
    return size > 0 and read_at(archive, size - 1, 1) not in {b"\n", b"\r"}


def append(archive: Path, data: bytes, *, new_mode: int) -> None:
    """Write *data* at the end and wait until it is on disk; folders are made as needed."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | _O_BINARY
    with os.fdopen(os.open(archive, flags, new_mode), "ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(archive.parent)


def take_back(archive: Path, offset: int, data: bytes) -> bool:
    """
    Undo an append of *data* at *offset*, whole or torn; True when it is undone.

    Only bytes that are ours are cut off: when anything else follows or stands
    there, the archive is left alone. An archive that is empty then is removed.
    """
    found = read_at(archive, offset, len(data) + 1)
    if size_bytes(archive) < offset or not data.startswith(found):
        return False
    if offset == 0:
        archive.unlink(missing_ok=True)
    elif found:
        os.truncate(archive, offset)
    return True


def split_when_full(archive: Path, max_bytes: int) -> Path | None:
    """
    Set an archive that has reached *max_bytes* aside under the next number.

    `context_archive.md` becomes `context_archive.001.md`, then `.002.md` and
    so on, oldest first; a file of that name is never overwritten.
    """
    if size_bytes(archive) < max_bytes:
        return None
    number = _last_number(archive) + 1
    while True:
        aside = archive.with_name(f"{archive.stem}.{number:0{_NUMBER_DIGITS}}{archive.suffix}")
        try:
            aside.touch(exist_ok=False)  # Claims the name, so that the rename hits only our own.
        except FileExistsError:
            number += 1
            continue
        archive.replace(aside)
        sync_folder(archive.parent)
        return aside


def _last_number(archive: Path) -> int:
    name = re.compile(
        re.escape(archive.stem) + r"\.([0-9]{3,})" + re.escape(archive.suffix), re.ASCII
    )
    matches = (name.fullmatch(entry.name) for entry in archive.parent.iterdir())
    return max((int(match[1]) for match in matches if match), default=0)

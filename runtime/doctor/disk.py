"""Where the home and the database lie: file system, sync folders, space."""

import os
import re
import shutil
from typing import Final

from runtime.app import store_path
from runtime.doctor.check import Checked, Place, found

SYNCED: Final = re.compile(
    r"/(Dropbox|OneDrive|Google Drive|GoogleDrive|iCloudDrive|iCloud Drive|Box Sync|pCloudDrive"
    r"|Mobile Documents|Library/CloudStorage)(?=[/ (-]|$)",
    re.IGNORECASE,
)
"""Folders that a program copies away file by file: a database and its WAL come apart."""
NO_SHARED_MEMORY: Final = frozenset(
    {
        "9p", "afs", "afpfs", "cifs", "drvfs", "fuse.rclone", "fuse.sshfs", "fuse.s3fs", "ncpfs",
        "nfs", "nfs4", "osxfs", "prl_fs", "smb3", "smbfs", "vboxsf", "vmhgfs", "fuse.vmhgfs-fuse",
        "davfs", "fuse.davfs",
    }
)  # fmt: skip
"""File systems on which WAL's shared memory or its locks do not hold between processes."""
LITTLE_BYTES: Final = 1_000_000_000
TOO_LITTLE_BYTES: Final = 50_000_000


def check(place: Place) -> list[Checked]:
    """Look at the places of home and database."""
    rows = unfit(place) or [found("disk.place", "ok", "a local file system")]
    return [*rows, _space(place)]


def unfit(place: Place) -> list[Checked]:
    """Return why home and database do not belong where they lie; nothing where they do."""
    paths = dict.fromkeys((place.home.root, store_path(place.home, place.settings)))
    return [row for path in paths for row in (_synced(path), _file_system(path, place)) if row]


def _synced(path: str) -> Checked | None:
    match = SYNCED.search(os.path.realpath(path)) or SYNCED.search(path)
    if match is None:
        return None
    saw = f"{path} is in a synchronised folder ({match[1]})"
    advice = "a copy taken in the middle of a write is broken: move it out, export what you share"
    return found("disk.place", "warning", saw, advice)


def _file_system(path: str, place: Place) -> Checked | None:
    kind = mounted_as(os.path.realpath(path), place.mounts)
    if kind not in NO_SHARED_MEMORY:
        return None
    saw = f"{path} is on a {kind} file system, where SQLite's WAL does not work"
    return found("disk.place", "problem", saw, "set OBOEGAKI_HOME to a folder on a local disk")


def mounted_as(path: str, mounts: str) -> str:
    """Return the file system's type from a mount table such as /proc/mounts; "" for unknown."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:  # noqa: PLR2004 - device, place, type
            continue
        place = re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), fields[1])
        is_above = path == place or path.startswith(place.rstrip("/") + "/")
        if is_above and len(place) >= len(best):
            best, kind = place, fields[2]
    return kind


def _space(place: Place) -> Checked:
    folder = place.home.root
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return judge_space(shutil.disk_usage(folder).free)


def judge_space(free_bytes: int) -> Checked:
    """Return the finding for so much free space."""
    saw = f"{free_bytes / 1e9:.1f} GB free"
    if free_bytes < TOO_LITTLE_BYTES:
        return found("disk.space", "problem", saw, "events cannot be kept: make room")
    if free_bytes < LITTLE_BYTES:
        return found("disk.space", "warning", saw, "make room before events are lost")
    return found("disk.space", "ok", saw)

"""
Names of dumps: `{host}_{YYYYmmddTHHMMSS}.ndjson`, and what sync programs make of them.

Every `.ndjson` file is read, so the copies that a conflict leaves need no rule of
their own: they are merged like any other file, whatever a program calls them.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Final

from runtime.text import clean

SUFFIX: Final = ".ndjson"
STAMP: Final = re.compile(r"_\d{8}T\d{6}")
COPY: Final = re.compile(
    r"( \d{1,3}"  # iCloud Drive, Finder
    r"| ?\([^()]*\)"  # Dropbox, Google Drive, Nextcloud, OneDrive
    r"|\.sync-conflict-[\w-]+"  # Syncthing
    r"|_conflict-[\w-]+"  # ownCloud
    r"|\.Conflict)+$"  # Resilio Sync
)
"""What stands before `.ndjson` in the name of a copy."""
PLACEHOLDER: Final = re.compile(r"\.(.+)\.icloud")
UNFIT: Final = re.compile(r"[^\w.-]+|_")
HOST_CHARS: Final = 80


def is_dump(name: str) -> bool:
    """Tell whether a file is a dump. Hidden and half-made files are none."""
    return name.endswith(SUFFIX) and not name.startswith((".", "~"))


def placeholder_of(name: str) -> str | None:
    """Return the dump for which iCloud Drive keeps a place, None when it is none."""
    match = PLACEHOLDER.fullmatch(name)
    return match[1] if match and is_dump(match[1]) else None


def host_of(name: str) -> str:
    """Return the host in the name of a dump that does not say it."""
    stem = COPY.sub("", name.removesuffix(SUFFIX))
    return clean(STAMP.sub("", stem)) or "unknown"


def host_part(host: str) -> str:
    """Return a host as it stands in names of files: no underscore, no blank, no slash."""
    composed = unicodedata.normalize("NFC", host)
    return UNFIT.sub("-", composed).strip("-.")[:HOST_CHARS] or "host"


def dump_name(host: str, moment: datetime, taken: set[str]) -> str:
    """Return a name that is not taken: the next free second's, so that names sort by time."""
    while True:
        name = f"{host_part(host)}_{moment.astimezone(UTC):%Y%m%dT%H%M%S}{SUFFIX}"
        if name not in taken:
            return name
        moment += timedelta(seconds=1)

"""Rows of `sync_files`: which files of dumps were read to their end, and `meta`'s part in it."""

import json
from datetime import datetime
from typing import Final, NamedTuple
from uuid import uuid4

from runtime.store.clock import utc
from runtime.store.connection import Connection, fetch_all


class ReadFile(NamedTuple):
    """A file of a dump as it was when it was read."""

    name: str
    size: int
    version: str
    """Its time of change in ns, or an object's tag."""
    sha256: str | None
    """What its trailer says; None for one without."""


async def read_files(connection: Connection, folder: str) -> dict[str, ReadFile]:
    """Return what was read of a folder, by name."""
    rows = await fetch_all(connection, _OF_FOLDER, (folder,))
    return {row["name"]: ReadFile(*row) for row in rows}


async def note_file(connection: Connection, folder: str, file: ReadFile, now: datetime) -> None:
    """Note that a file was read, in the caller's transaction."""
    await connection.execute(_NOTE, {**file._asdict(), "folder": folder, "now": utc(now)})


async def forget_files(connection: Connection, folder: str, names: list[str]) -> None:
    """Forget files that are gone, in the caller's transaction."""
    await connection.execute(_FORGET, {"folder": folder, "names": json.dumps(names)})


async def dump_folders(connection: Connection) -> list[str]:
    """Return the folders and addresses in which dumps were read or written."""
    return [row[0] for row in await fetch_all(connection, _FOLDERS)]


async def machine_id(connection: Connection) -> str:
    """
    Return what tells this database from every other, in the caller's transaction.

    Two machines may bear one name.
    """
    await connection.execute(_NAME_MACHINE, (uuid4().hex,))
    return await known_machine_id(connection)


async def known_machine_id(connection: Connection) -> str:
    """Return the same; "" for a store that has never written a dump."""
    rows = await fetch_all(connection, "SELECT value FROM meta WHERE name = 'machine_id'")
    return str(rows[0][0]) if rows else ""


async def synced_at(connection: Connection) -> str:
    """Return when machines were last synced by itself; "" for never."""
    rows = await fetch_all(connection, "SELECT value FROM meta WHERE name = 'synced_at'")
    return str(rows[0][0]) if rows else ""


async def note_sync(connection: Connection, now: datetime) -> None:
    """Note that machines are being synced by itself, in the caller's transaction."""
    await connection.execute(_NOTE_SYNC, (utc(now),))


_FOLDERS: Final = "SELECT DISTINCT folder FROM sync_files ORDER BY folder"
_OF_FOLDER: Final = "SELECT name, size, version, sha256 FROM sync_files WHERE folder = ?"
_NOTE: Final = """
INSERT INTO sync_files (folder, name, size, version, sha256, taken_at)
VALUES (:folder, :name, :size, :version, :sha256, :now)
ON CONFLICT (folder, name) DO UPDATE SET size = excluded.size, version = excluded.version,
    sha256 = excluded.sha256, taken_at = excluded.taken_at
"""
_FORGET: Final = """
DELETE FROM sync_files WHERE folder = :folder AND name IN (SELECT value FROM json_each(:names))
"""
_NAME_MACHINE: Final = (
    "INSERT INTO meta (name, value) VALUES ('machine_id', ?) ON CONFLICT (name) DO NOTHING"
)
_NOTE_SYNC: Final = (
    "INSERT INTO meta (name, value) VALUES ('synced_at', ?)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)

"""
Migrations: numbered SQL files, one transaction each, counted by `user_version`.

`executescript` would commit the open transaction first, so a file is cut into
statements and run inside ours; the version is read again under the lock, since
twenty hooks may meet an empty database at once.
"""

import sqlite3
from pathlib import Path
from typing import Final

import anyio

from runtime.errors import StoreTooNewError
from runtime.store.connection import Connection, transaction

_FOLDER: Final = Path(__file__).with_name("sql")


async def migrate(connection: Connection, path: str) -> int:
    """Bring the schema up to date. Returns the version. Raises StoreTooNewError."""
    current = await version(connection)
    scripts = await anyio.to_thread.run_sync(_scripts) if current < latest() else []
    if current > latest():
        raise StoreTooNewError(path, current, latest())
    for number, text in scripts:
        if number <= current:
            continue
        async with transaction(connection, path):
            if await version(connection) >= number:
                continue
            for statement in statements(text):
                await connection.execute(statement)
            await connection.execute(f"PRAGMA user_version = {number:d}")
    return latest()


async def version(connection: Connection) -> int:
    """Return the schema version of the open database."""
    async with connection.execute("PRAGMA user_version") as cursor:
        row = await cursor.fetchone()
    return int(row[0]) if row else 0


def latest() -> int:
    """Return the version that this code knows. Equals the number of the last script."""
    return LATEST


def _scripts() -> list[tuple[int, str]]:
    files = sorted(item.name for item in _FOLDER.iterdir() if item.name.endswith(".sql"))
    return [(int(name[:4]), (_FOLDER / name).read_text("utf-8")) for name in files]


LATEST: Final = 8


def statements(text: str) -> list[str]:
    """Cut a script into statements; a trigger's body stays whole."""
    found, lines = [], list[str]()
    for line in text.splitlines():
        lines.append(line)
        candidate = "\n".join(lines)
        if line.rstrip().endswith(";") and sqlite3.complete_statement(candidate):
            found.append(candidate)
            lines = []
    return found

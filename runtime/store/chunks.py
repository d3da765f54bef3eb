"""Rows of `note_chunks` and `notes`: the shadow of the Markdown files."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from runtime.store.clock import utc
from runtime.store.connection import Connection, fetch_all
from runtime.text import one_line
from schemas.records import Chunk

SUMMARY_CHARS = 200
"""What a hook process can show of a section without the means to clean it."""


class NoteFile(NamedTuple):
    """A file as it lies on disk."""

    path: str
    root: str
    mtime_ns: int
    size: int


class Changed(NamedTuple):
    """How many rows one file's change touched."""

    added: int
    removed: int


async def known_files(connection: Connection) -> dict[str, NoteFile]:
    """Return every indexed file, by path, as it was when indexed."""
    statement = "SELECT path, root, mtime_ns, size FROM notes"
    return {row["path"]: NoteFile(*row) for row in await fetch_all(connection, statement)}


async def known_problems(connection: Connection) -> list[tuple[str, str]]:
    """Return path and reason of every file that could not be indexed, by path."""
    statement = "SELECT path, error FROM notes WHERE error IS NOT NULL ORDER BY path"
    async with connection.execute(statement) as cursor:
        return [(row["path"], row["error"]) for row in await cursor.fetchall()]


async def put_file(
    connection: Connection, file: NoteFile, error: str | None, now: datetime
) -> None:
    """Note that a file was looked at, in the caller's transaction."""
    await connection.execute(
        "INSERT INTO notes (path, root, mtime_ns, size, indexed_at, error)"
        " VALUES (:path, :root, :mtime_ns, :size, :now, :error)"
        " ON CONFLICT (path) DO UPDATE SET root = excluded.root, mtime_ns = excluded.mtime_ns,"
        " size = excluded.size, indexed_at = excluded.indexed_at, error = excluded.error",
        {**file._asdict(), "now": utc(now), "error": error},
    )


async def put_chunks(connection: Connection, source: str, chunks: Sequence[Chunk]) -> Changed:
    """
    Make the file's rows equal to its sections, in the caller's transaction.

    A section that only moved keeps its row (and its place in the index); one
    that changed is replaced.
    """
    statement = "SELECT id, content_hash, heading_path FROM note_chunks WHERE source = ?"
    async with connection.execute(f"{statement} ORDER BY ordinal", (source,)) as cursor:
        free: dict[tuple[str, str], list[int]] = {}
        for row in await cursor.fetchall():
            free.setdefault((row["content_hash"], row["heading_path"]), []).append(row["id"])
    # Ordinals are unique per file: park the old ones before handing them out anew.
    await connection.execute(
        "UPDATE note_chunks SET ordinal = -1 - ordinal WHERE source = ?", (source,)
    )
    added = 0
    for chunk in chunks:
        ids = free.get((chunk.content_hash, chunk.heading_path))
        if ids:
            await connection.execute(_MOVE, {**chunk.model_dump(), "id": ids.pop(0)})
        else:
            summary = one_line(chunk.content, SUMMARY_CHARS)
            await connection.execute(_INSERT, {**chunk.model_dump(), "summary": summary})
            added += 1
    cursor = await connection.execute(
        "DELETE FROM note_chunks WHERE source = ? AND ordinal < 0", (source,)
    )
    return Changed(added, cursor.rowcount)


_MOVE = """
UPDATE note_chunks SET ordinal = :ordinal, heading = :heading, start_line = :start_line,
    end_line = :end_line, date = :date, date_origin = :date_origin
WHERE id = :id
"""
_INSERT = """
INSERT INTO note_chunks (
    source, ordinal, heading, heading_path, content, content_hash, start_line, end_line,
    date, date_origin, summary
) VALUES (
    :source, :ordinal, :heading, :heading_path, :content, :content_hash, :start_line, :end_line,
    :date, :date_origin, :summary
)
"""


async def drop_files(connection: Connection, paths: Iterable[str]) -> int:
    """Forget files and their sections, in the caller's transaction. Returns the files."""
    count = 0
    for path in paths:
        await connection.execute("DELETE FROM note_chunks WHERE source = ?", (path,))
        cursor = await connection.execute("DELETE FROM notes WHERE path = ?", (path,))
        count += cursor.rowcount
    return count

"""How far each transcript was read."""

from datetime import datetime

from runtime.store.clock import utc
from runtime.store.connection import Connection
from schemas.records import TranscriptMark


async def get_mark(connection: Connection, path: str) -> TranscriptMark | None:
    """Return where reading stopped last time."""
    async with connection.execute(
        "SELECT path, read_to AS offset, head FROM transcripts WHERE path = ?", (path,)
    ) as cursor:
        row = await cursor.fetchone()
    return TranscriptMark.model_validate(dict(row)) if row else None


async def set_mark(connection: Connection, mark: TranscriptMark, now: datetime) -> None:
    """Note how far a transcript was read, in the caller's transaction."""
    await connection.execute(
        "INSERT INTO transcripts (path, read_to, head, updated_at)"
        " VALUES (:path, :offset, :head, :now)"
        " ON CONFLICT (path) DO UPDATE SET"
        " read_to = excluded.read_to, head = excluded.head, updated_at = excluded.updated_at",
        {**mark.model_dump(), "now": utc(now)},
    )

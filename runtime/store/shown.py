"""Who was told of which record."""

from collections.abc import Sequence
from typing import Final

from runtime.store.connection import Connection
from schemas.captured import CapturedEvent
from schemas.shown import ShownRecord


async def note_shown(
    connection: Connection, event: CapturedEvent, records: Sequence[ShownRecord]
) -> None:
    """Write down what an event's answer told, in the transaction of the event's own row."""
    place = "session start" if event.name == "SessionStart" else "skill"
    rows = [
        {
            "event_id": event.id,
            "rank": rank,
            "kind": record.kind,
            "record_id": record.id,
            "path": record.path,
            "place": place,
            "project_key": event.project_key,
            "shown_at": event.received_at,
        }
        for rank, record in enumerate(records, start=1)
    ]
    if rows:
        await connection.executemany(_INSERT, rows)


_INSERT: Final = """
INSERT INTO shown (event_id, rank, kind, record_id, path, place, project_key, shown_at)
VALUES (:event_id, :rank, :kind, :record_id, :path, :place, :project_key, :shown_at)
ON CONFLICT (event_id, rank) DO NOTHING
"""

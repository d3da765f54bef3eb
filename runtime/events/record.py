"""Write a captured event's row, and keep payloads within their time and size."""

import json
import zlib
from datetime import datetime, timedelta
from typing import Final

from pydantic import JsonValue

from runtime.store.clock import utc
from runtime.store.connection import Connection
from schemas.captured import CapturedEvent

MOST_DAYS: Final = 365_000
MOST_BYTES: Final = 2**62


async def is_recorded(connection: Connection, event_id: str) -> bool:
    """Tell whether the event has been handled already."""
    async with connection.execute("SELECT 1 FROM events WHERE id = ?", (event_id,)) as cursor:
        return await cursor.fetchone() is not None


async def insert(
    connection: Connection, event: CapturedEvent, payload: dict[str, JsonValue] | None
) -> bool:
    """
    Insert the row in the caller's transaction. False when the id is there already.

    Without a payload the event can be seen and not replayed.
    """
    values = event.model_dump(mode="json")
    values["handlers"] = dumps(values["handlers"])
    values["answer"] = None if event.answer is None else dumps(event.answer)
    values["facts"] = dumps(event.facts)
    values["payload"] = None if payload is None else compress(payload)
    cursor = await connection.execute(_INSERT, values)
    return cursor.rowcount > 0


_INSERT: Final = """
INSERT INTO events (
    id, name, session_id, project, project_key, received_at, outcome, reason,
    duration_ms, handlers, answer, facts, payload_bytes, payload
) VALUES (
    :id, :name, :session_id, :project, :project_key, :received_at, :outcome, :reason,
    :duration_ms, :handlers, :answer, :facts, :payload_bytes, :payload
) ON CONFLICT (id) DO NOTHING
"""


async def replace_failed(connection: Connection, event: CapturedEvent) -> None:
    """Take over a replay's outcome when the recorded one was a failure."""
    runs = [run.model_dump() for run in event.handlers]
    await connection.execute(
        "UPDATE events SET outcome = :outcome, reason = :reason, handlers = :handlers,"
        " duration_ms = :duration_ms"
        " WHERE id = :id AND (outcome = 'failed' OR (outcome = 'ok' AND reason IS NOT NULL))",
        {**event.model_dump(include=_OUTCOME_FIELDS), "handlers": dumps(runs)},
    )


_OUTCOME_FIELDS: Final = {"id", "outcome", "reason", "duration_ms"}


def dumps(value: object) -> str:
    """Return compact JSON with readable Japanese."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def compress(payload: dict[str, JsonValue]) -> bytes:
    """Return the payload as the column holds it. It must have been redacted."""
    return zlib.compress(dumps(payload).encode(), level=6)


def decompress(column: bytes) -> dict[str, JsonValue]:
    """Return the payload of a column."""
    payload: dict[str, JsonValue] = json.loads(zlib.decompress(column))
    return payload


async def prune(connection: Connection, *, keep_days: float, keep_bytes: int, now: datetime) -> int:
    """
    Drop payloads that are too old, then the oldest while all are too large.

    In the caller's transaction. Rows stay: they are small, and what happened is
    worth knowing longer than how to repeat it. Returns the payloads dropped.
    """
    # "For ever" is written as some large number, which neither a date nor SQLite may hold.
    before = utc(now - timedelta(days=min(keep_days, MOST_DAYS)))
    cursor = await connection.execute(
        "UPDATE events SET payload = NULL WHERE payload IS NOT NULL AND received_at < ?",
        (before,),
    )
    dropped = cursor.rowcount
    cursor = await connection.execute(_DROP_OLDEST, (min(keep_bytes, MOST_BYTES),))
    return dropped + cursor.rowcount


_DROP_OLDEST: Final = """
UPDATE events SET payload = NULL WHERE payload IS NOT NULL AND seq <= (
    SELECT max(seq) FROM (
        SELECT seq, sum(length(payload)) OVER (ORDER BY seq DESC) AS newer
        FROM events WHERE payload IS NOT NULL
    ) WHERE newer > ?
)
"""

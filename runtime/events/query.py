"""Read captured events back: for listings, replay and export."""

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pydantic import JsonValue

from runtime.events.record import decompress
from runtime.store.connection import Connection, Row
from schemas.captured import CapturedEvent


class Selection(NamedTuple):
    """Which events. Everything given must hold; nothing given means all."""

    ids: Sequence[str] = ()
    last: int | None = None
    """The newest so many of the others."""
    failed: bool = False
    session: str | None = None
    """A session's id or the beginning of one."""
    name: str | None = None
    since: str | None = None
    """ISO 8601 UTC."""
    with_payload: bool = False


class StoredEvent(NamedTuple):
    """A row, and its payload while that is kept."""

    event: CapturedEvent
    payload: dict[str, JsonValue] | None


async def select(connection: Connection, wanted: Selection) -> list[StoredEvent]:
    """Return the events, oldest first."""
    where, values = _where(wanted)
    limit = "" if wanted.last is None else "LIMIT :last"
    # The identifiers are constants of this module; every value is bound.
    statement = f"SELECT * FROM events WHERE {where} ORDER BY seq DESC {limit}"  # noqa: S608
    async with connection.execute(statement, values) as cursor:
        rows = await cursor.fetchall()
    return [_stored(row) for row in reversed(list(rows))]


_CONDITIONS: Final = {
    "ids": "id IN (SELECT value FROM json_each(:ids))",
    "session": "substr(session_id, 1, length(:session)) = :session",
    "name": "name = :name",
    "since": "received_at >= :since",
}


def _where(wanted: Selection) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = {
        "ids": json.dumps(list(wanted.ids)),
        "session": wanted.session,
        "name": wanted.name,
        "since": wanted.since,
        "last": wanted.last,
    }
    parts = [text for name, text in _CONDITIONS.items() if getattr(wanted, name)]
    if wanted.failed:
        # What could not be done counts too: a transcript that was not there.
        parts.append("(outcome = 'failed' OR (outcome = 'ok' AND reason IS NOT NULL))")
    if wanted.with_payload:
        parts.append("payload IS NOT NULL")
    return " AND ".join(parts) or "TRUE", values


def _stored(row: Row) -> StoredEvent:
    values = {name: row[name] for name in CapturedEvent.model_fields}
    values["handlers"] = json.loads(row["handlers"])
    values["answer"] = None if row["answer"] is None else json.loads(row["answer"])
    values["facts"] = json.loads(row["facts"])
    payload = None if row["payload"] is None else decompress(row["payload"])
    return StoredEvent(CapturedEvent.model_validate(values), payload)

"""Memories as a list, newest first, and one of them whole."""

import json
from typing import Final, NamedTuple

from runtime.days import begin_of
from runtime.store.connection import Connection, fetch_all
from runtime.store.longterm import to_memory
from schemas.longterm import ListedMemory
from schemas.records import Memory


class Wanted(NamedTuple):
    """Which memories to list: each that is given must hold, of several values any will do."""

    limit: int
    project: tuple[str, ...] = ()
    """Names, in any case."""
    source: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    session: str | None = None
    """The beginning of a session's id."""
    after: str | None = None
    """A local day: that day or later."""
    before: str | None = None
    """A local day: earlier than that day."""
    is_pinned: bool = False
    is_deleted: bool = False
    """The deleted ones instead."""


async def listed(connection: Connection, wanted: Wanted) -> list[ListedMemory]:
    """Return them, newest first."""
    conditions, values = _conditions(wanted)
    statement = _LIST.format(" AND ".join(conditions))
    rows = await fetch_all(connection, statement, {**values, "limit": wanted.limit})
    return [
        ListedMemory.model_validate({**dict(row), "tags": json.loads(row["tags"] or "[]")})
        for row in rows
    ]


async def one(connection: Connection, memory_id: int) -> Memory | None:
    """Return a memory by its id, deleted or not."""
    rows = await fetch_all(connection, _ONE, (memory_id,))
    return to_memory(rows[0]) if rows else None


_LIST: Final = """
SELECT
    id, created_at, source, project, tags, coalesce(summary, '') AS summary,
    length(content) AS chars, tool, target, session_id, host, is_global, is_pinned, deleted_at
FROM memories WHERE {} ORDER BY created_at DESC, id DESC LIMIT :limit
"""
_ONE: Final = "SELECT * FROM memories WHERE id = ? AND content <> ''"
_IN: Final = "lower({0}) IN (SELECT lower(value) FROM json_each(:{0}))"
_HAS_TAG: Final = """
EXISTS (
    SELECT 1 FROM json_each(memories.tags) AS has
    WHERE lower(has.value) IN (SELECT lower(value) FROM json_each(:tag))
)
"""


def _conditions(wanted: Wanted) -> tuple[list[str], dict[str, str]]:
    # A purged memory is a row without content, and none any more.
    conditions = ["content <> ''", f"deleted_at IS {'NOT ' if wanted.is_deleted else ''}NULL"]
    values: dict[str, str] = {}
    for name in ("project", "source", "tool", "tag"):
        if given := getattr(wanted, name):
            values[name] = json.dumps(given)
            conditions.append(_HAS_TAG if name == "tag" else _IN.format(name))
    if wanted.session:
        values["session"] = wanted.session
        conditions.append("substr(session_id, 1, length(:session)) = :session")
    if wanted.after:
        values["after"] = begin_of(wanted.after)
        conditions.append("created_at >= :after")
    if wanted.before:
        values["before"] = begin_of(wanted.before)
        conditions.append("created_at < :before")
    if wanted.is_pinned:
        conditions.append("is_pinned")
    return conditions, values

"""Rows of `memories`: keep, find by field, mark."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple

from runtime.digest import sha256_hex
from runtime.echo import strip_frames
from runtime.redact import redact
from runtime.store.clock import utc, utc_now
from runtime.store.connection import Connection, Row
from runtime.store.skill_runs import runs_of
from runtime.text import clean, full_length, one_line
from schemas.records import Memory, NewMemory

SUMMARY_CHARS: Final = 200
TARGET_CHARS: Final = 400
Status = Literal["stored", "updated", "known"]


class Origin(NamedTuple):
    """Where a memory comes from, filled in by the pipeline rather than by a handler."""

    project: str | None
    project_key: str | None
    event_id: str | None
    host: str | None


def kept_content(content: str) -> str:
    """
    Return a content as it may be written: no secrets, and nothing that we injected.

    Cleaned first: a terminal's colour codes would be glued to words in the index,
    and invisible characters can hide the shape of a secret.
    """
    return redact(clean(strip_frames(content)))


def kept_target(target: str | None) -> str | None:
    """Return a target as it may be written."""
    return target and one_line(redact(clean(target)), TARGET_CHARS)


def redacted(memory: NewMemory) -> NewMemory:
    """Return the memory as it may be written."""
    return memory.model_copy(
        update={
            "content": kept_content(memory.content),
            "target": kept_target(memory.target),
            "tags": tuple(redact(tag) for tag in memory.tags),
            "skills": tuple(redact(skill) for skill in memory.skills),
        }
    )


async def keep(
    connection: Connection, memory: NewMemory, origin: Origin, now: datetime
) -> Status | None:
    """
    Write one memory inside the caller's transaction.

    Uniqueness is the database's: the key decides. A turn that has grown replaces
    its shorter self; a deleted memory stays deleted. Returns None for a memory
    of which redaction leaves nothing.
    """
    memory = redacted(memory)
    if not memory.content.strip():
        return None
    if memory.unless_turn_holds and await _turn_holds(connection, memory):
        return "known"
    if memory.replaces:
        await connection.execute(_REPLACE, {"keys": json.dumps(memory.replaces), "now": utc(now)})
    if await insert(connection, memory, origin, now):
        return "stored"
    if not memory.may_grow or not await _has_grown(connection, memory):
        return "known"
    cursor = await connection.execute(_GROW, _values(memory, origin, now))
    return "updated" if cursor.rowcount else "known"


async def insert(connection: Connection, memory: NewMemory, origin: Origin, now: datetime) -> bool:
    """
    Write a row for a redacted memory, in the caller's transaction.

    False where its key is taken, by a deleted memory too.
    """
    cursor = await connection.execute(_INSERT, _values(memory, origin, now))
    return cursor.rowcount > 0


async def recreate(
    connection: Connection, memory: NewMemory, origin: Origin, now: datetime
) -> None:
    """Write a redacted memory over the deleted row of its key, in the caller's transaction."""
    await connection.execute(_RECREATE, _values(memory, origin, now))


async def withdraw(connection: Connection, keys: Sequence[str]) -> None:
    """Delete memories that should not have been kept, in the caller's transaction."""
    if keys:
        await connection.execute(_WITHDRAW, (json.dumps(keys),))


async def _turn_holds(connection: Connection, memory: NewMemory) -> bool:
    values = {"session_id": memory.session_id, "text": redact(memory.unless_turn_holds)}
    async with connection.execute(_HELD, values) as cursor:
        return await cursor.fetchone() is not None


async def _has_grown(connection: Connection, memory: NewMemory) -> bool:
    """
    Tell whether a turn says more than its stored self.

    Two hooks may have read the same transcript at different moments: the later
    state is the longer one, whichever commits last. What was left out of a long
    one counts too, else it would stop growing at the limit.
    """
    async with connection.execute(_STORED, {"key": memory.key}) as cursor:
        row = await cursor.fetchone()
    return row is not None and full_length(row["content"]) < full_length(memory.content)


# Asked for in the same statement: each one is a hop to the connection's thread, which takes as
# long as the row. Not left to UNIQUE: an attempt that it refuses uses up an id.
_INSERT: Final = """
INSERT INTO memories (
    content, source, project, tags, content_hash, created_at, summary, key, project_key,
    session_id, event_id, message_id, host, tool, target, skills, updated_at
) SELECT
    :content, :source, :project, :tags, :content_hash, :created_at, :summary, :key, :project_key,
    :session_id, :event_id, :message_id, :host, :tool, :target, :skills, :updated_at
WHERE NOT EXISTS (SELECT 1 FROM memories WHERE key = :key)
"""

_HELD: Final = """
SELECT 1 FROM memories
WHERE session_id = :session_id AND key GLOB 'turn:*' AND instr(content, :text)
"""
_WITHDRAW: Final = """
DELETE FROM memories WHERE key IN (SELECT value FROM json_each(?)) AND NOT is_pinned
"""
# The rows stay, deleted and empty: else another machine's dump would bring them back.
_REPLACE: Final = """
UPDATE memories SET content = '', summary = '', deleted_at = :now, updated_at = :now
WHERE key IN (SELECT value FROM json_each(:keys)) AND deleted_at IS NULL
    AND NOT is_pinned
"""
_STORED: Final = "SELECT content FROM memories WHERE key = :key"
_GROW: Final = """
UPDATE memories SET
    content = :content, content_hash = :content_hash, summary = :summary, skills = :skills,
    updated_at = :updated_at, event_id = :event_id
WHERE key = :key AND deleted_at IS NULL
"""
_RECREATE: Final = """
UPDATE memories SET
    content = :content, source = :source, project = :project, tags = :tags,
    content_hash = :content_hash, created_at = :created_at, summary = :summary,
    project_key = :project_key, session_id = :session_id, event_id = :event_id,
    message_id = :message_id, host = :host, tool = :tool, target = :target, skills = :skills,
    is_global = 0, is_pinned = 0, updated_at = :updated_at, deleted_at = NULL
WHERE key = :key AND deleted_at IS NOT NULL
"""


def _values(memory: NewMemory, origin: Origin, now: datetime) -> dict[str, str | None]:
    return {
        "content": memory.content,
        "source": memory.source,
        "project": origin.project,
        "tags": to_array(memory.tags),
        "content_hash": content_hash(memory.content),
        "created_at": utc(memory.created_at),
        "summary": one_line(memory.content, SUMMARY_CHARS),
        "key": memory.key,
        "project_key": origin.project_key,
        "session_id": memory.session_id,
        "event_id": origin.event_id,
        "message_id": memory.message_id,
        "host": origin.host,
        "tool": memory.tool,
        "target": memory.target,
        "skills": to_array(memory.skills),
        "updated_at": utc(now),
    }


def content_hash(content: str) -> str:
    """Return the SHA-256 of the content's UTF-8 bytes, hex (source text, `content_hash`)."""
    return sha256_hex(content)


def to_array(values: Iterable[str]) -> str | None:
    """Return the JSON array of a column; None for no items."""
    items = list(values)
    return json.dumps(items, ensure_ascii=False) if items else None


def _items(column: str | None) -> tuple[str, ...]:
    return tuple(json.loads(column)) if column else ()


def to_memory(row: Row) -> Memory:
    """Return the record of a row of `memories`."""
    values = {name: row[name] for name in Memory.model_fields}
    values["tags"], values["skills"] = _items(row["tags"]), _items(row["skills"])
    return Memory.model_validate(values)


def by_skill(
    connection: sqlite3.Connection, name: str, project_key: str | None, limit: int
) -> list[Memory]:
    """
    Return the newest memories in which this skill ran, newest first; for a reader's thread.

    Only the project's own memories and global ones.
    """
    return [to_memory(row) for row in runs_of(connection, name, project_key, limit)]


async def mark(
    connection: Connection,
    ids: Sequence[int],
    *,
    is_global: bool | None,
    is_pinned: bool | None,
    now: datetime | None = None,
) -> list[int]:
    """
    Set or clear the marks that are given, in the caller's transaction. Returns ids found.

    *now* is when: on all machines the last marks hold.
    """
    found = []
    for memory_id in ids:
        cursor = await connection.execute(
            "UPDATE memories SET is_global = coalesce(:is_global, is_global),"
            " is_pinned = coalesce(:is_pinned, is_pinned),"
            " marked_at = max(:now, coalesce(marked_at, ''))"
            " WHERE id = :id AND deleted_at IS NULL",
            {
                "id": memory_id,
                "is_global": is_global,
                "is_pinned": is_pinned,
                "now": utc(now or utc_now()),
            },
        )
        if cursor.rowcount:
            found.append(memory_id)
    return found


async def living(connection: Connection) -> list[Memory]:
    """Return every memory that is not deleted, oldest first."""
    async with connection.execute(_LIVING) as cursor:
        return [to_memory(row) for row in await cursor.fetchall()]


_LIVING: Final = "SELECT * FROM memories WHERE deleted_at IS NULL ORDER BY created_at, id"

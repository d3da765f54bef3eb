"""Memories that somebody stores on purpose: a person's command, or a tool of the model's."""

from datetime import datetime
from typing import Final, NamedTuple

from runtime.project import Project
from runtime.redact import redact
from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.identity import content_key
from runtime.store.longterm import Origin, insert, recreate, redacted
from runtime.store.refusals import ContentTooLongError, NothingToStoreError
from runtime.text import clean, one_line
from schemas.longterm import Kept
from schemas.records import NewMemory

MOST_CHARS: Final = 100_000
"""As long as a turn may be by default. A longer text is no one memory."""
WORD_CHARS: Final = 100
"""Of a source or a tag."""


class Given(NamedTuple):
    """What was asked to be stored."""

    content: str
    source: str
    """Who stores it, in the caller's own word."""
    tags: tuple[str, ...] = ()
    session_id: str | None = None


async def store_by_hand(
    connection: Connection, given: Given, origin: Origin, now: datetime
) -> Kept:
    """
    Write one memory inside the caller's transaction, unless its text is there already.

    One that was deleted comes back, with what is given now. Raises
    NothingToStoreError and ContentTooLongError.
    """
    memory = _memory(given, now)
    row = await _known(connection, memory.key)
    if row is None:
        await insert(connection, memory, origin, now)
    elif row["deleted_at"] is not None:
        await recreate(connection, memory, origin, now)
    else:
        return _kept(row, "known", _told_otherwise(row, memory, origin))
    stored = await _known(connection, memory.key)
    if stored is None:
        msg = "a row that was just written is not there"
        raise RuntimeError(msg)
    remarks = ["it had been deleted and is stored anew"] if row is not None else []
    remarks += (
        ["what is never kept was left out (secrets, private parts)"]
        if _is_less(given, memory)
        else []
    )
    return _kept(stored, "stored", "; ".join(remarks))


async def origin_of(
    connection: Connection, project: str | None, here: Project | None, host: str
) -> Origin:
    """
    Return where a memory comes from that names its project, or none: then it is of *here*.

    A name that one known project has is that project; another is a name and no more,
    so that no session is told the memory unless it is marked as global.
    """
    if here is not None and project in {None, here.name}:
        return Origin(here.name, here.key, None, host)
    name = _word(project or "") or None
    rows = await fetch_all(connection, _KEYS, {"name": name})
    return Origin(name, rows[0][0] if len(rows) == 1 else None, None, host)


_KEYS: Final = """
SELECT project_key FROM memories WHERE project = :name AND project_key IS NOT NULL
UNION SELECT project_key FROM events WHERE project = :name AND project_key IS NOT NULL
LIMIT 2
"""


def _memory(given: Given, now: datetime) -> NewMemory:
    """Return it as it may be written, under the key of its text."""
    if len(given.content) > MOST_CHARS:
        raise ContentTooLongError(len(given.content), MOST_CHARS)
    source = _word(given.source)
    if not source:
        raise NothingToStoreError("the source")
    tags = dict.fromkeys(word for tag in given.tags if (word := _word(tag)))
    memory = redacted(
        NewMemory(
            key="",
            content=given.content,
            source=source,
            created_at=now,
            tags=tuple(tags),
            session_id=given.session_id,
        )
    )
    if not memory.content.strip():
        raise NothingToStoreError("the content")
    return memory.model_copy(update={"key": content_key(memory.content)})


def _word(text: str) -> str:
    return one_line(redact(clean(text)), WORD_CHARS)


def _is_less(given: Given, memory: NewMemory) -> bool:
    return clean(given.content) != memory.content


async def _known(connection: Connection, key: str) -> Row | None:
    rows = await fetch_all(connection, _KNOWN, (key,))
    return rows[0] if rows else None


_KNOWN: Final = "SELECT id, content_hash, source, project, deleted_at FROM memories WHERE key = ?"


def _kept(row: Row, status: str, note: str) -> Kept:
    values = {name: row[name] for name in ("id", "content_hash", "source", "project")}
    return Kept.model_validate({**values, "status": status, "note": note})


def _told_otherwise(row: Row, memory: NewMemory, origin: Origin) -> str:
    """Return what of the request the memory that is there does not say, and what to do."""
    others = [
        f"{name} {row[name] or 'none'}"
        for name, given in (("source", memory.source), ("project", origin.project))
        if given is not None and row[name] != given
    ]
    if not others:
        return ""
    told = f"this text is kept already, under {' and '.join(others)}"
    if origin.project in {None, row["project"]}:
        return told
    return f"{told}; `runtime longterm mark {row['id']} --global` shows it in every project"

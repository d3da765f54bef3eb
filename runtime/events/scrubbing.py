"""
Captured events that hold what is to be forgotten: found, emptied, taken out.

Payloads are compressed, so each is looked at by itself, some hundred at a time.
"""

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from runtime.events.record import decompress
from runtime.store.connection import Connection, Row, fetch_all

PAGE: Final = 200
LINE_CHARS: Final = 24
"""Shorter lines stand in everybody's text; blanks do not count."""
LONG_CHARS: Final = 64
"""So much of a line is enough to know it by: its end may have been cut off."""


class Texts:
    """Lines of memories, to know them by wherever they were kept too."""

    def __init__(self, contents: Iterable[str]) -> None:
        self._lines: set[str] = set()
        self._short: list[str] = []
        for content in contents:
            lines = set(_lines(content))
            self._lines |= lines
            if not lines and content.strip():
                self._short.append(_squeezed(content))

    def are_in(self, text: str) -> bool:
        """Tell whether a text holds a line of theirs."""
        if not self._lines.isdisjoint(_lines(text)):
            return True
        return bool(self._short) and any(map(_squeezed(text).__contains__, self._short))


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        squeezed = _squeezed(_without_speaker(line))
        if len(squeezed) >= LINE_CHARS:
            yield squeezed[:LONG_CHARS]


def _without_speaker(line: str) -> str:
    """Leave out the mark that a turn puts before who speaks."""
    if line.startswith(("[user] ", "[assistant] ", "[tools] ")):
        return line.partition("] ")[2]
    return line


def _squeezed(text: str) -> str:
    return "".join(text.split())


class HeldEvent(NamedTuple):
    """One recorded event with all the text that it holds."""

    seq: int
    id: str
    session_id: str
    texts: tuple[str, ...]


async def held_events(connection: Connection) -> AsyncGenerator[HeldEvent]:
    """Yield every event with its texts, oldest first."""
    after = 0
    while rows := await fetch_all(connection, _PAGE, {"after": after, "limit": PAGE}):
        for row in rows:
            yield HeldEvent(row["seq"], row["id"], row["session_id"], tuple(_texts(row)))
        after = rows[-1]["seq"]


def _texts(row: Row) -> Iterator[str]:
    for name in ("project", "reason"):
        yield row[name] or ""
    for name in ("handlers", "answer", "facts"):
        if row[name] is not None:
            yield from strings(json.loads(row[name]))
    if row["payload"] is not None:
        yield from strings(decompress(row["payload"]))


def strings(value: Any) -> Iterator[str]:
    """Yield every string of a JSON value, keys too; depth is no limit."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            todo += item.keys()
            todo += item.values()
        elif isinstance(item, list):
            todo += item


async def matching(
    connection: Connection, is_wanted: Callable[[HeldEvent], bool]
) -> list[HeldEvent]:
    """Return the events that are wanted, without their texts."""
    return [event._replace(texts=()) async for event in held_events(connection) if is_wanted(event)]


async def empty(connection: Connection, memory_ids: Sequence[int], seqs: Sequence[int]) -> int:
    """
    Drop what events hold of memories, in the caller's transaction. Returns how many.

    *seqs* are those of which the payload goes. An answer goes where it told of one
    of the memories; what was told before that was noted may have been of any.
    """
    values = {"seqs": json.dumps(list(seqs)), "ids": json.dumps(list(memory_ids))}
    cursor = await connection.execute(_EMPTY, values)
    await connection.execute(_NO_ANSWER, values)
    return cursor.rowcount


async def take_out(connection: Connection, seqs: Sequence[int]) -> int:
    """Delete events, and what they told, in the caller's transaction. Returns how many."""
    values = {"seqs": json.dumps(list(seqs))}
    await connection.execute(_NOT_SHOWN, values)
    cursor = await connection.execute(_DELETE, values)
    return cursor.rowcount


_PAGE: Final = """
SELECT seq, id, session_id, project, reason, handlers, answer, facts, payload FROM events
WHERE seq > :after ORDER BY seq LIMIT :limit
"""
_EMPTY: Final = """
UPDATE events SET payload = NULL, answer = NULL WHERE seq IN (SELECT value FROM json_each(:seqs))
"""
_NO_ANSWER: Final = """
UPDATE events SET answer = NULL WHERE answer IS NOT NULL AND (
    id IN (
        SELECT event_id FROM shown WHERE record_id IN (SELECT value FROM json_each(:ids))
    )
    OR received_at < (SELECT value FROM meta WHERE name = 'shown_since')
)
"""
_NOT_SHOWN: Final = """
DELETE FROM shown WHERE event_id IN (
    SELECT id FROM events WHERE seq IN (SELECT value FROM json_each(:seqs))
)
"""
_DELETE: Final = "DELETE FROM events WHERE seq IN (SELECT value FROM json_each(:seqs))"

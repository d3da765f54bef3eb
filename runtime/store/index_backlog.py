"""
Memories that are kept and not in the index yet, and how they get into it.

An entry of the index takes longer to make than its row. Who writes very many rows
leaves the index out, and notes in the same transaction from which id on that was so.
Afterwards they are put in, step by step and in short transactions. Until then the
triggers pass over them: what is not in the index is not taken out of it. How far it
has come stands in the database, so whoever comes next goes on, after a kill as well.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from runtime.store.connection import Connection, fetch_all, transaction
from runtime.store.index_tables import (
    BEFORE,
    IS_FOLLOWER,
    IS_TURN,
    OURS,
    fill_memories,
    memory_text,
    triggers,
    versions,
)

STEP_CHARS: Final = 20_000
"""Of text in one transaction: others wait for it some 20 ms."""
STEP_ROWS: Final = 1000
INDEX: Final = "search_index"


class Batch(NamedTuple):
    """Memories that are put into the index in one transaction."""

    ids: list[int]
    texts: list[str]
    """What tokens are needed of."""
    place: int
    """Up to this id none is missing when these are in."""


async def insert_unindexed(
    connection: Connection, statement: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    """
    Put new memories in and leave the index for later, in the caller's transaction.

    Only into an index of our version: on the way to another one the triggers do it.
    """
    if await versions(connection) != OURS:
        await connection.executemany(statement, rows)
        return
    await connection.execute(_NOTE_BEGIN)
    await connection.execute(f"DROP TRIGGER {_ADDING}")
    await connection.executemany(statement, rows)
    await connection.execute(_adding())
    await connection.execute(_NOTE_END)


async def waiting(connection: Connection) -> int:
    """Return how many memories are not in the index yet."""
    return int((await fetch_all(connection, _WAITING))[0][0])


async def next_batch(connection: Connection, limit_chars: int, after: int = 0) -> Batch | None:
    """
    Return the next memories, at least one if there is any; None when none is left.

    *after*: those up to this id are in somebody's hands already.
    """
    values = {"after": after, "limit": STEP_ROWS}
    rows = await fetch_all(connection, _NEXT, values)
    if not rows:
        return None
    pairs = [[text for text in (row["text"], row["said"]) if text] for row in rows]
    sizes = accumulate(sum(map(len, pair)) for pair in pairs)
    count = max(1, sum(size <= limit_chars for size in sizes))
    ids = [row["id"] for row in rows[:count]]
    texts = [text for pair in pairs[:count] for text in pair]
    return Batch(ids, texts, ids[-1])


async def put_in(connection: Connection, batch: Batch, tokens: Mapping[str, str]) -> None:
    """
    Put memories into the index, in the caller's transaction.

    *tokens* are those of texts, made somewhere else; what is missing is made here.
    What has come into the index meanwhile, or is gone, stays as it is.
    """
    if await versions(connection) != OURS:
        return
    values = {"ids": json.dumps(batch.ids)}
    if tokens:
        await fetch_all(connection, "SELECT given_tokens(?)", (json.dumps(tokens),))
    for statement in (_TELL, _FILL):
        await connection.execute(statement, values)
    await connection.execute(_NOTE_PLACE, {"place": batch.place})
    await end_if_empty(connection)


async def end_if_empty(connection: Connection) -> None:
    """Forget that anything was left out when nothing is any more, in the caller's transaction."""
    if not await fetch_all(connection, _NEXT, {"after": 0, "limit": 1}):
        await connection.execute(_FORGET)


async def tell_waiting(connection: Connection) -> None:
    """Let none wait any longer: an empty index is about to be filled with all, in a transaction."""
    await connection.execute(_TELL_WAITING)
    await connection.execute(_FORGET)


async def step(connection: Connection, path: str) -> bool:
    """Put some more memories in, in a transaction of its own. True when none is left."""
    if not await fetch_all(connection, _IS_ANY) or await versions(connection) != OURS:
        return True
    batch = await next_batch(connection, STEP_CHARS)
    if batch is not None:
        await fetch_all(connection, "SELECT ready_tokens(?)", (json.dumps(batch.texts),))
    async with transaction(connection, path):
        if batch is None:
            await end_if_empty(connection)
        else:
            await put_in(connection, batch, {})
    return not await fetch_all(connection, _IS_ANY)


_ADDING: Final = "memories_ai"
_AFTER: Final = "unindexed_after"
_UNTIL: Final = "unindexed_until"
"""Rows of `meta`, there as long as some may be missing: between which ids."""


def _adding() -> str:
    return next(trigger for trigger in triggers(INDEX) if f"TRIGGER {_ADDING} " in trigger)


_HIGHEST: Final = "coalesce((SELECT max(id) FROM memories), 0)"
_NOTE_BEGIN: Final = f"""
INSERT INTO meta (name, value) VALUES ('{_AFTER}', {_HIGHEST}) ON CONFLICT (name) DO UPDATE
SET value = min(CAST(value AS INTEGER), excluded.value)
"""
_NOTE_END: Final = f"""
INSERT INTO meta (name, value) VALUES ('{_UNTIL}', {_HIGHEST}) ON CONFLICT (name) DO UPDATE
SET value = excluded.value
"""
_NOTE_PLACE: Final = f"""
UPDATE meta SET value = max(CAST(value AS INTEGER), :place) WHERE name = '{_AFTER}'
"""
_FORGET: Final = f"DELETE FROM meta WHERE name IN ('{_AFTER}', '{_UNTIL}')"
_IS_ANY: Final = f"SELECT 1 FROM meta WHERE name = '{_AFTER}'"
_PLACE: Final = "(SELECT CAST(value AS INTEGER) FROM meta WHERE name = '{}')"
UNINDEXED: Final = f"""
    memories.id > {_PLACE.format(_AFTER)} AND memories.id <= {_PLACE.format(_UNTIL)}
    AND memories.deleted_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM {INDEX}_docsize WHERE id = memories.id * 4)
"""
"""Condition for the memories that are left out; none where nothing is noted."""
_WAITING: Final = f"SELECT count(*) FROM memories WHERE {UNINDEXED}"
_NEXT: Final = f"""
SELECT id, {memory_text("memories")} AS text, CASE WHEN {IS_TURN} THEN {BEFORE} END AS said
FROM memories WHERE {UNINDEXED} AND id > :after ORDER BY id LIMIT :limit
"""
_IDS: Final = "(SELECT value FROM json_each(:ids))"
# Also the turns after them, which may be in the index already: a trigger mends it then.
_TELL: Final = f"""
WITH told AS MATERIALIZED (
    SELECT id, {BEFORE} AS said FROM memories
    WHERE {IS_TURN} AND deleted_at IS NULL AND (id IN {_IDS} OR id IN (
        SELECT follower.id FROM memories AS one CROSS JOIN memories AS follower
        WHERE one.id IN {_IDS} AND {IS_FOLLOWER}
    ))
)
UPDATE memories SET before = told.said FROM told
WHERE memories.id = told.id AND memories.before IS NOT told.said
"""
_TELL_WAITING: Final = f"""
UPDATE memories SET before = {BEFORE}
WHERE id > {_PLACE.format(_AFTER)} AND {IS_TURN} AND deleted_at IS NULL
    AND before IS NOT {BEFORE}
"""
_FILL: Final = f"""{fill_memories(INDEX)} AND id IN {_IDS}
AND NOT EXISTS (SELECT 1 FROM {INDEX}_docsize WHERE id = memories.id * 4)
"""

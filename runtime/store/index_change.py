"""
From the index of one version of the tokenizer to that of another, in small steps.

A record is taken out of the index by its tokens, and those of another version cannot
be made any more. So the old index is left as it is: it answers, is told what is new,
and forgets nothing (what a record does not say any more is left out by reading the
record). Beside it the next one is filled, step by step and in short transactions,
while the triggers keep what is in it already. In the end it takes the old one's place.

How far it has come is said by what is in it, so whoever comes next goes on, after a
kill as well. A process whose tokenizer is of another version can read, and is refused
when it writes.
"""

import json
from itertools import accumulate
from typing import Final, NamedTuple

import structlog

from runtime.store.connection import Connection, Row, fetch_all, transaction
from runtime.store.index_tables import (
    BEFORE,
    IS_TURN,
    NEXT,
    NEXT_VERSION,
    OURS,
    begin_next,
    chunk_text,
    fill_chunks,
    fill_memories,
    fill_posts,
    is_kept,
    keep_anew,
    make_anew,
    memory_text,
    post_text,
    take_over,
    versions,
)
from runtime.tokens.index import TOKENIZER_VERSION

log = structlog.get_logger(__name__)

STEP_CHARS: Final = 20_000
"""Of text in one transaction: others wait for it some 20 ms."""
STEP_ROWS: Final = 400


class Progress(NamedTuple):
    """How far the next index has come, in numbers of records, not all of which need be there."""

    done: int
    total: int


async def follow(connection: Connection, path: str) -> bool:
    """
    Begin to replace an index of another version; a small one at once. True when it is ours.

    A store that names no version is new, or from before versions were noted.
    """
    if await versions(connection) == OURS and await is_kept(connection):
        return True
    async with transaction(connection, path):
        found = await versions(connection)
        if found == OURS or found.get(NEXT_VERSION) == str(TOKENIZER_VERSION):
            await keep_anew(connection)  # a migration has brought a table
        if found != OURS and not await fetch_all(connection, _ANY_RECORD):
            await make_anew(connection)
        elif found != OURS and found.get(NEXT_VERSION) != str(TOKENIZER_VERSION):
            await begin_next(connection)
    return await step(connection, path)


async def step(connection: Connection, path: str) -> bool:
    """
    Put some more records into the next index; after the last one it takes over.

    True when the index is ours. In transactions of its own; tokens are made before,
    so that others wait less.
    """
    if await versions(connection) == OURS:
        return True
    batch = await _batch(connection)
    texts = [text for row in batch for text in (row["text"], row["before"]) if text]
    if texts:
        await fetch_all(connection, "SELECT ready_tokens(?)", (json.dumps(texts),))
    async with transaction(connection, path):
        found = await versions(connection)
        if found.get(NEXT_VERSION) != str(TOKENIZER_VERSION):
            return found == OURS
        for place, statements in _FILL.items():
            ids = [row["id"] for row in batch if row["place"] == place]
            for statement in statements if ids else ():
                await connection.execute(statement, {"ids": json.dumps(ids)})
            if ids:
                await connection.execute(_NOTE_PLACE, {"place": place, "id": max(ids)})
        if await _batch(connection):
            return False
        await take_over(connection)
    log.warning("index_rebuilt", tokenizer=TOKENIZER_VERSION)
    return True


async def is_anothers(connection: Connection) -> bool:
    """Tell whether a process of another version makes, or has made, the index meanwhile."""
    found = await versions(connection)
    return found != OURS and found.get(NEXT_VERSION) != str(TOKENIZER_VERSION)


async def progress(connection: Connection) -> Progress | None:
    """Return how far the next index has come, None when there is none."""
    if NEXT_VERSION not in await versions(connection):
        return None
    row = (await fetch_all(connection, _PROGRESS))[0]
    return Progress(row["done"], row["total"])


async def _batch(connection: Connection) -> list[Row]:
    """Return the next records that are to be put in, at least one if there is any."""
    rows = await fetch_all(connection, _NEXT_MEMORIES, {"limit": STEP_ROWS})
    for statement in (_NEXT_CHUNKS, _NEXT_POSTS):
        rows += await fetch_all(connection, statement, {"limit": STEP_ROWS - len(rows)})
    sizes = accumulate(len(row["text"]) for row in rows)
    return rows[: max(1, sum(size <= STEP_CHARS for size in sizes))]


_ANY_RECORD: Final = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM memories) OR EXISTS (SELECT 1 FROM note_chunks)
    OR EXISTS (SELECT 1 FROM permanent_posts)
"""
_PLACE: Final = "coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '{}'), 0)"
_MEMORY_PLACE: Final = "tokenizer_next_memory"
_CHUNK_PLACE: Final = "tokenizer_next_chunk"
_POST_PLACE: Final = "tokenizer_next_post"
"""Rows of `meta`: up to which id all is in the next index."""
_NEXT_MEMORIES: Final = f"""
SELECT id, '{_MEMORY_PLACE}' AS place, {memory_text("memories")} AS text, before
FROM memories WHERE id > {_PLACE.format(_MEMORY_PLACE)} AND deleted_at IS NULL
ORDER BY id LIMIT :limit
"""
_NEXT_CHUNKS: Final = f"""
SELECT id, '{_CHUNK_PLACE}' AS place, {chunk_text("note_chunks")} AS text, NULL AS before
FROM note_chunks WHERE id > {_PLACE.format(_CHUNK_PLACE)}
ORDER BY id LIMIT :limit
"""
_NEXT_POSTS: Final = f"""
SELECT id, '{_POST_PLACE}' AS place, {post_text("permanent_posts")} AS text, NULL AS before
FROM permanent_posts WHERE id > {_PLACE.format(_POST_PLACE)}
ORDER BY id LIMIT :limit
"""
_IDS: Final = "(SELECT value FROM json_each(:ids))"
# In a store of an earlier version no turn knows the one before it.
_TELL_TURNS: Final = f"""
UPDATE memories SET before = {BEFORE}
WHERE id IN {_IDS} AND {IS_TURN} AND deleted_at IS NULL AND before IS NOT {BEFORE}
"""
_FILL: Final = {
    _MEMORY_PLACE: (
        _TELL_TURNS,
        fill_memories(NEXT) + f" AND id IN {_IDS}"
        f" AND id * 4 NOT IN (SELECT id FROM {NEXT}_docsize)",
    ),
    _CHUNK_PLACE: (
        fill_chunks(NEXT) + f" WHERE id IN {_IDS}"
        f" AND id * 4 + 1 NOT IN (SELECT id FROM {NEXT}_docsize)",
    ),
    _POST_PLACE: (
        fill_posts(NEXT) + f" WHERE id IN {_IDS}"
        f" AND id * 4 + 2 NOT IN (SELECT id FROM {NEXT}_docsize)",
    ),
}
_NOTE_PLACE: Final = """
INSERT INTO meta (name, value) VALUES (:place, :id) ON CONFLICT (name) DO UPDATE
SET value = max(CAST(value AS INTEGER), excluded.value)
"""
_PROGRESS: Final = f"""
SELECT {_PLACE.format(_MEMORY_PLACE)} + {_PLACE.format(_CHUNK_PLACE)}
        + {_PLACE.format(_POST_PLACE)} AS done,
    coalesce((SELECT max(id) FROM memories), 0)
        + coalesce((SELECT max(id) FROM note_chunks), 0)
        + coalesce((SELECT max(id) FROM permanent_posts), 0) AS total
"""

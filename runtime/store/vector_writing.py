"""Vectors of records, as they are written: in the caller's transaction, a part at a time."""

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from runtime.store.connection import Connection, fetch_all
from runtime.store.vectors import NUMBER, TEXTS, text_hash


class Encoded(NamedTuple):
    """A vector, and what tells the text that it was made of from another one."""

    vector: bytes
    hash: bytes


async def put_vectors(
    connection: Connection,
    name: str,
    version: str,
    encoded: Mapping[int, Encoded],
    most_chars: int,
) -> int:
    """
    Keep vectors of rows whose text is still the one that was encoded. Returns how many.

    Encoding takes long enough for somebody to write in between, and to drop the
    encoder, which is noted here each time. All vectors are of one length.
    """
    values = {"rows": json.dumps(list(encoded)), "chars": most_chars}
    same = [
        row
        for row, text in await fetch_all(connection, TEXTS, values)
        if text_hash(text) == encoded[row].hash
    ]
    if same:
        dimensions = len(encoded[same[0]].vector)
        await connection.execute(_NOTE_ENCODER, (name, version, dimensions))
        (number,), *_ = await fetch_all(connection, NUMBER, (name, version))
        rows = [(row, number, encoded[row].hash, encoded[row].vector) for row in same]
        await connection.executemany(_PUT, rows)
    return len(same)


async def drop_vectors(connection: Connection, encoder: int, limit: int) -> int:
    """Delete so many vectors of an encoder, and with the last one itself. Returns how many."""
    cursor = await connection.execute(_DROP, {"encoder": encoder, "limit": limit})
    if cursor.rowcount < limit:
        await connection.execute("DELETE FROM encoders WHERE id = ?", (encoder,))
    return cursor.rowcount


_NOTE_ENCODER: Final = (
    "INSERT INTO encoders (name, version, dimensions) VALUES (?, ?, ?)"
    " ON CONFLICT (name, version) DO NOTHING"
)
_PUT: Final = """
INSERT INTO vectors (row, encoder, text_hash, vector) VALUES (?, ?, ?, ?)
ON CONFLICT (row, encoder) DO UPDATE SET text_hash = excluded.text_hash, vector = excluded.vector
"""
_DROP: Final = """
DELETE FROM vectors WHERE encoder = :encoder AND row IN (
    SELECT row FROM vectors WHERE encoder = :encoder LIMIT :limit
)
"""

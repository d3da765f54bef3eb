"""
Vectors of records, as they are read. Standard library only: `runtime search` loads this.

A *row* is the number of a record in the search index, its id times 4 plus its kind.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from runtime.store.search_filter import MEMORY_TEXT, NOTE_TEXT, POST_TEXT

if TYPE_CHECKING:
    from sqlite3 import Connection

HASH_BYTES: Final = 8
MEMORY, NOTE, POST = 0, 1, 2
"""The kinds, by what they add to a row's number."""


class Made(NamedTuple):
    """An encoder whose vectors are in the store."""

    id: int
    name: str
    version: str
    dimensions: int
    vectors: int


class Text(NamedTuple):
    """What is encoded of a record, and what tells it from another text."""

    text: str
    hash: bytes


class Place(NamedTuple):
    """How far a look at all records has come: those of a kind with a lower id are next."""

    kind: int = MEMORY
    below: int = 2**62


def made(connection: "Connection") -> list[Made]:
    """Return the encoders with vectors in the store, the oldest first; counts them all."""
    return [Made(*row) for row in connection.execute(_MADE)]


def number_of(connection: "Connection", name: str, version: str) -> int | None:
    """Return the number of an encoder, None for one that has made nothing here."""
    row = connection.execute(NUMBER, (name, version)).fetchone()
    return int(row[0]) if row else None


def records(connection: "Connection") -> int:
    """Return how many records there are to encode."""
    return int(connection.execute(_RECORDS).fetchone()[0])


def vectors_of(connection: "Connection", encoder: int, rows: Iterable[int]) -> dict[int, bytes]:
    """Return the vectors of those of these rows that have one, by row."""
    return dict(connection.execute(_AMONG, (_array(rows), encoder)))


def texts_of(connection: "Connection", rows: Iterable[int], most_chars: int) -> dict[int, Text]:
    """Return the beginnings of records' texts, by row; what is deleted is left out."""
    values = {"rows": _array(rows), "chars": most_chars}
    found = connection.execute(TEXTS, values)
    return {row: Text(text, text_hash(text)) for row, text in found}


def text_hash(text: str) -> bytes:
    """Return what tells a text from another one."""
    return sha256(text.encode("utf-8", "replace")).digest()[:HASH_BYTES]


def missing(
    connection: "Connection", encoder: int, place: Place, limit: int, span: int
) -> tuple[list[int], Place | None]:
    """
    Return rows without a vector of an encoder, newest first, and where to go on.

    It looks at so many ids as *span* says and at no more, so that nobody waits for
    it for long. None where nothing is left.
    """
    table = _TABLES[place.kind]
    # The next one there is: numbers of permanent memories may lie far apart.
    statement = f"SELECT max(id) FROM {table} WHERE id < ?"  # noqa: S608 - one of ours
    (highest,) = connection.execute(statement, (place.below,)).fetchone()
    below = (highest or 0) + 1
    if below <= 1:
        return [], Place(place.kind + 1) if place.kind < POST else None
    values = {"below": below, "from": below - span, "encoder": encoder, "limit": limit}
    rows = [row for (row,) in connection.execute(_MISSING[place.kind], values)]
    if len(rows) == limit:
        return rows, Place(place.kind, rows[-1] // 4)
    return rows, Place(place.kind, max(1, below - span))


def _array(rows: Iterable[int]) -> str:
    return f"[{','.join(map(str, rows))}]"


_TABLES: Final = {MEMORY: "memories", NOTE: "note_chunks", POST: "permanent_posts"}
NUMBER: Final = "SELECT id FROM encoders WHERE name = ? AND version = ?"
_MADE: Final = """
SELECT id, name, version, dimensions, (SELECT count(*) FROM vectors WHERE encoder = encoders.id)
FROM encoders ORDER BY id
"""
_RECORDS: Final = """
SELECT (SELECT count(*) FROM memories WHERE deleted_at IS NULL)
    + (SELECT count(*) FROM note_chunks) + (SELECT count(*) FROM permanent_posts)
"""
_AMONG: Final = """
SELECT row, vector FROM vectors
WHERE row IN (SELECT value FROM json_each(?)) AND encoder = ?
"""
TEXTS: Final = f"""
SELECT id * 4, substr({MEMORY_TEXT}, 1, :chars) FROM memories
WHERE id IN (SELECT value / 4 FROM json_each(:rows) WHERE value % 4 = 0) AND deleted_at IS NULL
UNION ALL
SELECT id * 4 + 1, substr(ltrim({NOTE_TEXT}, char(10)), 1, :chars) FROM note_chunks
WHERE id IN (SELECT value / 4 FROM json_each(:rows) WHERE value % 4 = 1)
UNION ALL
SELECT id * 4 + 2, substr({POST_TEXT}, 1, :chars) FROM permanent_posts
WHERE id IN (SELECT value / 4 FROM json_each(:rows) WHERE value % 4 = 2)
"""  # noqa: S608 - constants
# CASE, since it is worked out in this order: to tell whether a memory is deleted, SQLite
# has to pass over the whole of its text.
_MISSING: Final = {
    MEMORY: """
    SELECT id * 4 FROM memories WHERE id < :below AND id >= :from AND CASE
        WHEN EXISTS (SELECT 1 FROM vectors WHERE row = memories.id * 4 AND encoder = :encoder)
        THEN 0 ELSE deleted_at IS NULL END
    ORDER BY id DESC LIMIT :limit
    """,
    NOTE: """
    SELECT id * 4 + 1 FROM note_chunks WHERE id < :below AND id >= :from AND NOT EXISTS (
        SELECT 1 FROM vectors WHERE row = note_chunks.id * 4 + 1 AND encoder = :encoder)
    ORDER BY id DESC LIMIT :limit
    """,
    POST: """
    SELECT id * 4 + 2 FROM permanent_posts WHERE id < :below AND id >= :from AND NOT EXISTS (
        SELECT 1 FROM vectors WHERE row = permanent_posts.id * 4 + 2 AND encoder = :encoder)
    ORDER BY id DESC LIMIT :limit
    """,
}

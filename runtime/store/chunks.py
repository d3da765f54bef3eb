"""Rows of `note_chunks` and `notes`: the shadow of the Markdown files."""

import json
import sys
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from runtime.store.clock import utc
from runtime.store.connection import Connection, Row, fetch_all
from runtime.store.note_files import NoteFile
from runtime.store.search_records import SUMMARY_CHARS, beginning
from runtime.text import one_line
from schemas.search import Chunk

HASH_BYTES: Final = 8
"""Of a section's hash, which only has to tell the texts of one store apart."""
INSERT_ROWS: Final = 400
"""In one statement, which may have 32,766 values."""
UNREAD_BYTES: Final = -1
"""The `size` of a file whose rows are not all of it: no file on disk is equal to it."""


class Note(NamedTuple):
    """What the rows of one file shall become."""

    file: NoteFile
    chunks: Sequence[Chunk] = ()
    error: str | None = None
    moved_from: str | None = None
    """Path under which the same file was known before."""
    is_gone: bool = False
    """It leaves no row at all."""


class Changed(NamedTuple):
    """How many sections were touched."""

    added: int
    removed: int
    is_whole: bool = True
    """False when there was more to do than was allowed at once."""


async def put_file(
    connection: Connection, file: NoteFile, error: str | None, now: datetime
) -> None:
    """Note that a file was looked at, in the caller's transaction."""
    await connection.execute(_PUT_FILE, {**file._asdict(), "now": utc(now), "error": error})


async def put_chunks(connection: Connection, source: str, chunks: Sequence[Chunk]) -> Changed:
    """
    Make the file's rows equal to its sections, in the caller's transaction.

    A section that only moved keeps its row (and its place in the index); one
    that changed is replaced.
    """
    return await _make_equal(connection, {source: chunks})


async def put_notes(
    connection: Connection, notes: Sequence[Note], now: datetime, max_chars: int
) -> Changed:
    """
    Make the rows of many files equal to what they hold, in the caller's transaction.

    It ends early when sections of more than *max_chars* characters have been put
    in or taken out, so that others need not wait long for the writer's lock; the
    same call, in a new transaction, then goes on.
    """
    moved = [(note.file.path, note.moved_from) for note in notes if note.moved_from]
    if moved:
        await _move_files(connection, moved)
    done = await _make_equal(connection, {note.file.path: note.chunks for note in notes}, max_chars)
    gone = [(note.file.path,) for note in notes if note.is_gone and done.is_whole]
    if gone:
        await connection.executemany(_FORGET_FILE, gone)
    # One that is put in by halves must look changed to whoever comes next.
    half = {} if done.is_whole else {"size": UNREAD_BYTES}
    values = [
        {**note.file._asdict(), "error": note.error, "now": utc(now), **half}
        for note in notes
        if not (note.is_gone and done.is_whole)
    ]
    if values:
        await connection.executemany(_PUT_FILE, values)
    return done


_FORGET_FILE: Final = "DELETE FROM notes WHERE path = ?"
_PUT_FILE: Final = """
INSERT INTO notes (path, root, mtime_ns, size, indexed_at, error)
VALUES (:path, :root, :mtime_ns, :size, :now, :error)
ON CONFLICT (path) DO UPDATE SET root = excluded.root, mtime_ns = excluded.mtime_ns,
    size = excluded.size, indexed_at = excluded.indexed_at, error = excluded.error
"""


async def _move_files(connection: Connection, moved: Sequence[tuple[str, str]]) -> None:
    """Hand the rows of the old paths to the new ones; the index need not know."""
    await connection.executemany(
        "UPDATE OR IGNORE note_chunks SET source = ? WHERE source = ?", moved
    )
    old = [(path,) for _new, path in moved]
    await connection.executemany("DELETE FROM note_chunks WHERE source = ?", old)
    await connection.executemany(_FORGET_FILE, old)


async def make_ready(connection: Connection, notes: Sequence[Note], max_chars: int) -> None:
    """
    Have the tokens made that `put_notes` will need; before its transaction, outside of any.

    It helps only others, who wait less for the writer's lock: what another
    process changes in between, or is missing, is made in the transaction.
    """
    # Rows of a file that has just moved still lie under its old path.
    wanted = {note.moved_from or note.file.path: note.chunks for note in notes}
    rows = await fetch_all(connection, _ROWS, {"sources": json.dumps(list(wanted))})
    plan = _plan(rows, wanted)
    out, into = _allowed(plan, max_chars)
    texts = [f"{chunk.heading_path}\n{chunk.content}" for chunk in plan.inserts[:into]]
    if out:
        values = {"ids": json.dumps([row["id"] for row in plan.stale[:out]])}
        texts += [row[0] for row in await fetch_all(connection, _TEXTS, values)]
    if texts:
        await fetch_all(connection, "SELECT ready_tokens(?)", (json.dumps(texts),))


class _Plan(NamedTuple):
    """What has to be done to the rows of some files."""

    moves: list[tuple[int, Chunk]]
    """Rows that stay, by id, with their new place."""
    inserts: list[Chunk]
    stale: list[Row]


async def _make_equal(
    connection: Connection, wanted: Mapping[str, Sequence[Chunk]], max_chars: int = sys.maxsize
) -> Changed:
    rows = await fetch_all(connection, _ROWS, {"sources": json.dumps(list(wanted))})
    plan = _plan(rows, wanted)
    out, into = _allowed(plan, max_chars)
    if out:
        stale = [row["id"] for row in plan.stale[:out]]
        await connection.execute(_DELETE, {"ids": json.dumps(stale)})
    # Ordinals are unique per file: park the old ones before handing them out anew.
    parked = [row_id for row_id, _chunk in plan.moves] + [row["id"] for row in plan.stale[out:]]
    if parked:
        await connection.execute(_PARK, {"ids": json.dumps(parked)})
    if plan.moves:
        moves = [{**chunk.model_dump(), "id": row_id} for row_id, chunk in plan.moves]
        await connection.executemany(_MOVE, moves)
    for start in range(0, into, INSERT_ROWS):
        await _insert(connection, plan.inserts[start : min(into, start + INSERT_ROWS)])
    return Changed(into, out, is_whole=(out, into) == (len(plan.stale), len(plan.inserts)))


async def _insert(connection: Connection, chunks: Sequence[Chunk]) -> None:
    values = [value for chunk in chunks for value in _values(chunk)]
    await connection.execute(_INSERT + ", ".join([_INSERTED] * len(chunks)), values)


def _plan(rows: Iterable[Row], wanted: Mapping[str, Sequence[Chunk]]) -> _Plan:
    """Pair sections with rows of the same text and headings, in order."""
    free: dict[tuple[str, str, str], deque[Row]] = {}
    for row in rows:
        key = (row["source"], row["content_hash"], row["heading_path"])
        free.setdefault(key, deque()).append(row)
    moves: list[tuple[int, Chunk]] = []
    inserts: list[Chunk] = []
    for source, chunks in wanted.items():
        for chunk in chunks:
            same = free.get((source, _hash(chunk).hex(), chunk.heading_path))
            if not same:
                inserts.append(chunk)
                continue
            row = same.popleft()
            if any(row[name] != getattr(chunk, name) for name in _PLACE):
                moves.append((row["id"], chunk))
    return _Plan(moves, inserts, [row for left in free.values() for row in left])


def _allowed(plan: _Plan, max_chars: int) -> tuple[int, int]:
    """Count the rows that may be taken out at once, and those that may be put in."""
    out, room = _fitting([row["chars"] for row in plan.stale], max_chars)
    into, _room = _fitting([len(chunk.content) for chunk in plan.inserts], room)
    return out, into


def _fitting(sizes: Sequence[int], room: int) -> tuple[int, int]:
    """Count how many may be done before *room* is used up, and give what is left of it."""
    for count, size in enumerate(sizes):
        if room <= 0:
            return count, room
        room -= size
    return len(sizes), room


def _values(chunk: Chunk) -> tuple[str | int | bytes | None, ...]:
    """Return the columns of a section's row, in their order in the table."""
    summary = one_line(chunk.content, SUMMARY_CHARS)
    return (
        chunk.source,
        chunk.ordinal,
        chunk.heading,
        chunk.heading_path,
        chunk.content,
        _hash(chunk),
        chunk.start_line,
        chunk.end_line,
        chunk.date,
        chunk.date_origin,
        None if summary == beginning(chunk.content) else summary,
    )


def _hash(chunk: Chunk) -> bytes:
    return bytes.fromhex(chunk.content_hash)[:HASH_BYTES]


_PLACE: Final = ("ordinal", "heading", "start_line", "end_line", "date", "date_origin")
"""What may change while a section stays the same."""
_ROWS: Final = """
SELECT id, source, heading_path, ordinal, heading, start_line, end_line, date, date_origin,
    CASE typeof(content_hash) WHEN 'blob' THEN lower(hex(content_hash))
        ELSE substr(content_hash, 1, 16) END AS content_hash,
    length(content) AS chars
FROM note_chunks WHERE source IN (SELECT value FROM json_each(:sources)) ORDER BY source, ordinal
"""
_TEXTS: Final = """
SELECT heading_path || char(10) || content FROM note_chunks
WHERE id IN (SELECT value FROM json_each(:ids))
"""
# All rows in one statement: before each one that fires the index's triggers, SQLite has FTS5
# write down what it holds, which for many rows takes longer than indexing them.
_DELETE: Final = "DELETE FROM note_chunks WHERE id IN (SELECT value FROM json_each(:ids))"
_PARK: Final = """
UPDATE note_chunks SET ordinal = -1 - id WHERE id IN (SELECT value FROM json_each(:ids))
"""
_MOVE: Final = """
UPDATE note_chunks SET ordinal = :ordinal, heading = :heading, start_line = :start_line,
    end_line = :end_line, date = :date, date_origin = :date_origin
WHERE id = :id
"""
# Not by JSON: for SQLite before 3.45 a text there ends at a NUL.
_INSERT: Final = """
INSERT INTO note_chunks (
    source, ordinal, heading, heading_path, content, content_hash, start_line, end_line,
    date, date_origin, summary
) VALUES """
_INSERTED: Final = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

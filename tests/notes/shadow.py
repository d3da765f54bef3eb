"""Notes on disk and what the index makes of them."""

import os
from pathlib import Path
from typing import Any, Final

from runtime.notes.indexer import Indexed, reindex
from runtime.query import parse
from runtime.store.connection import Connection
from runtime.store.search_hits import Question, find
from runtime.store.store import Store

MAX_BYTES: Final = 100_000
FIELDS: Final = (
    "source, ordinal, heading, heading_path, content, start_line, end_line, date, date_origin"
)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


async def index(store: Store, *roots: Path) -> Indexed:
    return await reindex(store, [str(root) for root in roots], MAX_BYTES)


async def chunks(connection: Connection) -> list[tuple[Any, ...]]:
    async with connection.execute(
        f"SELECT {FIELDS} FROM note_chunks ORDER BY source, ordinal"
    ) as cursor:
        return [tuple(row) for row in await cursor.fetchall()]


async def ids(store: Store) -> dict[str, tuple[int, int, int]]:
    """Return row, first and last line of every section, by heading."""
    async with store.connection.execute(
        "SELECT heading, id, start_line, end_line FROM note_chunks"
    ) as cursor:
        return {row[0]: tuple(row[1:]) for row in await cursor.fetchall()}


async def found(store: Store, query: str) -> list[str]:
    question = Question(parse(query), 10, "2026-06-11", is_all=True)
    hits = await store.reader.run(find, question)
    return sorted(os.path.basename(hit.source) for hit in hits)


async def check(store: Store) -> None:
    """Compare FTS with what its triggers were told; raises when it is damaged."""
    await store.connection.execute(
        "INSERT INTO search_index (search_index) VALUES ('integrity-check')"
    )

"""Memories and notes for tests of the search, and questions about them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from runtime.query import parse
from runtime.store.chunks import put_chunks
from runtime.store.longterm import Origin, keep
from runtime.store.search_hits import Hit, Question, find
from runtime.store.store import Store
from schemas.records import NewMemory
from schemas.search import Chunk

TODAY: Final = "2026-06-30"


async def remember(store: Store, text: str, **fields: Any) -> None:
    """Keep a memory; `at` and `project` are its day and project, the rest its fields."""
    day = datetime.fromisoformat(fields.pop("at", "2026-06-11T03:00:00")).replace(tzinfo=UTC)
    project = fields.pop("project", None)
    source = f"tool:{fields['tool']}" if "tool" in fields else "session"
    memory = NewMemory.model_validate(
        {"key": f"{text}{fields}{day}", "content": text, "source": source, "created_at": day}
        | fields
    )
    async with store.transaction() as connection:
        await keep(connection, memory, Origin(project, project, None, None), day)


async def note(store: Store, path: str, sections: Mapping[str, str]) -> None:
    """Index a note: its sections by heading, dated by the day that begins a heading."""
    chunks = [
        Chunk(
            source=path,
            ordinal=number,
            heading=heading,
            heading_path=heading,
            content=text,
            content_hash=sha256(text.encode()).hexdigest(),
            start_line=number * 2 + 1,
            end_line=number * 2 + 2,
            date=heading[:10] if heading[:1] == "2" else None,
            date_origin="heading" if heading[:1] == "2" else None,
        )
        for number, (heading, text) in enumerate(sections.items())
    ]
    async with store.transaction() as connection:
        await put_chunks(connection, path, chunks)


async def hits(store: Store, query: str, limit: int = 10, **options: Any) -> Sequence[Hit]:
    """Return what a question finds."""
    return await store.reader.run(find, Question(parse(query), limit, TODAY, **options))


async def texts(store: Store, query: str, limit: int = 10, **options: Any) -> list[str]:
    """Return the texts that a question finds, best first."""
    return [hit.content for hit in await hits(store, query, limit, **options)]

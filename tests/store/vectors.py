"""Records with vectors, for tests of what is done with them."""

from collections.abc import Mapping, Sequence

from runtime.store.chunks import put_chunks
from runtime.store.longterm import Origin, content_hash, keep
from runtime.store.store import Store
from runtime.store.vector_writing import Encoded, put_vectors
from runtime.store.vectors import number_of, texts_of
from schemas.records import NewMemory
from schemas.search import Chunk
from tests.migrations.make import AT

ORIGIN = Origin("shop", "0123456789abcdef", None, "machine")
NAME, VERSION = "words", "1"
CHARS = 100


async def remember(store: Store, *texts: str) -> None:
    """Keep memories of these texts; their ids are 1, 2, ... in a fresh store."""
    async with store.transaction() as connection:
        for text in texts:
            memory = NewMemory(key=text, content=text, source="session", created_at=AT)
            await keep(connection, memory, ORIGIN, AT)


async def note(store: Store, path: str, *texts: str) -> None:
    """Make these the sections of a note."""
    async with store.transaction() as connection:
        await put_chunks(connection, path, [_chunk(path, *each) for each in enumerate(texts)])


def _chunk(path: str, ordinal: int, text: str) -> Chunk:
    return Chunk(
        source=path,
        ordinal=ordinal,
        heading="",
        heading_path="",
        content=text,
        content_hash=content_hash(text),
        start_line=ordinal + 1,
        end_line=ordinal + 1,
        date=None,
        date_origin=None,
    )


async def encode(
    store: Store, vectors: Mapping[int, Sequence[int]], name: str = NAME, version: str = VERSION
) -> int:
    """Give rows these vectors, of their texts as they are now. Returns the encoder's number."""
    texts = await store.reader.run(texts_of, list(vectors), CHARS)
    encoded = {
        row: Encoded(bytes(number & 255 for number in vectors[row]), text.hash)
        for row, text in texts.items()
    }
    async with store.transaction() as connection:
        assert await put_vectors(connection, name, version, encoded, CHARS) == len(vectors)
    number = await store.reader.run(number_of, name, version)
    assert number is not None
    return number

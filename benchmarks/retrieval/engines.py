"""
The engines that are compared, behind one interface.

Each keeps its database in a file of its own in a given folder, and is told
documents by id once before it is asked.
"""

import os
import re
import sqlite3
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path

from anyio.from_thread import BlockingPortal

from benchmarks.retrieval import bare
from benchmarks.retrieval.measures import PLACES
from runtime.store.chunks import put_chunks
from runtime.store.search import search
from runtime.store.store import Store, open_store
from runtime.tokens.index import index_tokens
from schemas.search import Chunk

INDEX_BYTES = "SELECT sum(length(block)) FROM {}_data"
"""Of an FTS5 table by its name."""


class Engine(ABC):
    """Finds documents by words."""

    name: str

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{type(self).__name__}.db"

    @abstractmethod
    def index(self, documents: Mapping[str, str]) -> None:
        """Take in documents."""

    @abstractmethod
    def search(self, query: str) -> list[str]:
        """Return at most ten ids, best first."""

    def size_bytes(self) -> int:
        """Return what lies on disk."""
        return sum(os.path.getsize(path) for path in self.path.parent.glob(f"{self.path.name}*"))

    @abstractmethod
    def index_bytes(self) -> int:
        """Return what the index alone takes, without the texts."""

    @abstractmethod
    def close(self) -> None:
        """Close the database."""


class Product(Engine):
    """This project: every document a note with one section."""

    name = "oboegaki"

    def __init__(self, folder: Path, portal: BlockingPortal) -> None:
        super().__init__(folder)
        self._portal = portal
        self._stack = AsyncExitStack()
        self._store: Store = portal.call(self._open)

    async def _open(self) -> Store:
        opened = open_store(str(self.path), busy_timeout_s=5)
        return await self._stack.enter_async_context(opened)

    def index(self, documents: Mapping[str, str]) -> None:
        self._portal.call(self._index, documents)

    async def _index(self, documents: Mapping[str, str]) -> None:
        async with self._store.transaction() as connection:
            for number, text in documents.items():
                await put_chunks(connection, number, [chunk(number, text)])
        await self._store.connection.execute("PRAGMA wal_checkpoint (TRUNCATE)")

    def search(self, query: str) -> list[str]:
        return self._portal.call(self._search, query)

    async def _search(self, query: str) -> list[str]:
        return [hit.source for hit in await search(self._store.reader, query, PLACES)]

    def index_bytes(self) -> int:
        return self._portal.call(self._index_bytes)

    async def _index_bytes(self) -> int:
        async with self._store.connection.execute(INDEX_BYTES.format("search_index")) as cursor:
            row = await cursor.fetchone()
        return int(row[0]) if row else 0

    def close(self) -> None:
        self._portal.call(self._stack.aclose)


def chunk(number: str, text: str) -> Chunk:
    """Return a document as the one section of a note."""
    return Chunk(
        source=number,
        ordinal=0,
        heading="",
        heading_path="",
        content=text,
        content_hash=sha256(text.encode()).hexdigest()[:16],
        start_line=1,
        end_line=1 + text.count("\n"),
        date=None,
        date_origin=None,
    )


class _Sqlite(Engine):
    schema: str
    tables: tuple[str, ...]
    """The FTS5 tables among them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.database = sqlite3.connect(self.path, isolation_level=None)
        self.database.executescript("PRAGMA synchronous = OFF;" + self.schema)
        self.ids: list[str] = []

    def select(self, statement: str, *values: str | int) -> list[str]:
        """Return the ids of the rows that a statement gives."""
        rows = self.database.execute(f"{statement} LIMIT {PLACES}", values)
        return [self.ids[row[0] - 1] for row in rows]

    def index_bytes(self) -> int:
        statements = [INDEX_BYTES.format(table) for table in self.tables]
        return sum(self.database.execute(statement).fetchone()[0] for statement in statements)

    def close(self) -> None:
        self.database.close()


class Source(_Sqlite):
    """
    The system whose contract this project keeps: the query is one phrase, routed by script.

    Japanese and Korean of three characters or more go to a trigram table, then to
    `LIKE`; shorter ones to `LIKE`; everything else to `unicode61`.
    """

    name = "source system"
    tables = ("words", "pieces")
    schema = """
    CREATE TABLE texts (id INTEGER PRIMARY KEY, content TEXT);
    CREATE VIRTUAL TABLE words USING fts5 (content);
    CREATE VIRTUAL TABLE pieces USING fts5 (content, tokenize = 'trigram');
    """
    BLOCKS = ((0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF))

    def index(self, documents: Mapping[str, str]) -> None:
        self.ids += documents
        rows = list(enumerate(documents.values(), 1))
        self.database.execute("BEGIN")
        for table, key in (("texts", "id"), ("words", "rowid"), ("pieces", "rowid")):
            statement = f"INSERT INTO {table} ({key}, content) VALUES (?, ?)"
            self.database.executemany(statement, rows)
        self.database.execute("COMMIT")

    def search(self, query: str) -> list[str]:
        query = query.strip()
        if not query:
            return []
        if not any(low <= ord(char) <= high for char in query for low, high in self.BLOCKS):
            return self._phrase("words", query)
        found = self._phrase("pieces", query) if len(query) >= 3 else []
        return found or self._like(query)

    def _phrase(self, table: str, query: str) -> list[str]:
        phrase = '"' + query.replace('"', '""') + '"'
        return self.select(f"SELECT rowid FROM {table} WHERE content MATCH ? ORDER BY rank", phrase)

    def _like(self, query: str) -> list[str]:
        escaped = re.sub(r"([\\%_])", r"\\\1", query)
        return self.select(r"SELECT id FROM texts WHERE content LIKE ? ESCAPE '\'", f"%{escaped}%")


class Bare(_Sqlite):
    """This project's tokens with the least ranking that there can be."""

    name = "tokens, OR"
    tables = ("pieces",)
    schema = """
    CREATE TABLE texts (id INTEGER PRIMARY KEY, content TEXT);
    CREATE VIRTUAL TABLE pieces USING fts5 (content, content = '', tokenize = 'porter ascii');
    """

    def index(self, documents: Mapping[str, str]) -> None:
        self.ids += documents
        rows = list(enumerate(documents.values(), 1))
        tokens = [(row, index_tokens(text)) for row, text in rows]
        self.database.execute("BEGIN")
        self.database.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        self.database.executemany("INSERT INTO pieces (rowid, content) VALUES (?, ?)", tokens)
        self.database.execute("COMMIT")

    def search(self, query: str) -> list[str]:
        found = bare.best(self.database, "pieces", query, len(self.ids))
        return [self.ids[row - 1] for row in found]


class Trigram(_Sqlite):
    """FTS5 as it comes: the trigram tokenizer, any of the query's trigrams, bm25."""

    name = "FTS5 trigram, OR"
    tables = ("pieces",)
    schema = """
    CREATE TABLE texts (id INTEGER PRIMARY KEY, content TEXT);
    CREATE VIRTUAL TABLE pieces USING fts5 (content, content = '', tokenize = 'trigram');
    """

    def index(self, documents: Mapping[str, str]) -> None:
        self.ids += documents
        rows = list(enumerate(documents.values(), 1))
        folded = [(row, _folded(text)) for row, text in rows]
        self.database.execute("BEGIN")
        self.database.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        self.database.executemany("INSERT INTO pieces (rowid, content) VALUES (?, ?)", folded)
        self.database.execute("COMMIT")

    def search(self, query: str) -> list[str]:
        words = re.findall(r"\w+", _folded(query))
        pieces = {word[at : at + 3]: None for word in words for at in range(len(word) - 2)}
        if not pieces:
            return []
        match = " OR ".join(f'"{piece}"' for piece in pieces)
        return self.select("SELECT rowid FROM pieces WHERE pieces MATCH ? ORDER BY rank", match)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()

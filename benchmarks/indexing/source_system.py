"""
How memory_system indexes, restated to compare with.

Every run reads and cuts every file of a folder, hashes each chunk and looks the
hashes up; chunks go into two full-text tables that keep their text once more.
"""

import hashlib
import itertools
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MAX_CHARS: Final = 1500
OVERLAP_LINES: Final = 2
LEAST_CHARS: Final = 2
HASH_DIGITS: Final = 16
HEADING: Final = re.compile(r"^(#{1,6})\s+(.+)$")
COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)

SCHEMA: Final = """
CREATE TABLE chunks (
    chunk_hash TEXT PRIMARY KEY, source TEXT NOT NULL, heading TEXT, content TEXT NOT NULL,
    start_line INTEGER, end_line INTEGER
);
CREATE INDEX idx_chunks_source ON chunks (source);
CREATE VIRTUAL TABLE chunks_fts USING fts5 (content);
CREATE VIRTUAL TABLE chunks_fts_trigram USING fts5 (content, tokenize = 'trigram');
CREATE TRIGGER chunks_ai AFTER INSERT ON chunks BEGIN
    INSERT INTO chunks_fts (rowid, content) VALUES (new.rowid, new.content);
    INSERT INTO chunks_fts_trigram (rowid, content) VALUES (new.rowid, new.content);
END;
CREATE TRIGGER chunks_ad AFTER DELETE ON chunks BEGIN
    DELETE FROM chunks_fts WHERE rowid = old.rowid;
    DELETE FROM chunks_fts_trigram WHERE rowid = old.rowid;
END;
"""
INSERT: Final = """
INSERT OR IGNORE INTO chunks (chunk_hash, source, heading, content, start_line, end_line)
VALUES (?, ?, ?, ?, ?, ?)
"""


def open_index(path: str) -> sqlite3.Connection:
    """Make the database, with SQLite's own settings."""
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    return connection


def reindex(connection: sqlite3.Connection, folders: list[Path]) -> None:
    """Index every file that lies directly in the folders, then forget what is not there."""
    for folder in folders:
        for path in sorted(folder.glob("*.md")):
            _index_file(connection, path)
    sources = connection.execute("SELECT DISTINCT source FROM chunks").fetchall()
    for (source,) in sources:
        if not Path(source).exists():
            connection.execute("DELETE FROM chunks WHERE source = ?", (source,))
    connection.commit()


def _index_file(connection: sqlite3.Connection, path: Path) -> None:
    source = str(path)
    chunks = {_hash(chunk[1]): chunk for chunk in _chunks(path.read_text(encoding="utf-8"))}
    rows = connection.execute("SELECT chunk_hash FROM chunks WHERE source = ?", (source,))
    for old in {row[0] for row in rows} - chunks.keys():
        connection.execute("DELETE FROM chunks WHERE chunk_hash = ?", (old,))
    for digest, (heading, content, start, end) in chunks.items():
        connection.execute(INSERT, (digest, source, heading, content, start, end))
    connection.commit()


def _hash(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:HASH_DIGITS]


def _chunks(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield heading, content, first and last line."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if HEADING.match(line)]
    borders = [0, *starts, len(lines)] if not starts or starts[0] else [*starts, len(lines)]
    for start, end in itertools.pairwise(borders):
        section = lines[start:end]
        match = HEADING.match(section[0])
        written = COMMENT.sub("", "\n".join(section[1:] if match else section))
        if len(written.strip()) < LEAST_CHARS:
            continue
        for first, part in _parts(section):
            yield match[2] if match else "", part, start + first + 1, start + first + len(part)


def _parts(section: list[str]) -> Iterator[tuple[int, str]]:
    """Yield a section whole, or where it is long in parts that share two lines."""
    text = "\n".join(section).strip()
    if len(text) <= MAX_CHARS:
        yield 0, text
        return
    part: list[str] = []
    for number, line in enumerate(section):
        part.append(line)
        if sum(map(len, part)) >= MAX_CHARS:
            yield number - len(part) + 1, "\n".join(part)
            part = part[-OVERLAP_LINES:]
    if part:
        yield len(section) - len(part), "\n".join(part)

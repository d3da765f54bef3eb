"""
Bring the index up to date with the notes' files.

The files are the truth. An unchanged file costs its stat; a changed one is read,
cut and compared section by section; one that cannot be read is reported and the
rest is indexed all the same.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import anyio
import structlog

from runtime.errors import ExpectedError
from runtime.markdown.chunker import chunk_markdown
from runtime.notes.files import read_text
from runtime.redact import redact_lines
from runtime.store.chunks import (
    NoteFile,
    drop_files,
    known_files,
    known_problems,
    put_chunks,
    put_file,
)
from runtime.store.clock import utc_now
from runtime.store.store import Store
from schemas.records import Chunk, DateOrigin

log = structlog.get_logger(__name__)

SUFFIXES: Final = (".md", ".markdown")


class Indexed(NamedTuple):
    """What one run did."""

    files: int
    """Files looked at."""
    changed: int
    added: int
    """Sections indexed anew."""
    removed: int
    problems: tuple[tuple[str, str], ...]
    """Path and reason, for each file that could not be indexed."""


class Found(NamedTuple):
    """What lies in the roots."""

    files: tuple[NoteFile, ...]
    walked: frozenset[str]
    """Roots that exist: only these may lose files."""


async def reindex(store: Store, roots: Sequence[str], max_file_bytes: int) -> Indexed:
    """Index what changed, forget what is gone. Each file is a transaction of its own."""
    found = await anyio.to_thread.run_sync(find_files, tuple(roots))
    known = await known_files(store.connection)
    changed = [file for file in found.files if known.get(file.path) != file]
    gone = _gone(known.values(), found, roots)
    added = removed = 0
    for file in changed:
        chunks, problem = await anyio.to_thread.run_sync(_read, file, max_file_bytes)
        async with store.transaction() as connection:
            rows = await put_chunks(connection, file.path, chunks)
            await put_file(connection, file, problem, utc_now())
        added, removed = added + rows.added, removed + rows.removed
        if problem is not None:
            log.warning("note_unreadable", path=file.path, reason=problem)
    if gone:
        async with store.transaction() as connection:
            await drop_files(connection, gone)
    # One that could not be read last time and has not changed is still a problem.
    problems = await known_problems(store.connection)
    return Indexed(len(found.files), len(changed), added, removed, tuple(problems))


def find_files(roots: Sequence[str]) -> Found:
    """Walk the roots: Markdown files and, where a root is a file, that file."""
    files: dict[str, NoteFile] = {}
    walked = set()
    for root in roots:
        if os.path.isdir(root):
            walked.add(root)
            paths: Iterator[str] = _walk(root)
        elif os.path.isfile(root):
            walked.add(root)
            paths = iter([root])
        else:
            continue
        for path in paths:
            status = _status(path)
            if status is not None and path not in files and not stat.S_ISDIR(status.st_mode):
                files[path] = NoteFile(path, root, status.st_mtime_ns, status.st_size)
    return Found(tuple(files.values()), frozenset(walked))


def _walk(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.join(folder, name)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _gone(known: Iterable[NoteFile], found: Found, roots: Sequence[str]) -> list[str]:
    present = {file.path for file in found.files}
    return [
        file.path
        for file in known
        if file.path not in present and (file.root in found.walked or file.root not in roots)
    ]


def _read(file: NoteFile, max_bytes: int) -> tuple[list[Chunk], str | None]:
    if not os.path.isfile(file.path):  # opening a FIFO would wait for ever
        return [], "not a regular file, or gone"
    if file.size > max_bytes:
        return [], f"{file.size} bytes, at most {max_bytes} are indexed"
    try:
        text = read_text(Path(file.path))
    except (ExpectedError, OSError) as error:
        return [], str(error)
    return chunks_of(file, text), None


def chunks_of(file: NoteFile, text: str) -> list[Chunk]:
    """Return the sections of a note as the store keeps them, redacted."""
    chunks = []
    clean = redact_lines(text)
    for section in chunk_markdown(clean, file_name=os.path.basename(file.path)):
        content = section.content
        date: str | None = section.date
        origin: DateOrigin | None = section.date_origin
        if date is None:
            modified = datetime.fromtimestamp(file.mtime_ns / 1e9, UTC)
            date, origin = modified.date().isoformat(), "file time"
        values = {
            "source": file.path,
            "ordinal": section.ordinal,
            "heading": section.heading,
            "heading_path": section.heading_path,
            "content": content,
            "content_hash": hashlib.sha256(content.encode()).hexdigest(),
            "start_line": section.start_line,
            "end_line": section.end_line,
            "date": date,
            "date_origin": origin,
        }
        chunks.append(Chunk.model_validate(values))
    return chunks

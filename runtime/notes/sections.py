"""Read one note's file and cut it into the sections that the index keeps; blocking."""

import os
from datetime import UTC, datetime

from runtime.digest import sha256_hex
from runtime.errors import NotUtf8Error
from runtime.files import decoded, without_waiting
from runtime.markdown.chunker import chunk_markdown
from runtime.notes.surveying import problem_of
from runtime.redact import redact_lines
from runtime.store.chunks import UNREAD_BYTES, Note
from runtime.store.note_files import NoteFile
from schemas.search import Chunk, DateOrigin


def read_path(path: str, root: str, max_bytes: int) -> Note:
    """Read the file at a path, if there is one, as `read_note` does."""
    return read_note(NoteFile(path, root, 0, 0), max_bytes)


def read_note(file: NoteFile, max_bytes: int) -> Note:
    """Read a file; why it cannot be indexed stands in `error`."""
    seen, text = file, ""
    try:
        with open(file.path, "rb", opener=without_waiting) as opened:
            # The moment before reading: what changes meanwhile is read again next time.
            status = os.fstat(opened.fileno())
            seen = file._replace(mtime_ns=status.st_mtime_ns, size=status.st_size)
            problem = problem_of(status, max_bytes)
            if problem is None:
                text = decoded(opened.read(), file.path)
    except (FileNotFoundError, NotADirectoryError):
        return Note(file, is_gone=True)
    except OSError as error:
        problem = error.strerror or str(error)
    except NotUtf8Error as error:
        return Note(seen, error=str(error).removeprefix(f"{file.path} "))
    if problem:
        # Rights and settings may change while the file does not: looked at in every run.
        return Note(seen._replace(size=UNREAD_BYTES), error=problem)
    return Note(seen, chunks_of(seen, text))


def chunks_of(file: NoteFile, text: str) -> tuple[Chunk, ...]:
    """Return the sections of a note as the store keeps them, redacted."""
    sections = chunk_markdown(redact_lines(text), file_name=os.path.basename(file.path))
    by_time: tuple[str, DateOrigin] = (_day(file.mtime_ns), "file time")
    chunks = []
    for section in sections:
        dated = section.date is not None and section.date_origin is not None
        date, origin = (section.date, section.date_origin) if dated else by_time
        # Already typed, and there may be a hundred thousand: not validated again.
        chunk = Chunk.model_construct(
            source=file.path,
            ordinal=section.ordinal,
            heading=section.heading,
            heading_path=section.heading_path,
            content=section.content,
            content_hash=sha256_hex(section.content),
            start_line=section.start_line,
            end_line=section.end_line,
            date=date,
            date_origin=origin,
        )
        chunks.append(chunk)
    return tuple(chunks)


def _day(mtime_ns: int) -> str:
    """Return the day of a file's time where the person lives."""
    try:
        return datetime.fromtimestamp(mtime_ns / 1e9, UTC).astimezone().date().isoformat()
    except (OverflowError, ValueError, OSError):
        # A file system may hold any number.
        return datetime.fromtimestamp(0, UTC).date().isoformat()

"""
Read the new lines of a transcript, whole ones only.

A line is what ends in a line feed: U+2028 and its kind stay inside. The last
line may be half written at any moment, inside a character too; it is read when
it is whole.
"""

import json
import os
import stat
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from runtime.digest import sha256
from schemas.records import TranscriptMark
from schemas.transcript import LINE, AssistantLine, Line, UserLine

MAX_READ_BYTES: Final = 32_000_000
"""Read per event, so that a first capture of a huge file ends within its budget; the
next event goes on from there."""
HEAD_BYTES: Final = 65_536
"""Of what was read, this much at both ends tells that a file is still the same one."""


class ReadLine(NamedTuple):
    """One line of the conversation and where it begins in the file (bytes)."""

    offset: int
    line: UserLine | AssistantLine


class NewLines(NamedTuple):
    """What was read."""

    lines: tuple[ReadLine, ...]
    start: int
    """Offset of the first line read."""
    end: int
    """Offset behind the last whole line."""
    at_end: bool
    """Whether everything there is was read."""
    skipped: dict[str, int]


def problem(path: str) -> str | None:
    """Return why a transcript cannot be read, in one word or two; None when it can."""
    if not path:
        return "missing"
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except (OSError, ValueError):
        return "not readable"
    if not stat.S_ISREG(status.st_mode):  # opening a FIFO would wait for ever
        return "not a file"
    if not status.st_size:
        return "empty"
    return None if os.access(path, os.R_OK) else "not readable"


def read_new(path: str, mark: TranscriptMark | None) -> NewLines:
    """
    Return the lines since the mark; all when the mark is of another file.

    Raises OSError.
    """
    with open(path, "rb") as file:
        is_same = mark is not None and _fingerprint(file, mark.offset) == mark.head
        start = mark.offset if mark is not None and is_same else 0
        file.seek(start)
        data = file.read(MAX_READ_BYTES)
        if len(data) == MAX_READ_BYTES and b"\n" not in data:
            data += file.readline()
        at_end = file.tell() >= os.fstat(file.fileno()).st_size
    return _parsed(data, start, at_end)


def mark_at(path: str, offset: int) -> TranscriptMark:
    """Return the mark that lets the next reading begin at an offset. Raises OSError."""
    with open(path, "rb") as file:
        return TranscriptMark(path=path, offset=offset, head=_fingerprint(file, offset))


def _fingerprint(file: BinaryIO, offset: int) -> str:
    """
    Hash the beginning and the end of what lies before an offset.

    The first line alone would not do: a file that was replaced or cut short and
    written anew begins with the same session's line.
    """
    file.seek(0)
    digest = sha256(file.read(min(offset, HEAD_BYTES)))
    if offset > HEAD_BYTES:
        file.seek(offset - HEAD_BYTES)
        digest.update(file.read(HEAD_BYTES))
    is_shorter = file.tell() < offset
    return "" if is_shorter else digest.hexdigest()[:16]


def _parsed(data: bytes, start: int, at_end: bool) -> NewLines:
    lines, skipped = [], dict[str, int]()
    end = start
    for offset, raw, is_whole in _split(data, start):
        line = _line(raw)
        if line is None:
            if not is_whole:
                break
            # An empty line is nothing; anything else is worth a count.
            if raw.strip():
                skipped["unreadable"] = skipped.get("unreadable", 0) + 1
        elif isinstance(line, UserLine | AssistantLine):
            lines.append(ReadLine(offset, line))
        else:
            kind = line.type if isinstance(line.type, str) else "untyped"
            skipped[kind] = skipped.get(kind, 0) + 1
        end = offset + len(raw) + (1 if is_whole else 0)
    return NewLines(tuple(lines), start, end, at_end, skipped)


def _split(data: bytes, start: int) -> Iterator[tuple[int, bytes, bool]]:
    at = 0
    while at < len(data):
        cut = data.find(b"\n", at)
        is_whole = cut >= 0
        raw = data[at:cut] if is_whole else data[at:]
        yield start + at, raw, is_whole
        at = cut + 1 if is_whole else len(data)


def _line(raw: bytes) -> Line | None:
    try:
        value: Any = json.loads(raw.decode("utf-8", errors="replace"), strict=False)
        return LINE.validate_python(value) if isinstance(value, dict) else None
    except (ValueError, RecursionError):
        return None

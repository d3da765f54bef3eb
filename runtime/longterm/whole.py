"""
Is a dump whole? Its last line says how many bytes came before, and what they hash to.

Files that another system has written have no such line: they are read as they are.
"""

import hashlib
import json
from typing import Any, BinaryIO, Final, NamedTuple

from pydantic import ValidationError

from schemas.dump import DumpTrailer

TAIL_BYTES: Final = 4096
"""A trailer is a tenth of that."""
BLOCK_BYTES: Final = 1 << 20


class Checked(NamedTuple):
    """What was found out about a file."""

    trailer: DumpTrailer | None
    """None for a foreign file."""
    end: int
    """Bytes of lines before the trailer."""
    problem: str | None
    """Why nothing of it may be taken."""


def trailer_of(tail: bytes) -> tuple[DumpTrailer, int] | None:
    """Return the trailer at the end of a file, and its length with the line feed; None for none."""
    if not tail.endswith(b"\n"):
        return None
    begin = tail.rfind(b"\n", 0, len(tail) - 1) + 1
    try:
        value: Any = json.loads(tail[begin:])
        if not isinstance(value, dict) or value.get("op") != "end":
            return None
        return DumpTrailer.model_validate(value), len(tail) - begin
    except (ValueError, ValidationError, RecursionError):
        return None


def check(file: BinaryIO, size: int) -> Checked:
    """Look at a file that lies here with all its bytes. Blocking."""
    file.seek(max(0, size - TAIL_BYTES))
    found = trailer_of(file.read(TAIL_BYTES))
    if found is None:
        return Checked(None, size, _foreign_problem(file))
    trailer, length = found
    end = size - length
    digest, count = _digest(file, end)
    if digest != trailer.sha256:
        return Checked(trailer, end, "damaged: its lines do not match its last line")
    if count != trailer.count:
        return Checked(trailer, end, f"damaged: {count:,} lines, {trailer.count:,} were written")
    return Checked(trailer, end, None)


def _foreign_problem(file: BinaryIO) -> str | None:
    """Return why a file without a trailer may not be taken, None for one that needs none."""
    file.seek(0)
    if not file.read(TAIL_BYTES).strip(b"\0"):  # room that a download has made for itself
        return "not whole: nothing is written in it yet"
    file.seek(0)
    return "not whole: its last line is missing" if _is_ours(file) else None


def _is_ours(file: BinaryIO) -> bool:
    """Tell whether we wrote a file, by its first line: foreign ones have no `op`."""
    first = file.readline(BLOCK_BYTES)
    return b'"op":"' in first and b'"v":' in first


def _digest(file: BinaryIO, end: int) -> tuple[str, int]:
    file.seek(0)
    digest, count, left = hashlib.sha256(), 0, end
    while left and (block := file.read(min(left, BLOCK_BYTES))):
        digest.update(block)
        count += block.count(b"\n")
        left -= len(block)
    return digest.hexdigest(), count

"""
From a line of a dump to the state of a memory, fit for the store.

What arrives is somebody else's: it is verified against its hash, then redacted
again and freed of our frames like everything that is kept. Nothing here touches
the database, so it can run in any process.
"""

import hashlib
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from runtime.longterm.merge import Life, Marks, State, Text, settled
from runtime.redact import redact
from runtime.store.clock import utc
from runtime.store.identity import content_key
from runtime.store.longterm import (
    content_hash,
    kept_content,
    kept_target,
    to_array,
)
from runtime.text import clean, one_line
from schemas.dump import OWN_LINE, VERSION, DumpedMemory, DumpedTombstone, DumpTrailer

EPOCH: Final = "1970-01-01T00:00:00.000Z"
"""What a moment in the future counts as: it loses against every real one."""
KEY_CHARS: Final = 300
WORD_CHARS: Final = 200
"""Of a source, a host, an id: what is longer is none."""
PLAIN_ID: Final = re.compile(r"[0-9a-f-]{1,36}")
"""A number, a hash, a uuid: no secret has that shape without a name that says so."""
LINE_BYTES: Final = 4_000_000


class Clock(NamedTuple):
    """The reader's moment, and how far ahead of it another machine's may be."""

    now: str
    latest: str


class Taken(NamedTuple):
    """One line that can be merged."""

    number: int
    """In its file, from 1."""
    key: str
    state: State
    gone_hash: str | None
    """Of a tombstone: the hash of the text that it had."""
    is_ahead: bool
    """A moment of it lies in the future, and does not count."""


class Skipped(NamedTuple):
    """One line that cannot."""

    number: int
    reason: str


def read_line(number: int, raw: bytes, clock: Clock) -> Taken | Skipped | None:
    """Return what a line says; None for an empty one and for a trailer."""
    if not raw.strip():
        return None
    try:
        line = _parsed(raw)
        return None if isinstance(line, DumpTrailer) else _taken(number, line, clock)
    except _UnfitError as error:
        return Skipped(number, str(error))


class _UnfitError(Exception):
    """Why a line cannot be taken."""


def _parsed(raw: bytes) -> DumpedMemory | DumpedTombstone | DumpTrailer:
    if len(raw) > LINE_BYTES:
        raise _UnfitError(f"{len(raw):,} bytes, {LINE_BYTES:,} are allowed")
    try:
        value: Any = json.loads(raw.removeprefix(BOM_UTF8).decode())
        is_own = isinstance(value, dict) and "op" in value
        line = OWN_LINE.validate_python(value) if is_own else DumpedMemory.model_validate(value)
    except UnicodeDecodeError as error:
        raise _UnfitError("not UTF-8") from error
    except ValidationError as error:
        raise _UnfitError(_complaint(error)) from error
    except (ValueError, RecursionError) as error:
        raise _UnfitError("no JSON") from error
    if line.v > VERSION:
        raise _UnfitError(f"format {line.v}, this version reads up to {VERSION}")
    return line


def _complaint(error: ValidationError) -> str:
    """Return what is wrong with which field, without the line's own words."""
    item = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in item["loc"] if part not in {"put", "delete", "end"})
    return f"{field or 'line'}: {item['msg']}"


def _taken(number: int, line: DumpedMemory | DumpedTombstone, clock: Clock) -> Taken:
    moments = _Moments(clock)
    created = moments.read("created_at", line.created_at, EPOCH)
    marked = moments.read("marked_at", line.marked_at, created) if line.marked_at else ""
    marks = Marks(marked, line.is_global, line.is_pinned)
    text, gone_hash = None, None
    if isinstance(line, DumpedMemory):
        lived = moments.read("lived_at", line.lived_at, created) if line.lived_at else created
        life = Life(lived, is_over=False)
        # Who is alive by a later moment was written then, too.
        updated = moments.read("updated_at", line.updated_at, lived) if line.updated_at else lived
        text = _text(line, max(updated, lived))
        key = _key(line.uid) if line.uid else content_key(text.content)
        purged = ""
    else:
        key, gone_hash = _key(line.uid), line.content_hash
        deleted = moments.read("deleted_at", line.deleted_at, _lived(line, moments, created))
        purged = moments.read("purged_at", line.purged_at, deleted) if line.purged_at else ""
        life = Life(max(deleted, purged), is_over=True)
    # A date that has not come yet is that of taking it over at the latest.
    at = clock.now if moments.is_ahead and created == EPOCH else created
    state = settled(State(at, life, text, marks, purged), key)
    return Taken(number, key, state, gone_hash, moments.is_ahead)


def _lived(line: DumpedTombstone, moments: "_Moments", created: str) -> str:
    """Return the life that a deletion ended: what it counts as when its own moment does not."""
    return moments.read("lived_at", line.lived_at, created) if line.lived_at else created


class _Moments:
    """Reads the moments of one line."""

    def __init__(self, clock: Clock) -> None:
        self._latest = clock.latest
        self.is_ahead = False

    def read(self, name: str, value: str | None, instead: str) -> str:
        """Return a moment as the store keeps it; *instead* of one that has not come yet."""
        moment = moment_of(value)
        if moment is None:
            raise _UnfitError(f"{name} is no moment (ISO 8601)")
        if moment <= self._latest:
            return moment
        self.is_ahead = True
        return instead


@lru_cache(maxsize=4096)
def moment_of(value: str | None) -> str | None:
    """Return a moment in the store's form; None for what is none. Without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(value or "")
        return utc(moment if moment.tzinfo else moment.replace(tzinfo=_UTC))
    except (ValueError, OverflowError):
        return None


_UTC: Final = datetime.fromisoformat(EPOCH).tzinfo


def _text(line: DumpedMemory, updated_at: str) -> Text:
    try:
        found = hashlib.sha256(line.content.encode()).hexdigest()
    except UnicodeEncodeError as error:
        raise _UnfitError("its content is no Unicode text (a lone surrogate)") from error
    if line.content_hash and line.content_hash.lower() != found:
        raise _UnfitError("its content does not match its content_hash")
    content = kept_content(line.content)
    if not content.strip():
        raise _UnfitError("nothing is left of it without secrets, private parts and our own words")
    return Text(
        updated_at=updated_at,
        content=content,
        content_hash=found if content == line.content else content_hash(content),
        source=_word(line.source) or "unknown",
        host=_word(line.host),
        project=_word(line.project),
        project_key=_word(line.project_key),
        tags=_tags(line.tags),
        skills=_tags(line.skills),
        tool=_word(line.tool),
        target=kept_target(line.target),
        session_id=_word(line.session_id),
        event_id=_word(line.event_id),
        message_id=_word(line.message_id),
    )


@lru_cache(maxsize=4096)
def _word(value: str | None) -> str | None:
    """Return a short field as it may be kept; they repeat from line to line."""
    if not value or PLAIN_ID.fullmatch(value):
        return value or None
    return one_line(redact(clean(value)), WORD_CHARS) or None


@lru_cache(maxsize=4096)
def _tags(tags: tuple[str, ...] | None) -> str | None:
    return to_array(map(redact, tags)) if tags else None


def _key(uid: str) -> str:
    if len(uid) > KEY_CHARS or clean(uid) != uid:
        raise _UnfitError(f"its uid is longer than {KEY_CHARS} characters, or not printable")
    return uid


def read_lines(
    lines: Iterable[tuple[int, bytes]], clock: Clock
) -> tuple[list[Taken], list[Skipped]]:
    """Return what many numbered lines say, and those that cannot be taken."""
    taken: list[Taken] = []
    skipped: list[Skipped] = []
    for number, raw in lines:
        read = read_line(number, raw, clock)
        if isinstance(read, Taken):
            taken.append(read)
        elif read is not None:
            skipped.append(read)
    return taken, skipped

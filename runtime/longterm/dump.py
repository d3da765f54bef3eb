"""
Write what this machine remembers as a file that other machines take over.

A full dump holds every memory and every deletion, so that a reader who takes the
last file of each host alone misses nothing. An incremental one holds what has
changed since the dumps of this machine that lie there whole.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import BinaryIO, Final, NamedTuple

import anyio
import structlog

from runtime.longterm.dump_files import dump_name
from runtime.longterm.dump_folder import DumpFolder, Entry
from runtime.longterm.own_dumps import OwnDump, beyond, line_digest, own_dumps, written_before
from runtime.longterm.room import room_beside
from runtime.longterm.sync_errors import DumpFolderError
from runtime.longterm.written_lines import line_of
from runtime.store.clock import utc
from runtime.store.connection import Row
from runtime.store.replicas import rows_after
from runtime.store.store import Store
from runtime.store.sync_files import ReadFile, machine_id, note_file
from schemas.dump import DumpTrailer
from schemas.sync import Dumped

log = structlog.get_logger(__name__)

ROWS: Final = 1000
"""Read at once."""
INCREMENTALS: Final = 50
"""After so many since the last full dump, the next one is full: each file has to be read."""
Progress = Callable[[int, int], None]


class Order(NamedTuple):
    """What is to be dumped, and how."""

    host: str
    now: datetime
    incremental: bool = False
    keep: int = 1
    """Full dumps of this machine that stay, the new one included."""


class Written(NamedTuple):
    """Lines in a temporary file."""

    memories: int
    tombstones: int
    sha256: str


async def dump(
    store: Store, folder: DumpFolder, order: Order, progress: Progress | None = None
) -> Dumped:
    """
    Write a dump, then remove those of this machine that it makes needless.

    The file has its name when it is durable there. An incremental one of which
    nothing is new is not written, and one that would follow no full dump is full.
    Raises DumpFolderError; whatever happens, what lay there before still does.
    """
    host, now = order.host, order.now
    async with store.transaction() as connection:
        machine = await machine_id(connection)
    entries = await anyio.to_thread.run_sync(_listed, folder)
    own = await anyio.to_thread.run_sync(own_dumps, folder, entries, host, machine)
    known = (
        await anyio.to_thread.run_sync(_known, folder, own, store.path)
        if order.incremental
        else None
    )
    async with room_beside(store.path) as lines:
        written = await store.reader.run(_write_lines, lines, known, progress)
        count = written.memories + written.tombstones
        if known is not None and not count:
            return _report(folder, None, written, known, (), 0)
        name = dump_name(host, now, {entry.name for entry in entries})
        trailer = DumpTrailer(
            host=host,
            machine=machine,
            written_at=utc(now),
            kind="full" if known is None else "incremental",
            count=count,
            sha256=written.sha256,
        )
        entry = await anyio.to_thread.run_sync(_publish, folder, name, lines, trailer)
    async with store.transaction() as connection:
        # What it holds is what this store holds: it need not be read here.
        noted = ReadFile(entry.name, entry.size, entry.version, written.sha256)
        await note_file(connection, folder.place, noted, now)
    needless = beyond(own, order.keep - 1) if known is None else ()
    removed = await anyio.to_thread.run_sync(_remove, folder, needless)
    log.info("dump_written", name=name, lines=count, bytes=entry.size, removed=len(removed))
    return _report(folder, name, written, known, removed, entry.size)


def _listed(folder: DumpFolder) -> list[Entry]:
    try:
        return folder.entries()
    except DumpFolderError as error:
        if isinstance(error.__cause__, FileNotFoundError):  # it is made with the first dump
            return []
        raise


def _known(folder: DumpFolder, own: list[OwnDump], beside: str) -> dict[str, str] | None:
    """Return the digest of each memory's last line in our dumps; None: a full one is due."""
    fulls = [number for number, dump in enumerate(own) if dump.trailer.kind == "full"]
    if not fulls or len(own) - fulls[-1] > INCREMENTALS:
        return None
    return written_before(folder, own[fulls[-1] :], beside)


def _write_lines(
    connection: sqlite3.Connection,
    target: BinaryIO,
    known: dict[str, str] | None,
    progress: Progress | None,
) -> Written:
    """Write the lines that are wanted; for a reader's thread, so of one state of the store."""
    total = connection.execute("SELECT count(*) FROM memories").fetchone()[0]
    digest, memories, tombstones = hashlib.sha256(), 0, 0
    for done, row in enumerate(_rows(connection), 1):
        line = line_of(row)
        if known is None or known.get(row["key"]) != line_digest(line):
            target.write(line)
            digest.update(line)
            memories += row["deleted_at"] is None
            tombstones += row["deleted_at"] is not None
        if progress is not None and done % ROWS == 0:
            progress(done, total)
    return Written(memories, tombstones, digest.hexdigest())


def _rows(connection: sqlite3.Connection) -> Iterator[Row]:
    last = 0
    while rows := rows_after(connection, last, ROWS):
        yield from rows
        last = rows[-1]["id"]


def _publish(folder: DumpFolder, name: str, lines: BinaryIO, trailer: DumpTrailer) -> Entry:
    lines.write(trailer.model_dump_json().encode() + b"\n")
    lines.seek(0)
    return folder.write(name, lines)


def _remove(folder: DumpFolder, needless: tuple[OwnDump, ...]) -> tuple[str, ...]:
    removed = []
    for own in needless:
        try:
            folder.remove(own.name)
        except OSError as error:
            log.warning("dump_not_removed", name=own.name, error=error.strerror or str(error))
        else:
            removed.append(own.name)
    return tuple(removed)


def _report(
    folder: DumpFolder,
    name: str | None,
    written: Written,
    known: dict[str, str] | None,
    removed: tuple[str, ...],
    size: int,
) -> Dumped:
    return Dumped(
        folder=folder.place,
        name=name,
        kind="full" if known is None else "incremental",
        memories=written.memories,
        tombstones=written.tombstones,
        size_bytes=size,
        removed=removed,
    )

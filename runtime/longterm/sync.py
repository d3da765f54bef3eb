"""
Take over what other machines have dumped.

Every file of the folder is read, each host's in order; one that has not changed
since is not. A file is one transaction: it is taken whole or not at all, and what
is wrong with one keeps no other from being taken.
"""

import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import BinaryIO, Final, NamedTuple

import anyio
import structlog

from runtime.longterm.bounded import run_bounded
from runtime.longterm.dump_files import host_of
from runtime.longterm.dump_folder import DumpFolder, Entry
from runtime.longterm.helper_processes import cores
from runtime.longterm.known_lines import unknown_lines
from runtime.longterm.lines import Clock, Skipped
from runtime.longterm.mending import mend
from runtime.longterm.reading import read_all
from runtime.longterm.room import room_beside
from runtime.longterm.sync_errors import NoRoomError
from runtime.longterm.taking import Tally, take
from runtime.longterm.whole import Checked, check
from runtime.store.clock import utc
from runtime.store.store import Store
from runtime.store.sync_files import ReadFile, forget_files, note_file, read_files
from schemas.sync import SkippedLine, Synced, SyncedFile, SyncedHost

log = structlog.get_logger(__name__)

AHEAD: Final = timedelta(days=1)
"""So far may another machine's clock be ahead of this one's. What is further counts as old."""
READ_S: Final = 120.0
"""For a file to come, and for the listing; a cloud may keep a reader waiting for ever."""
HELP_BYTES: Final = 1_000_000
"""A larger file is read by several processes."""
SHOWN_LINES: Final = 20
"""Of those of one file that were skipped."""
Progress = Callable[[int, int], None]


class Terms(NamedTuple):
    """What holds for one sync."""

    place: str
    clock: Clock
    now: datetime
    read_s: float
    help: int
    """Processes that help."""
    hashes: set[str]
    """What trailers of files said that have been taken: a copy of one is not taken again."""
    progress: Callable[[int], None]
    """Is told the bytes of lines that have just been taken."""


async def sync(
    store: Store,
    folder: DumpFolder,
    now: datetime,
    *,
    read_s: float = READ_S,
    helpers: int | None = None,
    progress: Progress | None = None,
) -> Synced:
    """
    Merge all dumps of a folder into the store. Doing it again changes nothing.

    What is new is not in the index yet: see `catching_up`.

    *helpers*: how many processes read a large file; None: as many as there are
    cores. Cancelled or killed, it leaves files taken and files not taken, nothing
    between. Raises DumpFolderError when the folder is not there.
    """
    clock = Clock(utc(now), utc(now + AHEAD))
    entries = await run_bounded(read_s, folder.entries)
    known = await read_files(store.connection, folder.place)
    total, done = sum(entry.size for entry in entries if _is_new(entry, known)), 0

    def advance(size: int) -> None:
        nonlocal done
        done += size
        if progress is not None:
            progress(done, total)

    helpers = cores() if helpers is None else helpers
    hashes = {read.sha256 for read in known.values() if read.sha256}
    terms = Terms(folder.place, clock, now, read_s, helpers, hashes, advance)
    gone = sorted(known.keys() - {entry.name for entry in entries})
    async with store.transaction() as connection:
        mended = await mend(connection, clock)
        await forget_files(connection, folder.place, gone)
    files: list[SyncedFile] = []
    hosts: dict[str, Tally] = {}
    for entry in sorted(entries, key=lambda entry: (host_of(entry.name), entry.name)):
        file, tally = await _file(store, folder, entry, known.get(entry.name), terms)
        files.append(file)
        hosts.setdefault(file.host, Tally()).add(tally)
    taken = tuple(SyncedHost(host=host, **vars(hosts[host])) for host in sorted(hosts))
    _tell(folder, files, taken, mended)
    return Synced(folder=folder.place, files=tuple(files), hosts=taken, mended=mended)


def _is_new(entry: Entry, known: dict[str, ReadFile]) -> bool:
    return entry.problem is None and not _is_same(entry, known.get(entry.name))


def _is_same(entry: Entry, read: ReadFile | None) -> bool:
    return read is not None and (read.size, read.version) == (entry.size, entry.version)


async def _file(
    store: Store, folder: DumpFolder, entry: Entry, known: ReadFile | None, terms: Terms
) -> tuple[SyncedFile, Tally]:
    host = host_of(entry.name)
    if entry.problem or _is_same(entry, known):
        state = entry.problem or "unchanged"
        return SyncedFile(name=entry.name, host=host, state=state), Tally()
    async with room_beside(store.path) as file:
        try:
            await run_bounded(terms.read_s, folder.copy, entry.name, file)
            size = await anyio.to_thread.run_sync(file.tell)
            checked = await anyio.to_thread.run_sync(check, file, size)
        except TimeoutError:
            state = f"not readable: no answer in {terms.read_s:g} s"
            return SyncedFile(name=entry.name, host=host, state=state), Tally()
        except OSError as error:
            state = f"not readable: {error.strerror or error}"
            return SyncedFile(name=entry.name, host=host, state=state), Tally()
        host = checked.trailer.host if checked.trailer else host
        if checked.problem:
            return SyncedFile(name=entry.name, host=host, state=checked.problem), Tally()
        sha256 = checked.trailer.sha256 if checked.trailer else None
        read = ReadFile(entry.name, entry.size, entry.version, sha256)
        if sha256 is not None and sha256 in terms.hashes:
            async with store.transaction() as connection:
                await note_file(connection, terms.place, read, terms.now)
            return SyncedFile(name=entry.name, host=host, state="unchanged"), Tally()
        try:
            return await _merged(store, file, checked, read, terms)
        except sqlite3.OperationalError as error:
            raise NoRoomError(store.path, str(error)) from error


async def _merged(
    store: Store, file: BinaryIO, checked: Checked, read: ReadFile, terms: Terms
) -> tuple[SyncedFile, Tally]:
    """Merge the lines of one file in one transaction, and note in it that they are."""
    tally, skipped, lines = Tally(), list[Skipped](), 0
    is_ended = await anyio.to_thread.run_sync(_is_ended, file, checked.end)
    async with store.transaction() as connection:
        helpers = terms.help if checked.end > HELP_BYTES else 0
        sift = partial(unknown_lines, connection)
        async with read_all(file, checked.end, sift, terms.clock, helpers) as chunks:
            async for chunk in chunks:
                tally.add(await take(connection, chunk.taken))
                tally.same += chunk.known
                skipped += chunk.skipped
                lines += len(chunk.taken) + len(chunk.skipped) + chunk.known
                terms.progress(chunk.size)
        # One that ends in the middle of a line may be still on its way.
        if is_ended:
            await note_file(connection, terms.place, read, terms.now)
    if read.sha256:
        terms.hashes.add(read.sha256)
    tally.skipped = len(skipped)
    shown = sorted(skipped)[:SHOWN_LINES]
    file_report = SyncedFile(
        name=read.name,
        host=checked.trailer.host if checked.trailer else host_of(read.name),
        state="taken",
        lines=lines,
        skipped=len(skipped),
        skipped_lines=tuple(SkippedLine(line=line.number, reason=line.reason) for line in shown),
    )
    return file_report, tally


def _is_ended(file: BinaryIO, end: int) -> bool:
    file.seek(max(0, end - 1))
    return not end or file.read(1) == b"\n"


def _tell(
    folder: DumpFolder, files: list[SyncedFile], hosts: tuple[SyncedHost, ...], mended: int
) -> None:
    for host in hosts:
        if host.ahead:
            log.warning("clock_ahead", host=host.host, lines=host.ahead)
    for file in files:
        if file.state not in {"taken", "unchanged"}:
            log.warning("dump_not_taken", name=file.name, reason=file.state)
    log.info(
        "synced",
        folder=folder.place,
        files=sum(file.state == "taken" for file in files),
        new=sum(host.new for host in hosts),
        changed=sum(host.changed for host in hosts),
        deleted=sum(host.deleted for host in hosts),
        mended=mended,
    )

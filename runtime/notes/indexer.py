"""
Bring the index up to date with the notes' files.

The files are the truth. An unchanged file costs its stat; a changed one is read,
cut and compared section by section; one that cannot be read is reported and the
rest is indexed all the same. Files are taken in batches, each read in a thread
and written in one short transaction, so that hooks need not wait.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import Final, NamedTuple

import anyio
import structlog

from runtime.notes.changes import Aside, Changes
from runtime.notes.finding import Found, root_of
from runtime.notes.sections import read_note, read_path
from runtime.notes.surveying import survey
from runtime.store.chunks import UNREAD_BYTES, Changed, Note, make_ready, put_notes
from runtime.store.clock import utc_now
from runtime.store.note_files import OUTSIDE, NoteFile
from runtime.store.store import Store

log = structlog.get_logger(__name__)

BATCH_FILES: Final = 200
BATCH_BYTES: Final = 64_000
"""Of files per batch: some ten milliseconds of the writer's lock."""
BATCH_CHARS: Final = 64_000
"""Of sections per transaction: a file larger than a batch is written in several."""

Progress = Callable[[int, int], None]
"""Is told bytes done and bytes to do, after every batch of files that were read."""


class Indexed(NamedTuple):
    """What one run did."""

    files: int
    """Files looked at."""
    changed: int
    added: int
    """Sections indexed anew."""
    removed: int
    problems: tuple[tuple[str, str], ...]
    """Path and reason, for each file or folder that could not be indexed."""
    aside: tuple[Aside, ...] = ()
    """Files that are known and were not found, by folder."""


async def reindex(
    store: Store,
    roots: Sequence[str],
    max_file_bytes: int,
    *,
    ignore: Sequence[str] = (),
    forget: bool = False,
    progress: Progress | None = None,
) -> Indexed:
    """
    Index what changed below *roots* (absolute paths), forget what is gone.

    Cancelled, it leaves off between two batches; the next run goes on from there.
    With *forget*, known files that were not found are forgotten in any case.
    """
    # Where nothing has changed, nothing waits for a writer.
    found, changes, known_as_bad = await store.reader.run(
        survey, roots, max_file_bytes, ignore, forget
    )
    _tell(found, changes)
    done = [await _write(store, batch) for batch in _removals(changes)]
    bad = _still_bad(found, changes, known_as_bad)
    total = sum(file.size for file in changes.changed)
    changed = read_bytes = 0
    for batch in _batches(changes.changed):
        notes = await anyio.to_thread.run_sync(_read, batch, changes.moved, max_file_bytes)
        done.append(await _write(store, notes))
        bad.update(_problems(notes, known_as_bad))
        changed += sum(not _is_bad_as_before(note, known_as_bad) for note in notes)
        read_bytes += sum(file.size for file in batch)
        if progress is not None:
            progress(read_bytes, total)
    return Indexed(
        files=len(found.files),
        changed=changed,
        added=sum(each.added for each in done),
        removed=sum(each.removed for each in done),
        problems=tuple(sorted([*bad.items(), *found.unread])),
        aside=changes.aside,
    )


async def reindex_file(
    store: Store,
    roots: Sequence[str],
    path: str,
    max_file_bytes: int,
    *,
    ignore: Sequence[str] = (),
) -> Indexed:
    """
    Index one file (an absolute path) that has just been written or removed, and no other.

    One that no run would come upon is left out and named as a problem.
    """
    root = root_of(path, roots, ignore)
    if root is None:
        return Indexed(0, 0, 0, 0, ((path, f"{OUTSIDE}, or left out there"),))
    note = await anyio.to_thread.run_sync(read_path, path, root, max_file_bytes)
    done = await _write(store, [note])
    return Indexed(1, 1, done.added, done.removed, tuple(_problems([note], {}).items()))


def is_current(
    connection: Connection, roots: Sequence[str], max_file_bytes: int, ignore: Sequence[str] = ()
) -> bool:
    """Tell whether a run would find nothing to do; for a reader's thread."""
    _found, changes, _bad = survey(connection, roots, max_file_bytes, ignore, forget=False)
    return not (changes.changed or changes.gone or changes.outside)


def _tell(found: Found, changes: Changes) -> None:
    for aside in changes.aside:
        if aside.files and aside.state != "outside":
            log.warning("notes_missing", **aside._asdict())
    if changes.outside:
        log.warning("notes_outside", files=len(changes.outside))
    for path, reason in found.unread:
        log.warning("note_unreadable", path=path, reason=reason)


def _removals(changes: Changes) -> Iterator[list[Note]]:
    notes = [Note(file, is_gone=True) for file in changes.gone]
    # Nothing on disk is of that size, so it is read again when it comes back.
    notes += [Note(file._replace(size=UNREAD_BYTES), error=OUTSIDE) for file in changes.outside]
    for start in range(0, len(notes), BATCH_FILES):
        yield notes[start : start + BATCH_FILES]


def _batches(files: Sequence[NoteFile]) -> Iterator[list[NoteFile]]:
    """Yield the files in order, as many at once as make a batch; at least one."""
    batch: list[NoteFile] = []
    size = 0
    for file in files:
        if batch and (size + file.size > BATCH_BYTES or len(batch) == BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


def _read(files: Sequence[NoteFile], moved: Mapping[str, str], max_file_bytes: int) -> list[Note]:
    notes = (read_note(file, max_file_bytes) for file in files)
    return [note._replace(moved_from=moved.get(note.file.path)) for note in notes]


async def _write(store: Store, notes: Sequence[Note]) -> Changed:
    """Write a batch in as many short transactions as it takes."""
    added = removed = 0
    while True:
        await make_ready(store.connection, notes, BATCH_CHARS)
        async with store.transaction() as connection:
            done = await put_notes(connection, notes, utc_now(), BATCH_CHARS)
        added, removed = added + done.added, removed + done.removed
        if done.is_whole:
            return Changed(added, removed)


def _still_bad(found: Found, changes: Changes, known_as_bad: Mapping[str, str]) -> dict[str, str]:
    """Return the files that could not be indexed last time and have not changed since."""
    touched = {file.path for file in changes.changed}
    paths = (file.path for file in found.files if file.path not in touched)
    return {path: known_as_bad[path] for path in paths if path in known_as_bad}


def _is_bad_as_before(note: Note, known_as_bad: Mapping[str, str]) -> bool:
    return note.error is not None and known_as_bad.get(note.file.path) == note.error


def _problems(notes: Sequence[Note], known_as_bad: Mapping[str, str]) -> dict[str, str]:
    problems = {}
    for note in notes:
        if note.error is None:
            continue
        problems[note.file.path] = note.error
        if not _is_bad_as_before(note, known_as_bad):
            log.warning("note_unreadable", path=note.file.path, reason=note.error)
    return problems

"""
Keep the newest blocks of a notes file and move the older ones to an archive.

The newest block stands first in the file. What moves is its tail, in the
file's own order: batches follow each other from old to new, and inside a batch
the newest block is first. The archive is Markdown and is split by size
(`runtime.notes.archive.split_when_full`).

Order of the steps, each one on disk before the next: journal, append to the
archive, rewrite of the file, journal away. A rotation that was cut off is
finished or undone by the next one, so that a block is archived exactly once.
Text that somebody edited meanwhile is never overwritten. One gap is left on
the safe side: when the process dies between append and rewrite *and* the
archived blocks themselves are edited before the next rotation, their old form
stays in the archive and the new one in the file.
"""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.digest import sha256_hex
from runtime.errors import (
    ArchiveIsSourceError,
    ExpectedError,
    FileChangedError,
    KeepTooSmallError,
)
from runtime.files import read_text, remove_leftovers, write_atomic
from runtime.locks import file_lock
from runtime.markdown.blocks import split_blocks
from runtime.markdown.lines import closing_line, newline_of
from runtime.notes import archive as archives
from runtime.notes import journal as journals
from runtime.notes.journal import Entry

ARCHIVE_MAX_BYTES: Final = 5_000_000
LOCK_TIMEOUT_S: Final = 1.0
LOCK_NAME: Final = "rotation.lock"


@dataclass(frozen=True, slots=True)
class Rotation:
    """
    What one call did: blocks *archived*, blocks now *kept*, and where they went.

    *archive* is None when nothing was archived.
    """

    archived: int
    kept: int
    archive: Path | None


def lock_path(lock_dir: Path, path: Path) -> Path:
    """Name the lock file that every writer of *path* takes; links to one file share it."""
    return lock_dir / f"{_name_of(path)}.lock"


def rotate(
    path: Path,
    *,
    keep: int,
    archive: Path,
    lock_dir: Path,
    archive_max_bytes: int = ARCHIVE_MAX_BYTES,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
) -> Rotation:
    """
    Leave the first *keep* H2 blocks in *path*, move the rest behind *archive*.

    What precedes the blocks stays. With *keep* blocks or fewer nothing is
    touched. When the file is changed by another program during the call, that
    change wins and nothing is archived this time. It blocks, for at most
    *lock_timeout_s* on locks: run it in a worker thread.

    Raises:
        KeepTooSmallError: *keep* is below 1.
        ArchiveIsSourceError: *archive* is *path* itself.
        LockTimeout: another process held the lock for too long; nothing was done.
        NotUtf8Error: the file is not UTF-8.
        OSError: a file is missing or cannot be read or written.
    """
    if keep < 1:
        raise KeepTooSmallError(keep)
    path, archive = Path(os.path.realpath(path)), Path(os.path.realpath(archive))
    if path == archive:
        raise ArchiveIsSourceError(str(path))
    blocks = len(split_blocks(read_text(path)).blocks)
    journal = _journal_path(lock_dir, path)
    if blocks <= keep and not journal.exists():
        return Rotation(0, blocks, None)
    lock_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    deadline = time.monotonic() + lock_timeout_s
    with file_lock(lock_dir / LOCK_NAME, lock_timeout_s):
        journals.remove_leftovers(lock_dir)
        _recover_others(lock_dir, journal)
        with file_lock(lock_path(lock_dir, path), max(0.0, deadline - time.monotonic())):
            remove_leftovers(path)
            try:
                recovered = _recover(journal)
            except FileChangedError:
                return Rotation(0, blocks, None)  # The journal stays for the next time.
            done = _rotate_locked(path, keep, archive, archive_max_bytes, journal)
    if recovered is None:
        return done
    archived = done.archived + recovered.blocks
    return Rotation(archived, done.kept, done.archive or Path(recovered.archive))


def settle(path: Path, lock_dir: Path, lock_timeout_s: float) -> None:
    """
    Finish or undo a rotation of *path* that was cut off, before another writer changes it.

    Call it without the file's lock.

    Raises:
        LockTimeout: another process held a lock for too long; nothing was done.
    """
    journal = _journal_path(lock_dir, path)
    if not journal.exists():
        return
    deadline = time.monotonic() + lock_timeout_s
    with (
        file_lock(lock_dir / LOCK_NAME, lock_timeout_s),
        file_lock(lock_path(lock_dir, path), max(0.0, deadline - time.monotonic())),
        suppress(OSError, ExpectedError),  # It stays for the next time.
    ):
        _recover(journal)


def _journal_path(lock_dir: Path, path: Path) -> Path:
    return lock_dir / f"{_name_of(path)}{journals.SUFFIX}"


def _name_of(path: Path) -> str:
    return sha256_hex(os.path.realpath(path))[:32]


def _rotate_locked(
    path: Path, keep: int, archive: Path, archive_max_bytes: int, journal: Path
) -> Rotation:
    text = read_text(path)
    document = split_blocks(text)
    rest = document.blocks[keep:]
    if not rest:
        return Rotation(0, len(document.blocks), None)
    archives.split_when_full(archive, archive_max_bytes)
    batch = "".join(block.text for block in rest)
    entry = Entry(
        path=str(path),
        archive=str(archive),
        original=text,
        cut=len(text) - len(batch),
        offset=archives.size_bytes(archive),
        appended=_for_archive(batch, archive, newline_of(text)),
        blocks=len(rest),
    )
    journals.save(journal, entry)
    archives.append(archive, entry.appended.encode("utf-8"), new_mode=path.stat().st_mode & 0o777)
    try:
        write_atomic(path, entry.kept, replacing=text)
    except FileChangedError:
        archives.take_back(archive, entry.offset, entry.appended.encode("utf-8"))
        journals.clear(journal)
        return Rotation(0, len(document.blocks), None)
    journals.clear(journal)
    return Rotation(len(rest), keep, archive)


def _recover_others(lock_dir: Path, own: Path) -> None:
    """
    Clear up after cut-off rotations of other files, which may share our archive.

    What cannot be settled now (a file in use, unreadable) stays for its own next
    rotation and is no reason to refuse this one.
    """
    for journal in sorted(lock_dir.glob(f"*{journals.SUFFIX}")):
        entry = journals.load(journal)
        if journal == own or entry is None:
            continue
        with suppress(OSError, ExpectedError), file_lock(lock_path(lock_dir, Path(entry.path)), 0):
            _recover(journal)


def _recover(journal: Path) -> Entry | None:
    """Finish or undo a rotation that was cut off; give its entry if blocks left the file now."""
    entry = journals.load(journal)
    finished = False
    if entry is not None:
        archive, appended = Path(entry.archive), entry.appended.encode("utf-8")
        if archives.read_at(archive, entry.offset, len(appended)) == appended:
            finished = _finish(Path(entry.path), entry)
        else:
            archives.take_back(archive, entry.offset, appended)
    journals.clear(journal)
    return entry if finished else None


def _finish(path: Path, entry: Entry) -> bool:
    """Take a batch that lies in the archive out of the file; False when it is not there."""
    try:
        text = read_text(path)
    except FileNotFoundError:
        return False
    remaining = _without_batch(text, entry)
    if remaining is not None:
        write_atomic(path, remaining, replacing=text)
    return remaining is not None


def _without_batch(text: str, entry: Entry) -> str | None:
    """Give *text* without the batch at its end; None when the batch has left it already."""
    if text == entry.kept:
        return None
    # Where the kept text ends like the batch (equal blocks), the batch alone
    # proves nothing: then everything that was read must still stand at the end.
    proof = entry.original if entry.kept.endswith(entry.batch) else entry.batch
    return text[: -len(entry.batch)] if text.endswith(proof) else None


def _for_archive(batch: str, archive: Path, newline: str) -> str:
    """Add the line endings, and the end of an open fence, that keep blocks apart."""
    before = newline if archives.ends_inside_line(archive) else ""
    after = "" if batch.endswith(("\n", "\r")) else newline
    closing = closing_line(batch)
    return before + batch + after + (closing + newline if closing else "")

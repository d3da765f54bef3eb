"""
Write notes: lock, read, change, check, replace, all files of a call or none.

The lock is the one that rotation takes, a file of its own in the home's `run/`,
held from before the reading until after the rename. A file that somebody edits
by hand in between is read again and the operations are done anew on it.
"""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from runtime.errors import FileChangedError, NoteBusyError, NoteRefusedError
from runtime.files import read_text, remove_leftovers, sync_folder, write_atomic
from runtime.locks import LockTimeout, file_lock
from runtime.markdown.blocks import Block, split_blocks
from runtime.notes import edits
from runtime.notes.places import Place, Places
from runtime.notes.refusals import (
    BlockTooLargeError,
    NothingToMergeError,
    PlaceRefusedError,
    TooLargeError,
)
from runtime.notes.rotation import lock_path, settle
from runtime.notes.rules import judge
from runtime.notes.shown import shown_headings
from runtime.paths import DIR_MODE, FILE_MODE
from schemas.notes import Append, Change, Delete, Move, NoteState, Operation, Replace

LOCK_TIMEOUT_S: Final = 10.0
"""A person or an agent waits for a command; others hold a lock for milliseconds."""
ATTEMPTS: Final = 3
"""How often a file that changes under our hands is read again."""


class Step(NamedTuple):
    """An operation, the file it is about, and the one that a block moves to."""

    operation: Operation
    place: Place
    to: Place | None


class Written(NamedTuple):
    """What one call did: every operation in order, and each file after the last of them."""

    changes: tuple[Change, ...]
    states: tuple[NoteState, ...]
    places: tuple[Place, ...]


def write(
    operations: Sequence[Operation],
    places: Places,
    *,
    limit_chars: int,
    lock_dir: Path,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
) -> Written:
    """
    Do all *operations* in order, or none of them.

    A file may end up over *limit_chars* only when it is smaller than before the
    call; what it was in between does not count. Blocking: run it in a worker thread.

    Raises NoteRefusedError; `operation` is the number of the one that was refused.
    """
    steps = list(_located(operations, places))
    touched = {place.path: place for step in steps for place in (step.place, step.to) if place}
    with _locked(sorted(touched), lock_dir, lock_timeout_s):
        for _attempt in range(1, ATTEMPTS):
            with suppress(FileChangedError):
                return _write(steps, touched, limit_chars)
        return _write(steps, touched, limit_chars)


def _write(steps: Sequence[Step], touched: dict[Path, Place], limit_chars: int) -> Written:
    drafts = {path: Draft.read(path) for path in touched}
    changes = tuple(_applied(steps, drafts, limit_chars))
    for draft in drafts.values():
        if draft.is_changed:
            draft.refuse_over(limit_chars, len(draft.text))
    _commit(list(drafts.values()))
    states = tuple(state_of(str(path), drafts[path].text, limit_chars) for path in touched)
    return Written(changes, states, tuple(touched.values()))


def state_of(file: str, text: str, limit_chars: int) -> NoteState:
    """Measure a note."""
    return NoteState(
        file=file,
        chars=len(text),
        limit=limit_chars,
        room=max(0, limit_chars - len(text)),
        blocks=len(split_blocks(text).blocks),
    )


class Draft:
    """One file as it was read, and what shall become of it."""

    def __init__(self, path: Path, original: str | None) -> None:
        self.path = path
        self.original = original
        """None: there was no file."""
        self.text = original or ""

    @classmethod
    def read(cls, path: Path) -> "Draft":
        """Read the file, if there is one. Raises NotUtf8Error and PlaceRefusedError."""
        try:
            remove_leftovers(path)
            return cls(path, read_text(path))
        except FileNotFoundError:
            return cls(path, None)
        except OSError as error:
            raise _unwritable(path, error) from error

    @property
    def is_changed(self) -> bool:
        """Tell whether there is anything to write."""
        return self.text != (self.original or "")

    def require_file(self) -> None:
        """Refuse what needs a block to be there."""
        if self.original is None and not self.text:
            raise PlaceRefusedError("no_file", str(self.path))

    def refuse_over(self, limit_chars: int, chars: int, *, is_block: bool = False) -> None:
        """
        Refuse *chars* characters over the limit, unless the file was longer.

        With *is_block* they are those of one block, which fits into no file.
        """
        now_chars = len(self.original or "")
        if chars > limit_chars and chars >= now_chars:
            headings = shown_headings(split_blocks(self.original or ""))
            error = TooLargeError if headings else NothingToMergeError
            if is_block:
                error = BlockTooLargeError
            raise error(str(self.path), chars, now_chars, limit_chars, headings)

    def save(self) -> None:
        """Replace the file. Raises FileChangedError when it is not what was read, OSError."""
        if self.original is not None:
            write_atomic(self.path, self.text, replacing=self.original)
            return
        try:
            self.path.touch(mode=FILE_MODE, exist_ok=False)
        except FileExistsError as error:
            raise FileChangedError(str(self.path)) from error
        try:
            write_atomic(self.path, self.text, replacing="")
        except BaseException:
            self._remove_if("")
            raise

    def take_back(self) -> None:
        """Undo `save`, unless somebody else has written meanwhile."""
        if self.original is None:
            self._remove_if(self.text)
            return
        with suppress(OSError, NoteRefusedError):
            write_atomic(self.path, self.original, replacing=self.text)

    def _remove_if(self, text: str) -> None:
        with suppress(OSError, NoteRefusedError):
            if read_text(self.path) == text:
                self.path.unlink()


Drafts = dict[Path, Draft]


def _located(operations: Sequence[Operation], places: Places) -> Iterator[Step]:
    for number, operation in enumerate(operations, start=1):
        with _numbered(number):
            place = places.locate(operation.file)
            to = places.locate(operation.to) if isinstance(operation, Move) else None
            if to and to.path == place.path:
                raise PlaceRefusedError("same_file", str(to.path))
        yield Step(operation, place, to)


def _applied(steps: Iterable[Step], drafts: Drafts, limit_chars: int) -> Iterator[Change]:
    for number, step in enumerate(steps, start=1):
        with _numbered(number):
            draft = drafts[step.place.path]
            if not isinstance(step.operation, Append):
                draft.require_file()
            if isinstance(step.operation, Append | Replace):
                change = _put(step.operation, draft, step.place, limit_chars)
            else:
                change = _take(step.operation, draft, drafts, step.to)
        yield change


def _put(operation: Append | Replace, draft: Draft, place: Place, limit_chars: int) -> Change:
    # First of all, so that the rules need not look at megabytes.
    chars = len(operation.heading) + len(operation.body)
    draft.refuse_over(limit_chars, chars, is_block=True)
    new = judge(operation.heading, operation.body)
    # With its marks, but without the end of its last line, which a replaced block may lack.
    draft.refuse_over(limit_chars, len(new.text("\n")) - 1, is_block=True)
    if isinstance(operation, Replace):
        draft.text = edits.replace(draft.text, operation.match, new)
        return Change(action="replaced", file=str(draft.path), heading=new.heading)
    draft.text = edits.append(draft.text, new, newest_first=place.newest_first)
    return Change(action="appended", file=str(draft.path), heading=new.heading)


def _take(operation: Delete | Move, draft: Draft, drafts: Drafts, to: Place | None) -> Change:
    old, heading = _named(draft.text, operation)
    if to:
        target = drafts[to.path]
        target.text = edits.insert_moved(target.text, old, newest_first=to.newest_first)
    draft.text = edits.delete(draft.text, operation.match)
    file = str(draft.path)
    if to:
        return Change(action="moved", file=file, heading=heading, to=str(to.path))
    return Change(action="deleted", file=file, heading=heading)


def _named(text: str, operation: Delete | Move) -> tuple[Block, str]:
    """Give the block that is named, and its heading as it may be shown."""
    document = split_blocks(text)
    index = edits.find_block(document, operation.match)
    return document.blocks[index], shown_headings(document)[index]


def _commit(drafts: list[Draft]) -> None:
    # What has become shorter comes last: a block that moves is twice there, never nowhere.
    order = sorted(drafts, key=lambda draft: len(draft.text) < len(draft.original or ""))
    done: list[Draft] = []
    try:
        for draft in order:
            if draft.is_changed:
                _save(draft)
                done.append(draft)
    except BaseException:
        for draft in reversed(done):
            draft.take_back()
        raise


def _save(draft: Draft) -> None:
    try:
        _make_folders(draft.path.parent)
        draft.save()
    except OSError as error:
        raise _unwritable(draft.path, error) from error


def _make_folders(folder: Path) -> None:
    """Make what is missing of a folder, for its owner alone, so that it survives a power cut."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for made in reversed(missing):
        made.mkdir(mode=DIR_MODE, exist_ok=True)
        sync_folder(made.parent)


def _unwritable(path: Path, error: OSError) -> PlaceRefusedError:
    return PlaceRefusedError("unwritable", str(path), error.strerror or str(error))


@contextmanager
def _numbered(number: int) -> Iterator[None]:
    try:
        yield
    except NoteRefusedError as error:
        error.operation = number
        raise


@contextmanager
def _locked(paths: Sequence[Path], lock_dir: Path, timeout_s: float) -> Iterator[None]:
    """Hold the locks of all files; always in one order, so that nobody waits in a ring."""
    deadline = time.monotonic() + timeout_s
    with ExitStack() as stack:
        path = Path(os.devnull)
        try:
            for path in paths:
                settle(path, lock_dir, max(0.0, deadline - time.monotonic()))
            for path in sorted(paths, key=lambda each: lock_path(lock_dir, each)):
                left_s = max(0.0, deadline - time.monotonic())
                stack.enter_context(file_lock(lock_path(lock_dir, path), left_s))
        except LockTimeout as error:
            raise NoteBusyError(str(path), error.waited_s) from error
        yield

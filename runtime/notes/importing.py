"""
Take over a folder of memory_system's: its Markdown and its archive, byte for byte.

memory_system read the `*.md` directly in each memory folder, and moved old
blocks of CONTEXT.md to `logs/context_archive.md` beside it (source text, "CLI").
Nothing of ours is overwritten: a file that is there already, to the byte, is
passed over; one that differs stays, and the other is put beside it. So a second
run changes nothing. File times are kept, because an undated note is as old as
its file.
"""

import filecmp
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from runtime.errors import ExpectedError, ImportSourceError
from runtime.files import read_text, sync_folder
from runtime.markdown.blocks import split_blocks
from runtime.markdown.dates import find_date
from runtime.notes.book import ARCHIVE_STEM, is_archive
from runtime.notes.finding import SUFFIXES, find_files
from runtime.notes.rules import secret_kinds
from runtime.notes.shown import shown_headings
from runtime.paths import DIR_MODE, FILE_MODE
from runtime.settings import Settings
from schemas.reports import HeldSecret, Imported, ImportedFile, Outcome, RuleBreak

BESIDE: Final = "-imported"
"""Added to the name of a file whose name is taken by another."""


class Source:
    """A folder of memory_system's, as it lies on disk."""

    def __init__(self, folder: Path) -> None:
        """Look into the folder. Raises ImportSourceError."""
        self.folder = Path(os.path.realpath(folder))
        try:
            entries = sorted(os.scandir(self.folder), key=lambda entry: entry.name)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ImportSourceError(str(folder), reason, "give the folder of the notes") from error
        self.notes = [Path(entry.path) for entry in entries if _is_note(entry)]
        self.archives = sorted((self.folder.parent / "logs").glob(f"{ARCHIVE_STEM}*.md"))
        self.left_out = [file for entry in entries for file in _left_out(entry)]
        self.below = [entry.path for entry in entries if _is_folder_of_notes(entry)]
        """Folders of Markdown below, which memory_system did not read."""
        self.others = sum(1 for entry in entries if _is_other(entry))
        if not self.notes:
            hint = "give the folder that holds CONTEXT.md and the other notes"
            raise ImportSourceError(str(folder), "no Markdown lies directly in it", hint)

    @property
    def files(self) -> list[Path]:
        """Everything that is taken over, notes first."""
        return [*self.notes, *self.archives]


def import_copies(source: Source, target: Path, settings: Settings, *, dry_run: bool) -> Imported:
    """Copy what is not there yet into *target*; blocking."""
    if not dry_run:
        # Where that fails, each file's copy fails with the reason.
        with suppress(OSError):
            target.mkdir(mode=DIR_MODE, parents=True, exist_ok=True)
    planned: dict[Path, Path] = {}
    files = [_take(path, target, planned, dry_run=dry_run) for path in source.files]
    reason = "a folder below: memory_system did not read it; import it by itself"
    files += [ImportedFile(source=path, outcome="left out", reason=reason) for path in source.below]
    return report(source, str(target), settings, files, dry_run=dry_run)


def files_below(source: Source, settings: Settings) -> list[Path]:
    """List what lies in folders below and is indexed with the folder; blocking."""
    found = find_files([str(source.folder)], settings.notes.ignore).files
    return [path for path in (Path(file.path) for file in found) if path.parent != source.folder]


def folders_in_place(
    source: Source, target: str, below: Sequence[Path], *, is_changed: bool
) -> list[ImportedFile]:
    """Tell of the folders below; those that hold one of the files *below* are indexed too."""
    names = {path.relative_to(source.folder).parts[0] for path in below}
    read = sorted(str(source.folder / name) for name in names)
    outcome: Outcome = "registered" if is_changed else "identical"
    reason = "a folder below: indexed with it, though memory_system did not read it"
    return [
        *(
            ImportedFile(source=path, outcome=outcome, target=target, reason=reason)
            for path in read
        ),
        *(
            ImportedFile(source=path, outcome="left out", reason="a folder that is not indexed")
            for path in source.below
            if path not in read
        ),
    ]


def report(
    source: Source,
    target: str,
    settings: Settings,
    files: list[ImportedFile],
    *,
    below: Sequence[Path] = (),
    dry_run: bool,
) -> Imported:
    """
    Return what is told of an import; blocking, since it reads the notes for their rules.

    *below* are files of folders below that are taken over too.
    """
    return Imported(
        folder=str(source.folder),
        target=target,
        dry_run=dry_run,
        files=(*files, *source.left_out),
        breaks=tuple(rule for path in (*source.notes, *below) for rule in _breaks(path, settings)),
        secrets=tuple(
            held for path in (*source.files, *below) for held in _secrets(path, settings)
        ),
        others=source.others,
    )


def _is_note(entry: "os.DirEntry[str]") -> bool:
    return _is_markdown(entry) and os.path.isfile(entry.path) and not entry.name.startswith(".")


def _is_markdown(entry: "os.DirEntry[str]") -> bool:
    return entry.name.lower().endswith(SUFFIXES)


def _is_other(entry: "os.DirEntry[str]") -> bool:
    return os.path.isfile(entry.path) and not _is_markdown(entry)


def _is_folder_of_notes(entry: "os.DirEntry[str]") -> bool:
    if not os.path.isdir(entry.path) or entry.name.startswith("."):
        return False
    return any(Path(entry.path).glob("*.md"))


def _left_out(entry: "os.DirEntry[str]") -> Iterator[ImportedFile]:
    if not os.path.isdir(entry.path) and _is_markdown(entry) and not _is_note(entry):
        reason = (
            "its name begins with a dot" if os.path.isfile(entry.path) else "not a regular file"
        )
        yield ImportedFile(source=entry.path, outcome="left out", reason=reason)


def _take(path: Path, folder: Path, planned: dict[Path, Path], *, dry_run: bool) -> ImportedFile:
    try:
        for target in _names(path, folder):
            there = planned.get(target, target)
            if os.path.lexists(there):
                if os.path.isfile(there) and filecmp.cmp(path, there, shallow=False):
                    return ImportedFile(source=str(path), outcome="identical", target=str(target))
                continue
            if dry_run or _copy(path, target):
                planned[target] = path
                outcome = "copied" if target.name == path.name else "renamed"
                return ImportedFile.model_validate(
                    {"source": str(path), "outcome": outcome, "target": str(target)}
                )
    except OSError as error:
        reason = error.strerror or str(error)
        return ImportedFile(source=str(path), outcome="failed", reason=reason)
    raise AssertionError(path)  # names never end


def _names(path: Path, folder: Path) -> Iterator[Path]:
    yield folder / path.name
    yield folder / f"{path.stem}{BESIDE}{path.suffix}"
    number = 2
    while True:
        yield folder / f"{path.stem}{BESIDE}-{number}{path.suffix}"
        number += 1


def _copy(path: Path, target: Path) -> bool:
    """Copy whole or not at all; False when somebody has just taken the name."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        with os.fdopen(fd, "wb") as copy, path.open("rb") as original:
            status = os.fstat(original.fileno())
            shutil.copyfileobj(original, copy)
            copy.flush()
            os.fsync(copy.fileno())
        os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
        os.link(temporary, target)  # unlike a rename it never replaces
    except FileExistsError:
        return False
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(target.parent)
    return True


def _secrets(path: Path, settings: Settings) -> Iterator[HeldSecret]:
    """Yield what a file holds that no note should; nothing for what cannot be read."""
    kinds = secret_kinds(_text_of(path, settings))
    if kinds:
        yield HeldSecret(file=str(path), kinds=tuple(kinds))


def _text_of(path: Path, settings: Settings) -> str:
    """Read a file that the index takes; "" for another, of which the index tells."""
    try:
        if path.stat().st_size > settings.notes.max_file_bytes:
            return ""
        return read_text(path)
    except (OSError, ExpectedError):
        return ""


def _breaks(path: Path, settings: Settings) -> Iterator[RuleBreak]:
    """Yield what today's rules for writing would refuse; nothing for what cannot be read."""
    if is_archive(str(path)):
        return
    text = _text_of(path, settings)
    allowed = settings.notes.file_max_chars
    if len(text) > allowed:
        yield RuleBreak(file=str(path), rule="oversized", line=1, heading="", chars=len(text))
    document = split_blocks(text)
    for block, heading in zip(document.blocks, shown_headings(document), strict=True):
        if (find_date(block.heading) or "?") not in block.heading:  # only 2026-06-11 will do
            yield RuleBreak(
                file=str(path),
                rule="undated",
                line=block.start_line,
                heading=heading,
                chars=len(block.text),
            )

"""The notes as handlers and commands see them: overview, rotation, refresh."""

import os
from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Final

import anyio
import structlog

from runtime.locks import LockTimeout
from runtime.markdown.blocks import split_blocks
from runtime.markdown.dates import find_date
from runtime.notes.finding import files_named, find_files
from runtime.notes.indexer import Indexed, Progress, is_current, reindex, reindex_file
from runtime.notes.rotation import rotate
from runtime.paths import Home
from runtime.redact import redact_lines
from runtime.search_setup import Setup
from runtime.services import Overview, Rotated
from runtime.settings import Settings
from runtime.store.store import Store

log = structlog.get_logger(__name__)

CONTEXT_NAME: Final = "CONTEXT.md"
CONTEXT_READ_BYTES: Final = 1_000_000
"""However long a file has grown, no more of it is read to be injected."""
CONTENTS_NAMES: Final = 100
ARCHIVE_STEM: Final = "context_archive"
"""What an archive's name begins with, unless `notes.archive` gives it another."""


class NoteBook:
    """Notes in the configured folders."""

    def __init__(
        self, home: Home, settings: Settings, store: Store | None, *, is_dry: bool = False
    ) -> None:
        self._is_dry = is_dry
        self._home = home
        self._settings = settings
        self._store = store

    async def overview(self) -> Overview:
        """Return the newest context and the table of contents."""
        return await anyio.to_thread.run_sync(read_overview, self._home, self._settings)

    async def rotate(self) -> Rotated | None:
        """Rotate the configured CONTEXT.md; None for none there, a dry run, or one in use."""
        path = self._settings.notes.context
        if self._is_dry or not path or not await anyio.to_thread.run_sync(os.path.isfile, path):
            return None
        return await anyio.to_thread.run_sync(self._rotate, Path(path))

    def _rotate(self, path: Path) -> Rotated | None:
        notes = self._settings.notes
        try:
            done = rotate(
                path,
                keep=notes.keep_blocks,
                archive=archive_of(path, self._settings),
                archive_max_bytes=notes.archive_max_bytes,
                lock_dir=Path(self._home.run),
                lock_timeout_s=self._settings.hook.budget_s / 2,
            )
        except LockTimeout as error:
            # Somebody writes it or rotates it; the next turn's end comes.
            log.warning("rotation_skipped", waited_s=error.waited_s)
            return None
        return Rotated(done.archived, done.kept)

    def is_current(self, connection: Connection) -> bool:
        """Tell whether the index shows the files as they are; for a reader's thread."""
        roots = _roots(self._home, self._settings)
        notes = self._settings.notes
        return is_current(connection, roots, notes.max_file_bytes, notes.ignore)

    async def refresh(self) -> None:
        """Bring the index up to date with the files."""
        if self._store is not None:
            await self._store.write(refresh, self._home, self._settings)


async def refresh(
    home: Home,
    settings: Settings,
    store: Store,
    *,
    forget: bool = False,
    progress: Progress | None = None,
) -> Indexed:
    """
    Bring the index up to date with the files of the configured folders.

    *forget*: known files that were not found go, whatever the reason may be.
    """
    roots = await anyio.to_thread.run_sync(_roots, home, settings)
    notes = settings.notes
    return await reindex(
        store, roots, notes.max_file_bytes, ignore=notes.ignore, forget=forget, progress=progress
    )


async def refresh_file(home: Home, settings: Settings, store: Store, path: str) -> Indexed:
    """Bring the index up to date with one file that has just been written, moved or removed."""
    roots = await anyio.to_thread.run_sync(_roots, home, settings)
    path = await anyio.to_thread.run_sync(os.path.abspath, path)
    notes = settings.notes
    return await reindex_file(store, roots, path, notes.max_file_bytes, ignore=notes.ignore)


def _roots(home: Home, settings: Settings) -> tuple[str, ...]:
    return (*folders(home, settings), *archives(settings))


def folders(home: Home, settings: Settings) -> tuple[str, ...]:
    """Return the folders of notes as absolute paths."""
    chosen = settings.notes.dirs or (home.notes,)
    return tuple(dict.fromkeys(os.path.abspath(folder) for folder in chosen))


def archive_of(context: Path, settings: Settings) -> Path:
    """Return where a CONTEXT.md's older blocks go (source text, "rotate_context.py")."""
    if settings.notes.archive:
        return Path(settings.notes.archive)
    return context.absolute().parent.parent / "logs" / f"{ARCHIVE_STEM}.md"


def archives(settings: Settings) -> list[str]:
    """Return the archive's files, so that what rotated out can still be found."""
    if not settings.notes.context:
        return []
    return files_named(*_archive_names(settings))


def _archive_names(settings: Settings) -> tuple[str, str, str]:
    """Return the archive's folder, and how the names of its files begin and end."""
    archive = archive_of(Path(settings.notes.context), settings)
    return str(archive.parent), archive.stem, archive.suffix


def setup_of(
    home: Home, settings: Settings, database: str, schema: int, permanent: tuple[str, str, bool]
) -> Setup:
    """Return what a search needs to know of the settings; absolute paths."""
    return Setup(
        os.path.abspath(database),
        schema,
        folders(home, settings),
        _archive_names(settings) if settings.notes.context else None,
        settings.notes.ignore,
        settings.notes.max_file_bytes,
        permanent,
        (settings.semantic.encoder, settings.semantic.model) if settings.semantic.enabled else None,
    )


def read_overview(home: Home, settings: Settings) -> Overview:
    """Return what a session is told about the notes; blocking."""
    dirs = folders(home, settings)
    files = _shown_files(dirs, settings)
    context = _context_among(files, settings)
    # Before it is cut: a block cannot tell that a private part began above it.
    text = redact_lines(_beginning(context)) if context else ""
    blocks = split_blocks(text).blocks
    newest = blocks[: settings.inject.blocks]
    return Overview(
        context="".join(block.text for block in newest).strip(),
        context_path=context,
        context_date=find_date(newest[0].heading) if newest else None,
        older_blocks=len(blocks) - len(newest),
        contents=tuple(_names(dirs, files[:CONTENTS_NAMES])),
        unlisted=max(0, len(files) - CONTENTS_NAMES),
    )


def context_file(home: Home, settings: Settings) -> str:
    """Return the CONTEXT.md that sessions are shown, "" for none; blocking."""
    return _context_among(_shown_files(folders(home, settings), settings), settings)


def _shown_files(dirs: Sequence[str], settings: Settings) -> list[str]:
    """Return the notes that a session may be told of: all but archives, which search finds."""
    archived = set(archives(settings))
    return [
        file.path
        for file in find_files(dirs, settings.notes.ignore).files
        if file.path not in archived and not is_archive(file.path)
    ]


def is_archive(path: str) -> bool:
    """Tell whether a file's name is that of an archive, also of a full one that was set aside."""
    return os.path.basename(path).startswith(ARCHIVE_STEM)


def _context_among(files: Sequence[str], settings: Settings) -> str:
    return settings.notes.context or next(
        (path for path in files if os.path.basename(path) == CONTEXT_NAME), ""
    )


def _beginning(path: str) -> str:
    if not os.path.isfile(path):  # opening a FIFO would wait for ever
        return ""
    try:
        with open(path, "rb") as file:
            return file.read(CONTEXT_READ_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return ""


def _names(dirs: Sequence[str], files: Sequence[str]) -> list[str]:
    names = []
    for path in files:
        root = next((folder for folder in dirs if path.startswith(folder + os.sep)), "")
        names.append(os.path.relpath(path, root) if root else path)
    return names

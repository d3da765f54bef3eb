"""Which file a name means, and whether commands may write it."""

import os
import re
import stat
import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from runtime.notes.book import CONTEXT_NAME, archive_of, folders
from runtime.notes.finding import SUFFIXES, root_of
from runtime.notes.refusals import PlaceRefusedError
from runtime.paths import Home
from runtime.settings import Settings
from runtime.text import clean, one_line

SHOWN_CHARS: Final = 4096
UNFIT: Final = re.compile(r"[\n\t]")
"""Line breaks and tabs, which a text may hold and a name may not."""
ARCHIVE: Final = Path("logs") / "context_archive.md"
"""Where `archive_of` puts an archive below the folder above a CONTEXT.md."""


class Place(NamedTuple):
    """A file that may be written."""

    path: Path
    """Without symlinks and dots: what is locked, read and written."""
    indexed_as: str
    """The path under which the index knows it; "" when it lies in no folder of notes."""
    newest_first: bool


class Places:
    """The folders of notes as they are configured."""

    def __init__(self, home: Home, settings: Settings) -> None:
        self.roots = folders(home, settings)
        self._context = settings.notes.context
        self._ignore = settings.notes.ignore
        self._max_file_bytes = settings.notes.max_file_bytes
        self._archives = []
        if self._context or settings.notes.archive:
            self._archives.append(_real(str(archive_of(Path(self._context), settings))))

    def locate(self, name: str) -> Place:
        """
        Give the place that *name* means; a relative one is looked for where notes lie.

        In order: in the working folder when that is one of notes, CONTEXT.md as
        configured, in each folder of notes; a name that is nowhere is a new file in
        the first. Blocking. Raises PlaceRefusedError.
        """
        path = _as_spelled(self._absolute(name))
        real = Path(os.path.realpath(path))
        if real.suffix.lower() not in SUFFIXES:
            raise PlaceRefusedError("not_markdown", name)
        is_context = bool(self._context) and real == Path(_real(self._context))
        root = next((root for root in self.roots if real.is_relative_to(_real(root))), "")
        if not root and not is_context:
            raise PlaceRefusedError("outside", str(path), ", ".join(self.roots))
        inside = real.relative_to(_real(root)) if root else Path(real.name)
        if any(part.startswith(".") for part in inside.parts):
            raise PlaceRefusedError("hidden", str(path))
        if self._is_archive(real):
            raise PlaceRefusedError("archive", str(path))
        indexed_as = os.path.join(root, *inside.parts) if root else ""
        if root and root_of(indexed_as, self.roots, self._ignore) is None:
            raise PlaceRefusedError("ignored", str(path))
        is_root = not inside.parts  # A file may be configured itself.
        folder = Path(_real(root)) if root and not is_root else real.parent
        _refuse_unusable(real, folder, self._max_file_bytes)
        return Place(
            path=real,
            indexed_as=indexed_as,
            newest_first=is_context or CONTEXT_NAME in {real.name, path.name},
        )

    def _absolute(self, name: str) -> Path:
        if not name or clean(name) != name or name != name.strip() or UNFIT.search(name):
            raise PlaceRefusedError("bad_name", one_line(name, SHOWN_CHARS))
        path = Path(os.path.expanduser(name))
        if path.is_absolute():
            return path
        with suppress(OSError):  # The working folder may be gone.
            here = Path.cwd() / path
            if self._is_inside(here):
                return here
        if self._context and path == Path(os.path.basename(self._context)):
            return Path(self._context).absolute()
        there = [_as_spelled(Path(root) / path) for root in self.roots]
        found = [place for place in there if os.path.exists(place)]
        if len(found) > 1:
            raise PlaceRefusedError("many_files", name, ", ".join(map(str, found)))
        return found[0] if found else there[0]

    def _is_inside(self, path: Path) -> bool:
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(_real(root)) for root in self.roots)

    def _is_archive(self, real: Path) -> bool:
        archives = [*map(Path, self._archives), real.parent.parent / ARCHIVE]
        return any(
            real.parent == archive.parent
            and re.fullmatch(
                re.escape(archive.stem) + r"(\.[0-9]{3,})?" + re.escape(archive.suffix), real.name
            )
            for archive in archives
        )


def _real(path: str) -> str:
    return os.path.realpath(path)


def _as_spelled(path: Path) -> Path:
    """
    Give the path with its names as they lie on disk.

    A Mac writes 「が」 as two characters, a keyboard as one: the same name to a
    reader, and two files to most systems.
    """
    spelled = Path(path.anchor)
    for name in path.parts[1:]:
        spelled /= _spelling(spelled, name)
    return spelled


def _spelling(folder: Path, name: str) -> str:
    if name.isascii() or os.path.lexists(folder / name):
        return name
    wanted = unicodedata.normalize("NFC", name)
    with suppress(OSError):
        for entry in os.listdir(folder):
            if unicodedata.normalize("NFC", entry) == wanted:
                return entry
    return name


def _refuse_unusable(real: Path, folder: Path, max_file_bytes: int) -> None:
    if not folder.is_dir():
        raise PlaceRefusedError("folder_missing", str(real), str(folder))
    try:
        status = real.stat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise PlaceRefusedError("unwritable", str(real), error.strerror or str(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise PlaceRefusedError("not_a_file", str(real))
    if status.st_size > max_file_bytes:
        raise PlaceRefusedError("not_indexed", str(real), status.st_size, max_file_bytes)

"""
Where dumps lie: a folder, usually one that another program copies between machines.

All calls block, and may block for long where the cloud has to be asked: they run
in threads, and reading has a time limit.
"""

import os
import shutil
import stat
import time
from contextlib import suppress
from typing import BinaryIO, Final, NamedTuple, Protocol

from runtime.longterm.dump_files import is_dump, placeholder_of
from runtime.longterm.sync_errors import DumpFolderError
from runtime.paths import DIR_MODE, FILE_MODE

NOT_THERE: Final = "not downloaded yet"
DATALESS: Final = 0x40000000
"""macOS's SF_DATALESS: the name is there and the data in the cloud."""
LEFTOVER_S: Final = 3600
BLOCK_BYTES: Final = 1 << 20


class Entry(NamedTuple):
    """One dump as it is listed."""

    name: str
    size: int
    version: str
    """Changes whenever the file does: its time in ns, or an object's tag."""
    problem: str | None = None
    """Why it is not read."""


class DumpFolder(Protocol):
    """A place that holds dumps. Each method raises OSError for what its place cannot do."""

    @property
    def place(self) -> str:
        """The path or address, without secrets."""
        ...

    def entries(self) -> list[Entry]:
        """Return the dumps by name. Raises DumpFolderError when the place is not there."""
        ...

    def copy(self, name: str, target: BinaryIO) -> None:
        """Write a dump's bytes to an open file."""
        ...

    def tail(self, name: str, size: int, limit_bytes: int) -> bytes:
        """Return the last bytes of a dump of that size."""
        ...

    def write(self, name: str, source: BinaryIO) -> Entry:
        """Put a dump there, durably and in one step. Raises DumpFolderError."""
        ...

    def remove(self, name: str) -> None:
        """Take a dump away; one that is gone already is no error."""
        ...

    def remove_leftovers(self, host: str, age_s: float) -> None:
        """Take away what killed writers of a host, as files name it, left so long ago."""
        ...


class LocalFolder:
    """A folder of this machine's, by its absolute path."""

    def __init__(self, path: str) -> None:
        self.place = path

    def entries(self) -> list[Entry]:
        """Return the dumps, and those for which there is only a place."""
        found: dict[str, Entry] = {}
        try:
            names = sorted(os.listdir(self.place))
        except OSError as error:
            reason = error.strerror or str(error)
            raise DumpFolderError(self.place, f"it cannot be listed ({reason})") from error
        for name in names:
            hidden = placeholder_of(name)
            if hidden is not None:
                found.setdefault(hidden, Entry(hidden, 0, "", NOT_THERE))
            elif is_dump(name):
                found[name] = self._entry(name)
        return [found[name] for name in sorted(found)]

    def _entry(self, name: str) -> Entry:
        try:
            status = os.stat(os.path.join(self.place, name))
        except OSError as error:
            return Entry(name, 0, "", error.strerror or str(error))
        problem = None
        if not stat.S_ISREG(status.st_mode):  # opening a FIFO would wait for ever
            problem = "not a file"
        elif getattr(status, "st_flags", 0) & DATALESS:
            problem = NOT_THERE
        elif not status.st_size:
            problem = "empty"
        return Entry(name, status.st_size, str(status.st_mtime_ns), problem)

    def copy(self, name: str, target: BinaryIO) -> None:
        """Write a dump's bytes to an open file."""
        with open(os.path.join(self.place, name), "rb") as source:
            shutil.copyfileobj(source, target, BLOCK_BYTES)

    def tail(self, name: str, size: int, limit_bytes: int) -> bytes:
        """Return the last bytes of a dump."""
        with open(os.path.join(self.place, name), "rb") as source:
            source.seek(max(0, size - limit_bytes))
            return source.read(limit_bytes)

    def write(self, name: str, source: BinaryIO) -> Entry:
        """Put a dump there: under another name, to the disk, then renamed."""
        self._prepare(name)
        temporary = os.path.join(self.place, f".{name}.{os.urandom(6).hex()}.tmp")
        try:
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
            with open(fd, "wb") as target:
                shutil.copyfileobj(source, target, BLOCK_BYTES)
                target.flush()
                os.fsync(target.fileno())
            os.rename(temporary, os.path.join(self.place, name))
            _sync(self.place)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DumpFolderError(self.place, f"{name} cannot be written ({reason})") from error
        finally:
            with suppress(OSError):
                os.unlink(temporary)
        return self._entry(name)

    def _prepare(self, name: str) -> None:
        """
        Make the folder, but nothing above it: that may be a disk or a cloud that is away.

        What a killed writer left is removed when it is old enough.
        """
        try:
            os.mkdir(self.place, DIR_MODE)
        except FileExistsError:
            pass
        except OSError as error:
            reason = f"it cannot be made ({error.strerror or error})"
            raise DumpFolderError(self.place, reason) from error
        with suppress(OSError):
            self.remove_leftovers(name.partition("_")[0], LEFTOVER_S)

    def remove_leftovers(self, host: str, age_s: float) -> None:
        """Take away temporary files of a host."""
        for left in os.listdir(self.place):
            if left.startswith(f".{host}_") and left.endswith(".tmp"):
                path = os.path.join(self.place, left)
                with suppress(FileNotFoundError):
                    if time.time() - os.stat(path).st_mtime >= age_s:
                        os.unlink(path)

    def remove(self, name: str) -> None:
        """Take a dump away."""
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.place, name))


def _sync(folder: str) -> None:
    """Make a rename outlive a power cut; some file systems of networks cannot."""
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            os.fsync(fd)
    finally:
        os.close(fd)

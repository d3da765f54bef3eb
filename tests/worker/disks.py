"""A disk of a few hundred KB, to fill: where mounting is allowed, else a limit on file sizes."""

import os
import resource
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.leftovers import until


class SmallDisk:
    """A file system of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Write until nothing fits any more."""
        with open(self._filler, "ab", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 4096) == 4096:
                pass

    def free(self, room_bytes: int | None = None) -> None:
        """Make room again: all, or so much."""
        if room_bytes is None:
            self._filler.unlink()
        else:
            os.truncate(self._filler, self._filler.stat().st_size - room_bytes)

    def protect(self, *, writable: bool) -> None:
        """Mount it again, read-only or not."""
        mode = "rw" if writable else "ro"
        _when_idle(["mount", "-o", f"remount,{mode}", str(self.folder)])


@contextmanager
def small_disk(folder: Path, size_kb: int) -> Generator[SmallDisk]:
    """Mount a memory disk there for the block; what uses it must be on its way out by then."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_kb}k", "tmpfs", folder], check=True)
    try:
        yield SmallDisk(folder)
    finally:
        _when_idle(["umount", str(folder)])


def can_mount(folder: Path) -> bool:
    """Tell whether this process may mount: as a rule, only root outside of a container."""
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return False
    _when_idle(["umount", str(folder)])
    return True


def _when_idle(command: Sequence[str]) -> None:
    """
    Run a command that the kernel refuses while a file of the disk is open.

    A process that has lost its command line, and so is no worker to be found any
    more, still holds its files for a moment.
    """
    until(lambda: subprocess.run(command, capture_output=True, check=False).returncode == 0)


def files_limited_to(size_bytes: int) -> Callable[[], None]:
    """Return what limits a new process's files: each ends there as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))

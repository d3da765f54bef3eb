"""A disk of a few hundred KB, to fill: where mounting is allowed, else a limit on file sizes."""

import os
import resource
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path


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

    def free(self) -> None:
        """Make room again."""
        self._filler.unlink()

    def protect(self, *, writable: bool) -> None:
        """Mount it again, read-only or not."""
        mode = "rw" if writable else "ro"
        subprocess.run(["mount", "-o", f"remount,{mode}", self.folder], check=True)


@contextmanager
def small_disk(folder: Path, size_kb: int) -> Generator[SmallDisk]:
    """Mount a memory disk there for the block; what uses it must have ended by then."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_kb}k", "tmpfs", folder], check=True)
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", folder], check=True)


def can_mount(folder: Path) -> bool:
    """Tell whether this process may mount: as a rule, only root outside of a container."""
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return False
    subprocess.run(["umount", folder], check=True)
    return True


def files_limited_to(size_bytes: int) -> Callable[[], None]:
    """Return what limits a new process's files: each ends there as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))

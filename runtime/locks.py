"""
An exclusive advisory lock between processes, on a lock file of its own.

The lock is the kernel's: it ends with the process that holds it, so a killed
holder leaves nothing to clean up. Lock files are never deleted. The calls
block: on an event loop, run them in a worker thread.
"""

import errno
import sys
import time

if sys.platform == "win32":
    import msvcrt
    import os
else:
    import fcntl
    import posix as os  # what `os` adds costs a hook an eighth of its time

TYPE_CHECKING = False  # Importing typing for this name would cost the hook process.
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from types import TracebackType
    from typing import Self

FIRST_WAIT_S = 0.001
LONGEST_WAIT_S = 0.05

_BUSY = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK})


class LockTimeout(TimeoutError):  # noqa: N818 - a TimeoutError says it already
    """Somebody else held the lock for the whole time that we could wait."""

    def __init__(self, path: str, waited_s: float) -> None:
        self.path = path
        self.waited_s = waited_s
        super().__init__(
            f"{path} is locked by another process: waited {waited_s:.2f} s; "
            "try again when that process is done"
        )


def try_lock(path: "str | PathLike[str]") -> int | None:
    """
    Lock *path* without waiting: an open descriptor that holds it, or None.

    The file is created with mode 0600; its folder must exist. Two calls in one
    process exclude each other like two processes do.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if _acquire(fd) and _is_current(fd, path):
            return fd
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return None


def unlock(fd: int) -> None:
    """Give up a lock that `try_lock` gave, and close its descriptor."""
    try:
        _release(fd)
    finally:
        os.close(fd)


class FileLock:
    """Hold the lock on *path* inside a `with` block, waiting at most *timeout_s*."""

    def __init__(self, path: "str | PathLike[str]", timeout_s: float) -> None:
        self.path = os.fspath(path)
        self.timeout_s = timeout_s
        self._fd: int | None = None

    def __enter__(self) -> "Self":
        """
        Take the lock, polling; with a timeout of 0 it is tried once.

        Raises:
            LockTimeout: another holder did not let go in time.
        """
        self._fd = poll(lambda: try_lock(self.path), self.path, self.timeout_s)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: "TracebackType | None",
    ) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            unlock(fd)


def file_lock(path: "str | PathLike[str]", timeout_s: float) -> FileLock:
    """Give a lock on *path* for one `with` block; waits at most *timeout_s* seconds."""
    return FileLock(path, timeout_s)


def poll(take: "Callable[[], int | None]", path: str, timeout_s: float) -> int:
    """
    Call *take* until it gives a descriptor, at most *timeout_s*; with 0 it is called once.

    Raises:
        LockTimeout: another holder did not let go of *path* in time.
    """
    started = time.monotonic()
    wait_s = FIRST_WAIT_S
    while (fd := take()) is None:
        waited_s = time.monotonic() - started
        if waited_s >= timeout_s:
            raise LockTimeout(path, waited_s)
        time.sleep(min(wait_s, timeout_s - waited_s))
        wait_s = min(wait_s * 2, LONGEST_WAIT_S)
    return fd


def try_folder(fd: int) -> int | None:
    """
    Lock the folder that *fd* is open on, without waiting: *fd*, or None; closing it unlocks.

    A file system that cannot lock folders leaves it open to all, which is no error.
    """
    try:
        return fd if _acquire(fd) else None
    except OSError:
        return fd


def _is_current(fd: int, path: "str | PathLike[str]") -> bool:
    """Tell whether *path* still names the locked file: a deleted one guards nothing."""
    try:
        locked, named = os.fstat(fd), os.stat(path)
    except FileNotFoundError:
        return False
    return (locked.st_dev, locked.st_ino) == (named.st_dev, named.st_ino)


def _acquire(fd: int) -> bool:
    try:
        if sys.platform == "win32":
            os.lseek(fd, 0, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise
    return True


def _release(fd: int) -> None:
    if sys.platform == "win32":
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(fd, fcntl.LOCK_UN)

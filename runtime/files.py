"""Read and replace note files byte for byte: line endings and byte order marks stay."""

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from runtime.errors import FileChangedError, NotUtf8Error
from runtime.locks import poll, try_folder

LEFTOVER_S: Final = 600
"""A file is written in milliseconds; what is older than this was left by a process that died."""
TEMPORARY: Final = r"\.[0-9a-f]{12}\.tmp"
"""What the name of a file that is being written ends in."""
FOLDER_S: Final = 10.0
"""A folder is held for the time of one look and one rename."""
DEFAULT_MODE: Final = 0o666  # For a file that is new; the umask takes its part away.


def read_text(path: Path) -> str:
    r"""
    Give the whole file; `\r\n` and a byte order mark are part of the text.

    Raises:
        NotUtf8Error: the file holds bytes that are not UTF-8.
        OSError: the file is missing, cannot be read, or is no regular file: a FIFO
            would be waited for, and a device has no end.
    """
    with open(path, "rb", opener=without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return decoded(file.read(), str(path))


def without_waiting(path: str, flags: int) -> int:
    """Open a file, as `opener` of `open`: a FIFO would be waited for otherwise."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def decoded(data: bytes, path: str) -> str:
    """Give the text of a note file's bytes. Raises NotUtf8Error."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise NotUtf8Error(path, exc.start) from exc


def write_atomic(
    path: Path, text: str, *, replacing: str | None = None, new_mode: int = DEFAULT_MODE
) -> None:
    """
    Put *text* into the file so that a crash leaves either the old or the new one.

    A symlink is followed, and what it points to is replaced. An existing file
    keeps its permissions; a new one gets *new_mode* (less the umask). With
    *replacing* the file must still hold exactly that text right before the
    change; from that look to the rename the folder is locked, so that of two
    writers with homes of their own none overwrites the other.

    Raises:
        FileChangedError: the file does not hold *replacing* any more.
        LockTimeout: another process held the folder for too long; nothing was done.
        UnicodeEncodeError: *text* has a lone surrogate; nothing was written.
    """
    data = text.encode("utf-8")
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}.tmp")
    try:
        _write_new(temporary, data, new_mode)
        _copy_mode(target, temporary)
        if replacing is None:
            temporary.replace(target)
        else:
            with _locked(target.parent):
                _require(target, replacing.encode("utf-8"))
                temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def remove_leftovers(path: Path) -> None:
    """
    Remove temporary files of writers of *path* that were killed.

    The lock of *path* does not keep everybody away, such as a program with another
    home that has the same folder of notes: what is young may still be written.
    """
    target = Path(os.path.realpath(path))
    _remove_old(target.parent, re.compile(rf"\.{re.escape(target.name)}{TEMPORARY}"))


def remove_all_leftovers(folder: Path) -> None:
    """Remove those of all Markdown files of a folder."""
    _remove_old(folder, re.compile(rf"\..+\.md{TEMPORARY}", re.DOTALL))


def _remove_old(folder: Path, name: re.Pattern[str]) -> None:
    oldest = time.time() - LEFTOVER_S
    with suppress(FileNotFoundError):
        for entry in os.listdir(folder):
            found = folder / entry
            if name.fullmatch(entry) and found.stat().st_mtime < oldest:
                found.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make renames and new names in *folder* survive a power cut."""
    if os.name == "nt":
        return  # Windows opens no folders; its file system journals names.
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep others out who look at a file of the folder before they replace it."""
    if os.name == "nt":
        yield  # Windows opens no folders.
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        poll(lambda: try_folder(fd), str(folder), FOLDER_S)
        yield
    finally:
        os.close(fd)


def _write_new(path: Path, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _copy_mode(source: Path, target: Path) -> None:
    try:
        mode = source.stat().st_mode
    except FileNotFoundError:
        return
    target.chmod(mode & 0o7777)


def _require(path: Path, data: bytes) -> None:
    try:
        unchanged = path.read_bytes() == data
    except FileNotFoundError:
        unchanged = False
    if not unchanged:
        raise FileChangedError(str(path))

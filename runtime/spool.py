"""
The spool: from the rename on, an event cannot be lost, whatever dies.

A spool file is a short header of facts about the hook process (what only it
knows, such as its environment) followed by stdin's bytes as they came. Its
name is the event's id, so handling it twice is told by the id and names sort
by time. Standard library only: the hook process imports this.
"""

import sys
import time

from runtime.paths import FILE_MODE

if sys.platform == "win32":
    import os
else:
    import posix as os  # what `os` adds costs a hook an eighth of its time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAGIC = b"oboegaki-event 1\n"
ASK = ".ask"
"""Suffix of an event whose own process is waiting for the answer."""
TEMP = "tmp-"
"""Prefix of a file that is being written; its process lives for seconds."""
TRY = ".try"
"""Suffix, with a number, of an event that somebody has begun to handle."""
TRIES_MAX = 5
NAME_MAX = 64
ASK_IS_OURS_S = 15.0
"""As long as an asking process can live; then anybody may finish its event."""


class Captured:
    """One event as the hook process received it."""

    __slots__ = ("facts", "id", "name", "payload")

    def __init__(self, name: str, facts: dict[str, str], payload: bytes) -> None:
        self.name = name
        """The spool file's name; "" for an event that never was on disk."""
        self.id = event_id(name)
        self.facts = facts
        """`event`, `project`, `entrypoint`, `nested`: present when known."""
        self.payload = payload


def event_id(name: str) -> str:
    """Return the event's id: its file's name without what is said of its state."""
    return name.partition(".")[0]


def tries(name: str) -> int:
    """Return how often somebody has begun to handle the event and not finished."""
    count = name.rpartition(TRY)[2]
    return int(count) if TRY in name and count.isdigit() else 0


def new_id(pid: int) -> str:
    """Return a new event id: nanoseconds since 1970 (20 digits), then the process."""
    return f"{time.time_ns():020d}-{pid}"


def is_name(text: str) -> bool:
    """Tell whether a text may be an event's name: it leads nowhere but into its folder."""
    bare = text.removesuffix(ASK)
    return bare[:1].isdigit() and not bare.strip("0123456789-") and len(text) <= NAME_MAX


def received_ns(event_id: str) -> int:
    """Return when the event of this id was received, in ns since 1970; 0 if it cannot tell."""
    digits = event_id.split("-", 1)[0]
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def pack(facts: dict[str, str], payload: bytes) -> bytes:
    """Return a spool file's bytes."""
    lines = [MAGIC]
    for key, value in facts.items():
        flat = value.replace("%", "%25").replace("\n", "%0A")
        lines.append(f"{key}={flat}\n".encode(errors="surrogateescape"))
    return b"".join([*lines, b"\n", payload])


def unpack(data: bytes) -> tuple[dict[str, str], bytes]:
    """Return facts and payload; bytes without our header are all payload."""
    head, gap, payload = data.partition(b"\n\n")
    if not data.startswith(MAGIC) or not gap:
        return {}, data
    facts = {}
    for line in head.split(b"\n")[1:]:
        key, _, value = line.decode(errors="surrogateescape").partition("=")
        facts[key] = value.replace("%0A", "\n").replace("%25", "%")
    return facts, payload


def write(folder: str, event: Captured, sync: "Callable[[int], None] | None" = None) -> None:
    """
    Put the event into the spool under its name, 0600.

    `sync` makes it outlive a power cut: it is called with the open file before the
    rename, and with the open folder after it. Raises OSError when it cannot be
    written whole, and nothing visible is left then, or when the folder cannot be
    synced; then the event is there.
    """
    temp = f"{folder}/{TEMP}{event.name}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        try:
            data = memoryview(pack(event.facts, event.payload))
            while data:
                data = data[os.write(fd, data) :]
            if sync is not None:
                sync(fd)
        finally:
            os.close(fd)
        os.rename(temp, f"{folder}/{event.name}")
    except BaseException:
        _unlink(temp)
        raise
    if sync is not None:
        # Without this the file would be on the disk, and its name might not be.
        folder_fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            sync(folder_fd)
        finally:
            os.close(folder_fd)


def to_disk(fd: int) -> None:
    """Wait until an open file or folder is on the disk. Raises OSError."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - for those alone who want this

        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)  # fsync ends there in the disk's own memory
    else:
        os.fsync(fd)


def pending(folder: str) -> list[str]:
    """
    Return the names of events that anybody may handle, oldest first.

    An event that its own process is answering right now is left out. One that
    was begun and not finished comes last: it may be what kills whoever takes it.
    """
    now = time.time_ns()
    names = [
        name
        for name in os.listdir(folder)
        if name[:1].isdigit() and not (name.endswith(ASK) and _is_asking(name, now))
    ]
    return sorted(names, key=lambda name: (tries(name), name))


def sweep(folder: str) -> None:
    """Remove what dead processes left half-written: it holds secrets as received."""
    now = time.time_ns()
    for name in os.listdir(folder):
        if name.startswith(TEMP) and not _is_asking(name.removeprefix(TEMP), now):
            _unlink(f"{folder}/{name}")


def _is_asking(name: str, now_ns: int) -> bool:
    # A clock that jumped back leaves ids in the future: those are nobody's.
    age_s = (now_ns - received_ns(name)) / 1e9
    return 0 <= age_s < ASK_IS_OURS_S


def read(folder: str, name: str) -> Captured | None:
    """Return the event, or None when somebody else has finished it."""
    try:
        with open(f"{folder}/{name}", "rb") as file:
            facts, payload = unpack(file.read())
    except FileNotFoundError:
        return None
    return Captured(name, facts, payload)


def begin(folder: str, event: Captured) -> bool:
    """
    Count one more try. False when somebody else has finished the event.

    One that ends its process, or never ends, is thus known the next time.
    """
    begun = f"{event.id}{TRY}{tries(event.name) + 1}"
    try:
        os.rename(f"{folder}/{event.name}", f"{folder}/{begun}")
    except FileNotFoundError:
        return False
    event.name = begun
    return True


def put_back(
    folder: str,
    event: Captured,
    facts: dict[str, str],
    payload: bytes,
    sync: "Callable[[int], None] | None" = None,
) -> None:
    """
    Let an event wait that could not be committed; its tries do not count.

    It lies there in the given form from now on, which holds no secrets. Raises
    OSError when there is no room for that; then it lies there as it came.
    """
    if not event.name:
        return
    try:
        write(folder, Captured(event.id, facts, payload), sync)
    except OSError:
        # A full disk is no fault of the event's, and would be counted as one.
        os.rename(f"{folder}/{event.name}", f"{folder}/{event.id}")
        raise
    if event.name != event.id:
        _unlink(f"{folder}/{event.name}")


def finish(folder: str, event: Captured) -> None:
    """Take a handled event out of the spool; once is enough."""
    if event.name:
        _unlink(f"{folder}/{event.name}")


def release(folder: str, event: Captured) -> None:
    """Let anybody handle an event whose own process has answered it; done already is fine."""
    asked, event.name = event.name, event.id
    try:
        os.rename(f"{folder}/{asked}", f"{folder}/{event.name}")
    except FileNotFoundError:
        return  # the worker has finished it after all, or has begun to


def expire(dead: str, keep_s: float) -> int:
    """Delete unreadable input that has been kept for its time. Returns how many. Raises OSError."""
    count = 0
    with os.scandir(dead) as entries:
        for entry in entries:
            if time.time() - entry.stat().st_mtime > keep_s:
                os.unlink(entry.path)
                count += 1
    return count


def bury(folder: str, event_id: str, data: bytes) -> None:
    """Keep what could not be read, already redacted, under `dead/`. Raises OSError."""
    path = f"{folder}/{event_id}"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    with open(fd, "wb") as file:
        file.write(data)


def _unlink(path: str) -> None:
    # contextlib alone would cost the hook process a tenth of its time.
    try:
        os.unlink(path)
    except FileNotFoundError:
        return

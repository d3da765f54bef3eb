"""
Answers prepared while there was time, for sessions that start: nobody need be asked.

One file holds the rendered answers and the state of every file they were made
from. They hold as long as none of those has changed, and only for a hook
process without settings of its own in the environment. Standard library only.
"""

import posix as os  # what `os` adds costs a hook an eighth of its time

from runtime import __version__
from runtime.paths import FILE_MODE, Home

MAGIC = b"oboegaki-prepared 3 " + __version__.encode()
"""With the version: what another one rendered may tell more than this one would."""


def state(path: str) -> bytes:
    """Return a line that changes when the file or folder does."""
    try:
        status = os.stat(path)
    except OSError:
        return b"- - - - " + path.encode(errors="surrogateescape")
    # The inode and its change time tell a file that was put in the place of another.
    return b"%d %d %d %d %b" % (
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_size,
        path.encode(errors="surrogateescape"),
    )


def write(home: Home, states: list[bytes], answers: dict[str, bytes]) -> None:
    """Keep the answers, by a session's source. Raises OSError."""
    head = [MAGIC, b"%d" % len(states), *states]
    parts = [b"%b %d\n%b" % (name.encode(), len(body), body) for name, body in answers.items()]
    path = home.run + "/prepared"
    temp = f"{path}.{os.getpid()}"
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
    with open(fd, "wb") as file:
        file.write(b"\n".join([*head, *parts]))
    os.replace(temp, path)


def read(home: Home, source: str) -> bytes | None:
    """Return the answer for a source, None when there is none that still holds."""
    try:
        with open(home.run + "/prepared", "rb") as file:
            magic, _, rest = file.read().partition(b"\n")
    except OSError:
        return None
    count, _, rest = rest.partition(b"\n")
    if magic != MAGIC or not count.isdigit():
        return None
    for _ in range(int(count)):
        line, _, rest = rest.partition(b"\n")
        if b"\0" in line or line != state(line.split(b" ", 4)[-1].decode(errors="surrogateescape")):
            return None
    while rest:
        name, _, rest = rest.partition(b" ")
        size, _, rest = rest.partition(b"\n")
        if name.decode() == source:
            return rest[: int(size)]
        rest = rest[int(size) + 1 :]
    return None

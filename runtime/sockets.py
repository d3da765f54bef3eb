"""
Unix sockets of the worker, whatever the length of the home's path.

A socket's address holds 104 bytes on macOS and 108 on Linux; a home may be
longer. So sockets are named relative to their folder, which is the current
directory for that one call. Standard library only: the hook process imports this.
"""

import _socket
import sys
import time

if sys.platform == "win32":
    import os
else:
    import posix as os  # what `os` adds costs a hook an eighth of its time

KICK = "kick.sock"
ASK = "ask.sock"


def kick(folder: str, message: bytes) -> bool:
    """
    Send the worker a datagram: there is something in the spool.

    False when nobody listens. A full queue is as good as sent: the worker has
    that many reasons to look already.
    """
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_DGRAM)
    try:
        sock.setblocking(False)
        _inside(folder, sock.connect, KICK)
        sock.send(message)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        sock.close()
    return True


def call(folder: str) -> "_socket.socket | None":
    """
    Connect to the worker for a question to come: it wakes up meanwhile. Never waits.

    None when nobody listens, when its queue is full, and where that would take a change
    of the current directory.
    """
    path = folder + "/" + ASK
    if not _is_short(path):
        return None
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.connect(path)
    except OSError:
        sock.close()
        return None
    return sock


def ask(
    folder: str, request: bytes, deadline_s: float, line: "_socket.socket | None" = None
) -> bytes | None:
    """
    Send the worker a request and return its whole reply. *line*: what `call` returned.

    None when nobody listens, when the reply is not whole by the deadline, or
    when it is cut short: a worker that died is told from one with nothing to say.
    """
    sock = line or _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        until = time.monotonic() + deadline_s
        sock.settimeout(deadline_s)
        if line is None:
            _inside(folder, sock.connect, ASK)
        _send_all(sock, frame(request), until)
        return _receive(sock, until)
    except OSError:
        return None
    finally:
        sock.close()


def frame(body: bytes) -> bytes:
    """Return a body as sent: its length in decimal, a line feed, the bytes."""
    return b"%d\n%b" % (len(body), body)


def unframe(data: bytes) -> bytes | None:
    """Return the body of a whole frame, None while it is not whole."""
    head, feed, body = data.partition(b"\n")
    if not feed or not head.isdigit() or len(body) < int(head):
        return None
    return body[: int(head)]


def _receive(sock: _socket.socket, until: float) -> bytes | None:
    data = b""
    _wait_no_longer(sock, until)
    while piece := sock.recv(1 << 16):
        data += piece
        body = unframe(data)
        if body is not None:
            return body
        _wait_no_longer(sock, until)
    return None


def _send_all(sock: _socket.socket, data: bytes, until: float) -> None:
    rest = memoryview(data)
    while rest:
        _wait_no_longer(sock, until)
        rest = rest[sock.send(rest) :]


def _wait_no_longer(sock: _socket.socket, until: float) -> None:
    """Let the next call take what is left of the time. Raises TimeoutError when none is."""
    left_s = until - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    sock.settimeout(left_s)


def _is_short(path: str) -> bool:
    return len(path.encode(errors="surrogateescape")) < 100  # noqa: PLR2004 - see above


def _inside(folder: str, call: "Callable[[str], object]", name: str) -> None:
    path = folder + "/" + name
    if _is_short(path):
        call(path)
        return
    try:
        here = os.open(".", os.O_RDONLY)
    except OSError:
        here = -1  # a folder that was deleted, or may not be read: no way back, none is needed
    try:
        os.chdir(folder)
        call(name)
    finally:
        if here >= 0:
            os.fchdir(here)
            os.close(here)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

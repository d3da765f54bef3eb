"""
Read one JSON object from stdin, without parsing it.

Standard library only: the hook process imports this.
"""

import select
import sys
import time

if sys.platform == "win32":
    import os
else:
    import posix as os  # what `os` adds costs a hook an eighth of its time

STDIN_WAIT_S = 1.5
"""Most that stdin may take to bring one whole object."""
STDIN_MAX_BYTES = 64_000_000


def read_stdin(fd: int, wait_s: float = STDIN_WAIT_S) -> tuple[bytes, str]:
    """
    Return stdin's bytes and what was wrong with them ("" when nothing was).

    Stops at end of file, or as soon as a whole object has arrived: some hosts
    leave the pipe open. A half one is given up after `wait_s`.
    """
    data = b""
    until = time.monotonic() + wait_s
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while len(data) <= STDIN_MAX_BYTES:
        left_s = until - time.monotonic()
        if left_s <= 0 or not poll.poll(left_s * 1000):
            return data, f"timed out after {wait_s:g} s with {len(data)} bytes"
        piece = os.read(fd, 1 << 20)
        data = data + piece if data else piece
        if not piece or is_whole(data):
            return data, ""
    return data, f"more than {STDIN_MAX_BYTES} bytes"


def is_whole(data: bytes | bytearray) -> bool:
    """
    Tell whether the bytes hold at least one whole object and end outside of it.

    Works on bytes at C speed: with escapes and strings out of the way, the
    braces must balance. Whether it is valid JSON is for the decoder to say.
    """
    end = data.rstrip(b" \t\r\n")
    if not end.endswith(b"}"):
        return False
    plain = bytes(end).replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(plain.split(b'"')[::2])
    # An odd number of quotes: the last brace stands inside a string.
    if plain.count(b'"') % 2:
        return False
    return outside.count(b"{") == outside.count(b"}") and outside.count(b"[") == outside.count(b"]")

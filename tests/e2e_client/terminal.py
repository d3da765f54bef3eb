"""The client as a person sees it: in a pseudo-terminal, with keys and a screen."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from tests.e2e_client.client import KEY, Client, kill_group
from tests.e2e_client.world import wait_until

ESCAPES: Final = re.compile(rb"\x1b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)")
READY: Final = "❯"
QUIET_S: Final = 0.8
"""A busy client draws its spinner several times a second."""
ROWS, COLUMNS = 50, 160


class Terminal:
    """A running client; everything it has drawn so far is its screen."""

    def __init__(self, process: "subprocess.Popen[bytes]", keys: int) -> None:
        self._process = process
        self._keys = keys
        self._drawn = b""
        self._drawn_at = time.monotonic()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, words: str) -> None:
        """Wait until words were drawn, however they were spaced out."""
        wanted = "".join(words.split())
        wait_until(lambda: wanted in self.screen)

    @property
    def screen(self) -> str:
        """What was drawn, without escapes and spaces."""
        plain = ESCAPES.sub(b"", self._drawn).decode(errors="replace")
        return "".join(plain.split())

    def enter(self, line: str) -> None:
        """
        Type a line when the client is idle; once it stands there, the return key.

        What is typed during a turn is put off and may be joined with the next line,
        and a return that comes with the line would count as pasted.
        """
        wait_until(lambda: time.monotonic() - self._drawn_at > QUIET_S)
        before = self.screen.count("".join(line.split()))
        os.write(self._keys, line.encode())
        wait_until(lambda: self.screen.count("".join(line.split())) > before)
        os.write(self._keys, b"\r")

    def leave(self) -> int:
        """Enter `/exit` and return the exit code."""
        self.enter("/exit")
        return self._process.wait()

    def _read(self) -> None:
        with suppress(OSError):
            while data := os.read(self._keys, 65_536):
                self._drawn += data
                self._drawn_at = time.monotonic()


@contextmanager
def interactive(client: Client) -> Iterator[Terminal]:
    """Start the client with a person who has been there before and trusts the project."""
    (client.config / ".claude.json").write_text(
        json.dumps(
            {
                "hasCompletedOnboarding": True,
                "theme": "dark",
                "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
                "projects": {str(client.project): {"hasTrustDialogAccepted": True}},
            }
        ),
        encoding="utf-8",
    )
    keys, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        [str(client.binary), "--permission-mode", "acceptEdits", *client.plugin_arguments],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env={**client.environ, "TERM": "xterm-256color"},
        cwd=client.project,
        start_new_session=True,
    )
    os.close(screen)
    try:
        terminal = Terminal(process, keys)
        terminal.wait_for(READY)
        yield terminal
    finally:
        kill_group(process)
        process.wait()
        os.close(keys)

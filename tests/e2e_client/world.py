"""The product under the real client: installed, looked into, stopped by its process id."""

import fcntl
import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from runtime.paths import Home
from tests.e2e_client.client import Client
from tests.processes import Product

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PATIENCE_S: Final = 20


class World:
    """A client, and the home that its hooks write to."""

    def __init__(self, client: Client, home: Path) -> None:
        self.client = client
        self.home = Home(str(home))
        self.product = Product(home)
        client.environ["OBOEGAKI_HOME"] = str(home)

    def install_as_settings(self, *options: str) -> None:
        """Register this environment's hooks in the user's settings, the way a person does."""
        self._in_settings("install", *options)

    def uninstall(self) -> None:
        """Take the hooks out of the settings again."""
        self._in_settings("uninstall")

    def install_as_plugin(self, root: Path = ROOT) -> None:
        """Have the client load the plugin from its folder."""
        self.client.plugin = root

    def settle(self) -> None:
        """Have everything that was captured stored, and the worker gone."""
        pid = self.worker()
        if pid is not None:
            os.kill(pid, signal.SIGTERM)
            wait_until(lambda: not _is_alive(pid))
        assert os.listdir(self.home.spool) == []

    def worker(self) -> int | None:
        """Return the worker's process id once it serves, None when none runs."""
        if not self._is_held():
            return None
        state = Path(self.home.run, "worker.json")
        wait_until(lambda: state.exists() and _is_alive(_pid(state)))
        return _pid(state)

    def kill_worker(self) -> None:
        """Kill the worker the hard way, while it serves."""
        pid = self.worker()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not _is_alive(pid))

    @contextmanager
    def hung_worker(self) -> Iterator[None]:
        """Have the worker stand still, with its sockets open, for the length of the block."""
        pid = self.worker()
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def memories(self, source: str = "session") -> list[str]:
        """Return the contents of the memories of a source, oldest first."""
        with closing(sqlite3.connect(f"file:{self.home.database}?mode=ro", uri=True)) as connection:
            rows = connection.execute(
                "SELECT content FROM memories WHERE source = ? ORDER BY id", (source,)
            )
            return [str(content) for (content,) in rows]

    def events(self) -> list[str]:
        """Return the names of all events, in order."""
        return [event["name"] for event in self.product.command("events", "--json").json]

    def _in_settings(self, *command: str) -> None:
        ran = self.product.command(
            *command,
            environ={"CLAUDE_CONFIG_DIR": str(self.client.config)},
            cwd=self.client.project,
        )
        assert ran.code == 0, ran.err

    def _is_held(self) -> bool:
        """Tell whether somebody has the right to handle the spool."""
        try:
            lock = os.open(self.home.drain_lock, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False


def wait_until(holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Look again and again: other processes have nothing that could be waited on."""
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)


def processes_about(folder: Path) -> list[str]:
    """Return the command lines of living processes that name a folder (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if str(folder) in line:
                found.append(line)
    return found


def _pid(state: Path) -> int:
    try:
        return int(json.loads(state.read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError):
        return 0


def _is_alive(pid: int) -> bool:
    # Of a dead process that nobody has waited for, an entry without a command line stays.
    try:
        return pid > 0 and Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except OSError:
        return False

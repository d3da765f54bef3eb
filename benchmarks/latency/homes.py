"""A home under measurement: when its worker is at rest, gone, and what it has handled."""

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from runtime.locks import try_lock, unlock
from runtime.paths import Home
from runtime.worker.spawn import clear_starts

PATIENCE_S: Final = 60.0
LOOK_EVERY_S: Final = 0.002
SETTLE_S: Final = 0.005
"""After the last spool file went, the worker still writes a line to its log."""
LOCKED: Final = b"database is locked"


class Bench:
    """One home and the events that were sent to it."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(str(folder))
        self.sent: list[str] = []
        """Session ids, one per event."""

    def wait_until_drained(self) -> None:
        """Wait until every event is committed. Raises TimeoutError."""
        self._wait(lambda: not os.listdir(self.home.spool), "the spool is not emptied")
        time.sleep(SETTLE_S)

    def wait_until_served(self) -> None:
        """Wait until a worker listens and has answered for what lies in the spool."""
        self._wait(lambda: self._worker_pid() > 0, "no worker has started")
        self.wait_until_drained()

    def wait_until_prepared(self) -> None:
        """Wait until the worker has left answers for a session that starts without it."""
        path = os.path.join(self.home.run, "prepared")
        self._wait(lambda: os.path.exists(path), "nothing has been prepared")

    def kill_worker(self) -> None:
        """Kill the worker and wait until it is gone; its sockets stay, as they would."""
        pid = self._worker_pid()
        if not pid:
            return
        lock = try_lock(self.home.drain_lock)
        if lock is None:  # so it lives, and the number is its own
            os.kill(pid, signal.SIGKILL)
            self._wait(self._is_free, "the worker does not end")
        else:
            unlock(lock)
        Path(self.home.run, "worker.json").unlink(missing_ok=True)
        # Killed again and again, it would be taken for a worker that crashes.
        clear_starts(self.home.run)

    def _worker_pid(self) -> int:
        try:
            with open(os.path.join(self.home.run, "worker.json"), "rb") as file:
                pid: int = json.load(file)["pid"]
        except (FileNotFoundError, ValueError):  # not yet, or being written
            return 0
        return pid

    def _is_free(self) -> bool:
        lock = try_lock(self.home.drain_lock)
        if lock is not None:
            unlock(lock)
        return lock is not None

    def _wait(self, is_so: Callable[[], bool], problem: str) -> None:
        until = time.monotonic() + PATIENCE_S
        while not is_so():
            if time.monotonic() > until:
                raise TimeoutError(f"{problem} in {self.home.root}")
            time.sleep(LOOK_EVERY_S)

    def count_lost_and_doubled(self) -> tuple[int, int]:
        """Return how many of the events sent were handled never, and more than once."""
        with closing(sqlite3.connect(f"file:{self.home.database}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT session_id, count(*) FROM events GROUP BY 1")
            counts: dict[str, int] = dict(rows.fetchall())
        lost = sum(session not in counts for session in self.sent)
        return lost, sum(counts.get(session, 0) > 1 for session in self.sent)

    def count_locked(self) -> int:
        """Return how often the logs speak of a locked database."""
        folder = Path(self.home.logs)
        return sum(path.read_bytes().count(LOCKED) for path in folder.glob("*") if path.is_file())

"""Worker processes that tests have started: find them, end them."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
MARK: Final = "runtime.worker.main"
PATIENCE_S: Final = 30.0
"""A hang fails the test; nothing is measured with it."""
LOOK_S: Final = 0.01


def workers_below(folder: Path) -> list[int]:
    """Return the processes of workers whose home lies at or below a folder."""
    return [pid for pid, words in _commands() if MARK in words and f"{folder}" in words]


def stop_workers_below(folder: Path) -> None:
    """End them; those that do not leave by themselves fail the test."""
    for pid in workers_below(folder):
        _send(pid, signal.SIGCONT)
        _send(pid, signal.SIGTERM)
    try:
        until(lambda: not workers_below(folder))
    finally:
        for pid in workers_below(folder):
            _send(pid, signal.SIGKILL)


def until(is_so: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait for what another process brings about; fail when it does not come."""
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(LOOK_S)


def has_ended(pid: int) -> bool:
    """Tell whether a killed process is gone with all its threads, and so with its files."""
    if not PROC.is_dir():
        return not _send(pid, 0)
    try:
        stats = [(task / "stat").read_bytes() for task in (PROC / str(pid) / "task").iterdir()]
    except OSError:
        return not (PROC / str(pid)).exists()
    return all(stat.rpartition(b")")[2].split()[0] in b"ZX" for stat in stats)


def _commands() -> list[tuple[int, str]]:
    """Return every process with its command line."""
    if not PROC.is_dir():
        listed = subprocess.run(
            ["ps", "-axo", "pid=,stat=,command="], capture_output=True, check=True
        ).stdout.decode(errors="surrogateescape")
        lines = [line.split(None, 2) for line in listed.splitlines()]
        return [(int(pid), words) for pid, state, words in lines if not state.startswith("Z")]
    found = []
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes()  # empty for one that has ended
            except OSError:
                continue
            found.append((int(folder.name), os.fsdecode(words.replace(b"\0", b" "))))
    return found


def _send(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True

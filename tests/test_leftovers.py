"""The guard against processes that outlive the tests sees them."""

import sys
from pathlib import Path
from subprocess import DEVNULL, Popen

from tests.leftovers import has_ended, stop_workers_below, until, workers_below

WAITS = "import signal; signal.pause()  # runtime.worker.main"


def test_a_worker_below_a_folder_is_found_and_ended(tmp_path: Path) -> None:
    """By its command line, which names its home; others are left alone."""
    homes = [tmp_path / "a" / "home", tmp_path / "b" / "home"]
    processes = [
        Popen([sys.executable, "-I", "-S", "-c", WAITS, str(home)], stderr=DEVNULL)
        for home in homes
    ]
    until(lambda: len(workers_below(tmp_path)) == 2)
    stop_workers_below(tmp_path / "a")

    assert workers_below(tmp_path) == [processes[1].pid]
    stop_workers_below(tmp_path)
    assert [process.wait() < 0 for process in processes] == [True, True]
    assert all(has_ended(process.pid) for process in processes)

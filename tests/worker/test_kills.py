"""Whatever is killed, whenever: what was accepted is handled exactly once."""

import os
import random
import signal
import time
from pathlib import Path
from subprocess import DEVNULL

import pytest

from runtime.spool import event_id
from tests.leftovers import has_ended, until
from tests.worker.hooks import Hooks, Process, assert_once, written

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("victims", "seed", "kills", "longest_s"),
    [
        pytest.param(("hook",), 1, 90, 0.05, id="hooks"),
        pytest.param(("hook",), 2, 90, 0.02, id="hooks early"),
        pytest.param(("worker",), 3, 40, 0.4, id="workers"),
        pytest.param(("worker",), 4, 40, 0.1, id="workers early"),
        pytest.param(("hook", "worker"), 5, 40, 0.1, id="both"),
        pytest.param(("worker", "hook"), 6, 40, 0.3, id="both late"),
    ],
)
def test_kills_lose_and_double_nothing(
    hooks: Hooks, victims: tuple[str, ...], seed: int, kills: int, longest_s: float
) -> None:
    """An event counts as accepted when its hook has ended by itself or its file was seen."""
    chance = random.Random(seed)
    accepted, number = {"first"}, 0
    killed: list[int] = []
    hooks.run(written("first"))
    while len(killed) < kills:
        number += 1
        assert number < 10 * kills, "the kills come too late"
        marker = f"kill-{number}"
        process = hooks.start(written(marker), stdout=DEVNULL, stderr=DEVNULL)
        # A random moment is what this is about: nothing waits for it to be long enough.
        time.sleep(chance.uniform(0, longest_s))
        for victim in victims:
            killed += kill(hooks, process, victim)
        if process.wait() == 0 or seen(hooks, process):
            accepted.add(marker)
        # So many workers that die would pass for a crash loop, and no other be started.
        (Path(hooks.home.run) / "starts").unlink(missing_ok=True)

    until(lambda: all(has_ended(pid) for pid in killed))
    hooks.run(written("last"))
    hooks.drained()

    assert_once(hooks, [*accepted, "last"])


def kill(hooks: Hooks, process: Process, victim: str) -> list[int]:
    """SIGKILL the hook or its worker; return which process it was, [] when none was left."""
    pids = hooks.workers if victim == "worker" else [process.pid]
    if not pids or (victim == "hook" and process.poll() is not None):
        return []
    try:
        os.kill(pids[0], signal.SIGKILL)
    except ProcessLookupError:
        return []
    return pids[:1]


def seen(hooks: Hooks, process: Process) -> bool:
    """Tell whether the event of a dead hook lies in the spool: its name ends in the process."""
    return any(event_id(name).endswith(f"-{process.pid}") for name in hooks.spooled())

"""Many sessions at work: 64 hooks at a time."""

from subprocess import DEVNULL

import pytest

from tests.worker.hooks import PATIENCE_S, Hooks, Process, assert_once, written

pytestmark = pytest.mark.process

AT_ONCE = 64
EVENTS = 500


def test_a_crowd_loses_nothing_and_locks_nobody_out(hooks: Hooks) -> None:
    """Every hook exits 0, every event is handled once, and the database is never locked."""
    markers = [f"crowd-{number}" for number in range(EVENTS)]
    running: list[Process] = []
    codes = []
    for marker in markers:
        if len(running) == AT_ONCE:
            codes.append(running.pop(0).wait(PATIENCE_S))
        running.append(hooks.start(written(marker), stdout=DEVNULL, stderr=DEVNULL))
    codes += [process.wait(PATIENCE_S) for process in running]
    hooks.drained()

    assert set(codes) == {0}
    assert len(hooks.logged("worker_started")) == 1
    assert [line for line in hooks.logged() if line["level"] in ("warning", "error")] == []
    assert_once(hooks, markers)

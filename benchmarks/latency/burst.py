"""Many hooks at once: how long each waits, and whether every event is handled once."""

import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.latency.homes import Bench
from benchmarks.latency.spawn import Job, Spawner
from benchmarks.latency.variants import Stage
from benchmarks.latency.world import write_json

BURSTS: Final = {1: 256, 8: 50, 32: 20, 64: 11}
"""Processes at once: how many times. 2,000 events in all."""
GOALS: Final = {64: 75.0}
BARE_RUNS: Final = 40


class Burst(NamedTuple):
    """What a process takes among so many."""

    at_once: int
    events: int
    p50: float
    """Ratio to a `python -c pass` that has the machine for itself, wall."""
    p99: float
    p50_ms: float
    p99_ms: float
    goal: float | None


def measure(stage: Stage, spawner: Spawner, bench: Bench, scale: float = 1.0) -> list[Burst]:
    """
    Return the results per size of a burst.

    Bursts follow each other without waiting for the worker, which has to keep
    up beside them. `scale` shortens it all.
    """
    bare_ms = statistics.median(spawner.run(stage.baseline()).wall_ms for _ in range(BARE_RUNS))
    found = []
    for at_once, times in BURSTS.items():
        took_ms: list[float] = []
        for _ in range(max(1, round(times * scale))):
            took = spawner.burst(list(_jobs(stage, bench, at_once)))
            if any(process.code for process in took):
                raise RuntimeError(f"a hook among {at_once} ended with an exit code")
            took_ms += [process.wall_ms for process in took]
        bench.wait_until_drained()
        found.append(_burst(at_once, took_ms, bare_ms))
    return found


def _jobs(stage: Stage, bench: Bench, at_once: int) -> Iterator[Job]:
    for number in range(at_once):
        stage.count += 1
        session = f"s{stage.count}"
        path = Path(stage.folder, f"stdin-{number}")
        write_json(path, stage.write(session))
        bench.sent.append(session)
        command = stage.commands["PostToolUse"]
        yield Job(command, stage.environ(bench), path, Path("/dev/null"))


def _burst(at_once: int, took_ms: Sequence[float], bare_ms: float) -> Burst:
    centiles = statistics.quantiles(took_ms, n=100, method="inclusive")
    p50_ms, p99_ms = centiles[49], centiles[98]
    return Burst(
        at_once,
        len(took_ms),
        p50_ms / bare_ms,
        p99_ms / bare_ms,
        p50_ms,
        p99_ms,
        GOALS.get(at_once),
    )

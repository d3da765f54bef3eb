"""The results as a table for people and as a summary to keep."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.latency.burst import Burst
from benchmarks.latency.install import Installed
from benchmarks.latency.measure import Measured
from benchmarks.machine import describe


class Counted(NamedTuple):
    """What became of all events that were sent."""

    events: int
    lost: int
    doubled: int
    locked: int
    """Lines in the logs about a locked database."""


class Results(NamedTuple):
    """One run of the benchmark."""

    machine: dict[str, Any]
    rounds: int
    singles: Sequence[Measured]
    bursts: Sequence[Burst]
    counted: Counted


def machine(installed: Installed, *, rss_is_true: bool) -> dict[str, Any]:
    """Describe the machine without naming it."""
    return {**describe(), "rss_is_true": rss_is_true, **installed.versions()}


def table(results: Results) -> Iterator[str]:
    """Give the lines of the table."""
    yield "  ".join(f"{key}={value}" for key, value in results.machine.items())
    yield (
        f"{results.rounds} rounds; x is the paired ratio to `python -c pass` (25-75 %);"
        " on a busy machine trust the CPU's"
    )
    yield ""
    yield f"{'hook':36}{'x wall':>21}{'x CPU':>21}{'ms':>7}{'CPU ms':>8}{'MB':>6}  goal"
    for single in results.singles:
        wall, cpu = (
            f"{spread.median:6.2f} ({spread.low:5.2f}-{spread.high:5.2f})"
            for spread in (single.wall, single.cpu)
        )
        yield (
            f"{single.name:36}{wall:>21}{cpu:>21}{single.wall_ms:7.1f}{single.cpu_ms:8.1f}"
            f"{single.rss_mb:6.1f}  {_marks(single)}"
        )
    yield ""
    yield from filter(None, map(_compared, results.singles))
    yield ""
    for burst in results.bursts:
        yield (
            f"{burst.at_once:3} at once, {burst.events:4} events: p50 {burst.p50:6.1f}x"
            f" ({burst.p50_ms:.0f} ms), p99 {burst.p99:6.1f}x ({burst.p99_ms:.0f} ms)"
            f"  {_mark(burst.p99, burst.goal)}"
        )
    count = results.counted
    yield (
        f"{count.events} events: {count.lost} lost, {count.doubled} doubled,"
        f" {count.locked} times `database is locked`"
    )


def _compared(single: Measured) -> str:
    if single.added is None or single.added_cpu is None:
        return ""
    wall, cpu = (
        f"{spread.median:+.2f} ({spread.low:+.2f} to {spread.high:+.2f})"
        for spread in (single.added, single.added_cpu)
    )
    mark = ""
    if single.may_add is not None:
        met = "met" if single.added_cpu.median <= single.may_add else "MISSED"
        mark = f"  {_mark(single.added.median, single.may_add)}, by CPU {met}"
    return f"{single.name}: {wall}, CPU {cpu} to {single.beside}{mark}"


def _marks(single: Measured) -> str:
    if single.goal is None:
        return ""
    mark = _mark(single.wall.median, single.goal)
    if single.waits:
        return mark
    return f"{mark}, by CPU {'met' if single.cpu.median <= single.goal else 'MISSED'}"


def _mark(value: float, goal: float | None) -> str:
    return "" if goal is None else f"<= {goal:g} {'met' if value <= goal else 'MISSED'}"


def write(path: Path, results: Results) -> None:
    """Keep the summary."""
    document = {
        "machine": results.machine,
        "rounds": results.rounds,
        "hooks": [_single(single) for single in results.singles],
        "bursts": [_burst(burst) for burst in results.bursts],
        "events": results.counted._asdict(),
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _single(single: Measured) -> dict[str, Any]:
    return {
        "name": single.name,
        "wall_ratio": _rounded(single.wall),
        "cpu_ratio": _rounded(single.cpu),
        "wall_ms": round(single.wall_ms, 1),
        "cpu_ms": round(single.cpu_ms, 1),
        "rss_mb": round(single.rss_mb, 1),
        "rss_ratio": round(single.rss_ratio, 2),
        "answer_bytes": single.answer_bytes,
        **_met(single.wall.median, single.goal),
        **_met_by_cpu(single),
        **_difference(single),
    }


def _burst(burst: Burst) -> dict[str, Any]:
    return {
        "at_once": burst.at_once,
        "events": burst.events,
        "p50_ratio": round(burst.p50, 1),
        "p99_ratio": round(burst.p99, 1),
        "p50_ms": round(burst.p50_ms),
        "p99_ms": round(burst.p99_ms),
        **_met(burst.p99, burst.goal),
    }


def _met(value: float, goal: float | None) -> dict[str, Any]:
    return {} if goal is None else {"goal": goal, "is_met": value <= goal}


def _met_by_cpu(single: Measured) -> dict[str, bool]:
    if single.goal is None or single.waits:
        return {}
    return {"is_met_by_cpu": single.cpu.median <= single.goal}


def _difference(single: Measured) -> dict[str, Any]:
    if single.added is None or single.added_cpu is None:
        return {}
    found = {
        "beside": single.beside,
        "added_ratio": _rounded(single.added),
        "added_cpu_ratio": _rounded(single.added_cpu),
    }
    if single.may_add is None:
        return found
    return found | {
        "may_add": single.may_add,
        "adds_no_more": single.added.median <= single.may_add,
        "adds_no_more_by_cpu": single.added_cpu.median <= single.may_add,
    }


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 2) for value in values]

"""The results as a table for people and as a summary to keep."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.indexing.measure import Scaled, Timed


class Results(NamedTuple):
    """One run of the benchmark."""

    machine: dict[str, Any]
    rounds: int
    timed: Sequence[Timed]
    scaled: Sequence[Scaled]


def table(results: Results) -> Iterator[str]:
    """Give the lines of the table."""
    yield "  ".join(f"{key}={value}" for key, value in results.machine.items())
    yield f"{results.rounds} rounds; x: how many times longer memory_system's way took"
    yield ""
    yield f"{'3,000 sections in 300 files':30}{'ms':>9}{'CPU ms':>9}{'theirs ms':>11}{'x':>8}  goal"
    for timed in results.timed:
        yield (
            f"{timed.name:30}{timed.ours_s * 1e3:9.1f}{timed.ours_cpu_s * 1e3:9.1f}"
            f"{timed.theirs_s * 1e3:11.1f}{timed.ratio:8.1f}"
            f"  {timed.goal_s * 1e3:g} ms {'met' if is_met(timed) else 'MISSED'}"
        )
    if results.scaled:
        yield ""
        yield f"{'sections':>10}{'MB':>8}{'first s':>9}{'s/MB':>7}{'then ms':>10}{'us/file':>9}"
    for scaled in results.scaled:
        per = rates(scaled)
        yield (
            f"{scaled.sections:10,}{scaled.size_bytes / 1e6:8.1f}{scaled.first_s:9.2f}"
            f"{per['first_s_per_mb']:7.3f}{scaled.unchanged_s * 1e3:10.1f}"
            f"{per['unchanged_us_per_file']:9.1f}  batches {scaled.batch_s * 1e3:.0f} ms"
        )


def is_met(timed: Timed) -> bool:
    """Tell whether it took no longer than it may."""
    return timed.ours_s <= timed.goal_s


def rates(scaled: Scaled) -> dict[str, float]:
    """Return what should stay the same however many notes there are."""
    return {
        "first_s_per_mb": round(scaled.first_s / scaled.size_bytes * 1e6, 3),
        "unchanged_us_per_file": round(scaled.unchanged_s / scaled.files * 1e6, 1),
    }


def write(path: Path, results: Results) -> None:
    """Keep the summary."""
    document = {
        "machine": results.machine,
        "rounds": results.rounds,
        "steps": [{**_rounded(timed), "is_met": is_met(timed)} for timed in results.timed],
        "scales": [{**_rounded(scaled), **rates(scaled)} for scaled in results.scaled],
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _rounded(values: Timed | Scaled) -> dict[str, Any]:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in values._asdict().items()
    }

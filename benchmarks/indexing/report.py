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
    yield (
        f"{'3,000 sections in 300 files':30}{'ms':>9}{'CPU ms':>9}{'theirs ms':>11}{'x':>7}"
        f"{'x CPU':>7}  goal"
    )
    for timed in results.timed:
        yield (
            f"{timed.name:30}{timed.ours_s * 1e3:9.1f}{timed.ours_cpu_s * 1e3:9.1f}"
            f"{timed.theirs_s * 1e3:11.1f}{timed.ratio:7.1f}{timed.cpu_ratio:7.1f}"
            f"  {_marks(timed)}"
        )
    if results.scaled:
        yield ""
        yield (
            f"{'sections':>10}{'MB':>8}{'first s':>9}{'CPU s/MB':>10}{'then ms':>9}"
            f"{'CPU us/file':>13}{'batch ms':>10}"
        )
    for scaled in results.scaled:
        per = rates(scaled)
        yield (
            f"{scaled.sections:10,}{scaled.size_bytes / 1e6:8.1f}{scaled.first_s:9.2f}"
            f"{per['first_cpu_s_per_mb']:10.3f}{scaled.unchanged_s * 1e3:9.1f}"
            f"{per['unchanged_cpu_us_per_file']:13.1f}{scaled.batch_s * 1e3:10.0f}"
        )


def _marks(timed: Timed) -> str:
    met = "met" if timed.ours_s <= timed.goal_s else "MISSED"
    by_cpu = "met" if timed.ours_cpu_s <= timed.goal_s else "MISSED"
    return f"{timed.goal_s * 1e3:g} ms {met}, by CPU {by_cpu}"


def rates(scaled: Scaled) -> dict[str, float]:
    """Return what should stay the same however many notes there are."""
    return {
        "first_cpu_s_per_mb": round(scaled.first_cpu_s / scaled.size_bytes * 1e6, 3),
        "unchanged_cpu_us_per_file": round(scaled.unchanged_cpu_s / scaled.files * 1e6, 1),
    }


def write(path: Path, results: Results) -> None:
    """Keep the summary."""
    document = {
        "machine": results.machine,
        "rounds": results.rounds,
        "steps": [{**_rounded(timed), **_met(timed)} for timed in results.timed],
        "scales": [{**_rounded(scaled), **rates(scaled)} for scaled in results.scaled],
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _met(timed: Timed) -> dict[str, bool]:
    return {
        "is_met": timed.ours_s <= timed.goal_s,
        "is_met_by_cpu": timed.ours_cpu_s <= timed.goal_s,
    }


def _rounded(values: Timed | Scaled) -> dict[str, Any]:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in values._asdict().items()
    }

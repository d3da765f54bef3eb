"""
How long a hook process takes, compared with an interpreter that does nothing.

Whole processes of an installed wheel, started as Claude Code starts them, each
beside `python -c pass` of the same environment: the ratio holds on a busy
machine, milliseconds do not. Exits 1 only when an event was lost or doubled.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.latency import burst, measure, report
from benchmarks.latency.install import ROOT, installed
from benchmarks.latency.report import Counted, Results
from benchmarks.latency.spawn import Spawner
from benchmarks.latency.variants import Stage, Variant, compared, naive, variants

RESULTS: Final = ROOT / "benchmarks" / "results" / "hook_latency.json"
SHORTEST_ROUNDS: Final = 2


def main() -> int:
    """Measure, print, keep the summary."""
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="hooks-"))
    try:
        results = _measured(folder, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(report.table(results)))
    if not options.only:
        report.write(options.json, results)
    return 1 if results.counted.lost or results.counted.doubled else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench latency", description=__doc__)
    parser.add_argument("--rounds", type=int, default=40, help="rounds of each hook (40)")
    parser.add_argument(
        "--only", default="", help="only hooks whose name holds this; keeps nothing"
    )
    parser.add_argument(
        "--bursts", type=float, default=1.0, help="share of the 2,000 events at once"
    )
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the summary is kept")
    options = parser.parse_args()
    options.rounds = max(SHORTEST_ROUNDS, options.rounds)
    return options


def _measured(folder: Path, options: argparse.Namespace) -> Results:
    environment = installed()
    stage = Stage(environment, folder)
    spawner = Spawner(environment.folder, folder)
    machine = report.machine(environment, rss_is_true=spawner.rss_is_true)
    chosen = _chosen([*variants(stage), *compared(stage), naive(stage)], options.only)
    try:
        _make_ready(stage, spawner)
        singles = measure.measure(stage, spawner, chosen, options.rounds)
        bursts = []
        if options.bursts and not options.only:
            bursts = burst.measure(stage, spawner, stage.benches["warm"], options.bursts)
    finally:
        for bench in stage.benches.values():
            bench.kill_worker()
        spawner.close()
    return Results(machine, options.rounds, singles, bursts, _counted(stage))


def _chosen(found: Sequence[Variant], word: str) -> list[Variant]:
    """Return the variants whose name holds the word, and those that they are compared with."""
    beside = {variant.beside for variant in found if word in variant.name}
    return [variant for variant in found if word in variant.name or variant.name in beside]


def _make_ready(stage: Stage, spawner: Spawner) -> None:
    """Start the workers, and let each home see its transcript and its notes once."""
    ready = {variant.bench: variant for variant in variants(stage) if variant.worker != "none"}
    for bench, variant in ready.items():
        if variant.worker != "cold":
            stop = Variant("", stage.commands["Stop"], bench, stage.stop)
            spawner.run(stage.job(stop))
            bench.wait_until_served()
            bench.wait_until_prepared()
        if variant.worker == "away":
            bench.kill_worker()


def _counted(stage: Stage) -> Counted:
    """Count over all homes; the naive hook keeps no events of ours."""
    benches = [bench for name, bench in stage.benches.items() if name != "naive" and bench.sent]
    lost, doubled = zip(*(bench.count_lost_and_doubled() for bench in benches), strict=True)
    return Counted(
        sum(len(bench.sent) for bench in benches),
        sum(lost),
        sum(doubled),
        sum(bench.count_locked() for bench in benches),
    )


if __name__ == "__main__":
    sys.exit(main())

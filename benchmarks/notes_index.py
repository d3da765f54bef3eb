"""
How long indexing takes, beside memory_system's way on the same files.

First index, an unchanged one, and one of an edited file, by turns in one process:
the ratio holds on a busy machine, milliseconds do not. Then ours alone with up to
100,000 sections: time per byte and per file should stay the same.
"""

import argparse
import platform
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Final

import anyio

from benchmarks.indexing import measure, report
from benchmarks.indexing.report import Results
from benchmarks.machine import describe

RESULTS: Final = Path(__file__).resolve().parent / "results" / "notes_index.json"


def main() -> int:
    """Measure, print, keep the summary."""
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="notes-"))
    try:
        results = anyio.run(_measured, folder, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(report.table(results)))
    if options.scales:
        report.write(options.json, results)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench index", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of both ways (5)")
    parser.add_argument(
        "--no-scales",
        dest="scales",
        action="store_false",
        help="3,000 sections only; keeps nothing",
    )
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the summary is kept")
    options = parser.parse_args()
    options.rounds = max(1, options.rounds)
    return options


async def _measured(folder: Path, options: argparse.Namespace) -> Results:
    machine = {
        **describe(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    timed = await measure.compare(folder, options.rounds)
    sizes = measure.SCALES if options.scales else ()
    scaled = [await measure.scale(folder, sections) for sections in sizes]
    return Results(machine, options.rounds, timed, scaled)


if __name__ == "__main__":
    sys.exit(main())

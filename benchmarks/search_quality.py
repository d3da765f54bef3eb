"""
How much of what a query asks for is on the first page of ten, beside other engines.

Sets of questions with known answers; the same run asks this project, the
system whose contract it keeps, and FTS5 as it comes. Deterministic: the clock
plays no part.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from anyio.from_thread import BlockingPortal, start_blocking_portal

from benchmarks.retrieval import report
from benchmarks.retrieval.encoded import Encoded, installed
from benchmarks.retrieval.engines import Bare, Engine, Product, Source, Trigram
from benchmarks.retrieval.measures import Quality, judge
from benchmarks.retrieval.sets import OWN, Set, load

RESULTS: Final = Path(__file__).parent / "results" / "search_quality.json"


def main() -> int:
    """Measure, print, keep the summary."""
    options = _options()
    sets = load(options.folder, options.only)
    if not sets:
        print(f"no set in {options.folder} whose name holds {options.only!r}", file=sys.stderr)
        return 2
    machine = report.machine()
    with start_blocking_portal() as portal:
        engines = _engines(portal, options)
        results = {
            name: {item.name: _asked(make, item) for item in sets} for name, make in engines.items()
        }
    print("\n".join(report.table(results)))
    if options.json:
        report.write(options.json, {"machine": machine, "engines": report.summary(results)})
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench quality", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=OWN, help="other sets than ours")
    parser.add_argument("--only", default="", help="only sets whose name holds this; keeps nothing")
    parser.add_argument("--alone", action="store_true", help="only this project; keeps nothing")
    parser.add_argument(
        "--encoder",
        action="append",
        choices=installed(),
        help="with the search by meaning by this encoder; without, by each that is installed;"
        " its first run takes long, the vectors are kept in .cache",
    )
    parser.add_argument("--json", type=Path, help="where the summary is kept")
    options = parser.parse_args()
    if options.folder == OWN and not options.only and not options.alone:
        options.json = options.json or RESULTS
    return options


def _engines(
    portal: BlockingPortal, options: argparse.Namespace
) -> dict[str, Callable[[Path], Engine]]:
    """Return what makes each engine in a folder, by name."""
    engines: dict[str, Callable[[Path], Engine]] = {Product.name: lambda at: Product(at, portal)}
    for encoder in options.encoder or ([] if options.alone else installed()):
        engines[f"{Product.name}, {encoder}"] = partial(Encoded, portal=portal, encoder=encoder)
    others: dict[str, Callable[[Path], Engine]] = {
        engine.name: engine for engine in (Bare, Source, Trigram)
    }
    return engines if options.alone else {**engines, **others}


def _asked(make: Callable[[Path], Engine], item: Set) -> dict[str, list[Quality]]:
    """Index a set in a database of its own and ask all its queries. Returns answers by tag."""
    answers: dict[str, list[Quality]] = {}
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        engine = make(Path(folder))
        try:
            engine.index(item.documents)
            for query in item.queries:
                found = engine.search(query.text)
                answers.setdefault(query.tag, []).append(judge(found, query))
        finally:
            engine.close()
    return answers


if __name__ == "__main__":
    sys.exit(main())

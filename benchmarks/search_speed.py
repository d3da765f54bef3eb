"""
What an index of many sections costs: to fill, on disk, and for each query.

Sections of about 265 bytes, spliced of the sentences of the sets, for this
project and the engines it is compared with. On a busy machine trust the CPU's
time; the wall's is an upper bound.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from anyio.from_thread import BlockingPortal, start_blocking_portal

from benchmarks.retrieval import report
from benchmarks.retrieval.engines import Bare, Engine, Product, Source, Trigram
from benchmarks.retrieval.sets import OWN, load
from benchmarks.retrieval.synthetic import questions, sections
from runtime.tokens.index import index_tokens

RESULTS: Final = Path(__file__).parent / "results" / "search_speed.json"
QUERIES_EACH: Final = 45
GOALS: Final = {"tokens_us": 150.0, "index_per_byte": 1.6}
"""Of this project, at 100,000 sections."""


class Cost(NamedTuple):
    """What one engine needed."""

    fill_us: float
    """CPU time a section, everything included."""
    index_per_byte: float
    """Of text; what finds it, without the text itself."""
    bytes_per_byte: float
    """Of the database with all that it knows of a section."""
    wall_p50_ms: float
    wall_p95_ms: float
    cpu_p50_ms: float
    cpu_p95_ms: float


def main() -> int:
    """Measure, print, keep the summary."""
    options = _options()
    machine = report.machine()
    sets = load(options.folder)
    documents = dict(sections(sets, options.sections))
    asked = questions(sets, QUERIES_EACH)
    tokens_us = _tokens_us(documents)
    with start_blocking_portal() as portal:
        costs = {make.name: _cost(make, portal, documents, asked) for make in _engines(options)}
    _show(machine, costs, tokens_us, documents)
    if options.json:
        report.write(
            options.json,
            {
                "machine": machine,
                "sections": len(documents),
                "tokens_us": round(tokens_us, 1),
                "engines": {name: _rounded(cost) for name, cost in costs.items()},
            },
        )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench speed", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=OWN, help="other sets than ours")
    parser.add_argument("--sections", type=int, default=10_000, help="in the store (10,000)")
    parser.add_argument("--alone", action="store_true", help="only this project; keeps nothing")
    parser.add_argument("--json", type=Path, help="where the summary is kept")
    options = parser.parse_args()
    if options.folder == OWN and not options.alone:
        options.json = options.json or RESULTS
    return options


def _engines(options: argparse.Namespace) -> Sequence[type[Engine]]:
    return [Product] if options.alone else [Product, Bare, Source, Trigram]


def _tokens_us(documents: Mapping[str, str]) -> float:
    """Return the CPU time of the tokenizer alone, a section."""
    start = time.process_time()
    for text in documents.values():
        index_tokens(text)
    return (time.process_time() - start) * 1e6 / len(documents)


def _cost(
    make: Callable[..., Engine],
    portal: BlockingPortal,
    documents: Mapping[str, str],
    asked: Sequence[str],
) -> Cost:
    text_bytes = sum(len(text.encode()) for text in documents.values())
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        engine = make(Path(folder), *([portal] if make is Product else []))
        try:
            start = time.process_time()
            engine.index(documents)
            fill_us = (time.process_time() - start) * 1e6 / len(documents)
            index, size = engine.index_bytes(), engine.size_bytes()
            walls, cpus = _times(engine, asked)
        finally:
            engine.close()
    return Cost(
        fill_us,
        index / text_bytes,
        size / text_bytes,
        *(_at(times, percent) for times in (walls, cpus) for percent in (50, 95)),
    )


def _times(engine: Engine, asked: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return the sorted wall and CPU times of each query, in milliseconds."""
    walls, cpus = [], []
    for query in asked[:3]:
        engine.search(query)
    for query in asked:
        wall, cpu = time.perf_counter(), time.process_time()
        engine.search(query)
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    return sorted(walls), sorted(cpus)


def _at(ordered: Sequence[float], percent: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def _show(
    machine: Mapping[str, Any],
    costs: Mapping[str, Cost],
    tokens_us: float,
    documents: Mapping[str, str],
) -> None:
    print("  ".join(f"{key}={value}" for key, value in machine.items()))
    print(f"{len(documents)} sections; goals at 100,000: {GOALS}")
    print(f"tokenizer alone: {tokens_us:.0f} us CPU a section\n")
    heads = ("fill us", "index/text", "db/text", "wall p50", "wall p95", "CPU p50", "CPU p95 ms")
    print(f"{'engine':20}" + "".join(f"{head:>11}" for head in heads))
    for name, cost in costs.items():
        print(f"{name:20}" + "".join(f"{value:11.2f}" for value in cost))


def _rounded(cost: Cost) -> dict[str, float]:
    return {name: round(value, 2) for name, value in cost._asdict().items()}


if __name__ == "__main__":
    sys.exit(main())

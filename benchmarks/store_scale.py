"""
What a store of up to a million records costs as it grows.

One database grows; at each size it is asked, written to, and brought together as
the worker does in a pause. A million takes a quarter of an hour; what is there already
is not made again. Beside each question the least that a ranking over the same index can
be is asked, by turns. On a busy machine trust the CPU's time and the ratios.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

import anyio

from benchmarks.retrieval import bare, report
from benchmarks.retrieval.engines import INDEX_BYTES, chunk
from benchmarks.retrieval.sets import load
from benchmarks.retrieval.synthetic import questions, sections
from runtime.query import parse
from runtime.store.chunks import Note, put_notes
from runtime.store.connection import fetch_all
from runtime.store.longterm import Origin, keep
from runtime.store.note_files import NoteFile
from runtime.store.search_hits import Question, find
from runtime.store.sqlite import open_read_only
from runtime.store.store import Store, open_store
from runtime.worker.idle import merge_indexes
from schemas.records import NewMemory

RESULTS: Final = Path(__file__).parent / "results" / "store_scale.json"
FOLDER: Final = Path(__file__).parents[1] / ".cache" / "scale"
SIZES: Final = (10_000, 100_000, 1_000_000)
BATCH: Final = 2_500
QUERIES_EACH: Final = 45
WRITES: Final = 200
TODAY: Final = "2026-11-30"
AT: Final = datetime(2026, 6, 11, tzinfo=UTC)


def main() -> int:
    """Grow, measure, print, keep the summary."""
    parser = argparse.ArgumentParser(prog="scripts/bench scale", description=__doc__)
    parser.add_argument("--sections", type=int, default=SIZES[-1], help="the largest store")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the database lies")
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the summary is kept")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    machine = report.machine()
    rows = anyio.run(_grown, options.folder / "store.db", options.sections)
    print("  ".join(f"{key}={value}" for key, value in machine.items()))
    for row in rows:
        print("\n".join(f"{name:>28} {value:12,}" for name, value in row.items()), end="\n\n")
    report.write(options.json, {"machine": machine, "sizes": rows})
    return 0


async def _grown(path: Path, largest: int) -> list[dict[str, Any]]:
    texts = sections(load(), largest)
    rows: list[dict[str, Any]] = []
    async with open_store(str(path), 5) as store:
        known = await _number(store, "SELECT count(*) FROM note_chunks")
        at = 0
        for size in [size for size in SIZES if size <= largest] or [largest]:
            part = islice(texts, size - at)
            if known >= size:
                text_bytes = sum(len(text.encode()) for _name, text in part)
                fill_us = 0.0
            else:
                fill_us, text_bytes = await _fill(store, part, size - at)
            at = size
            if known <= size:  # of a smaller one nothing can be told any more
                rows.append(await _measured(store, path, size, fill_us, text_bytes))
    return rows


async def _fill(store: Store, texts: Iterator[tuple[str, str]], count: int) -> tuple[float, int]:
    """Add sections, each a note; returns the CPU time of one in microseconds, and the bytes."""
    spent, done, size = 0.0, 0, 0
    while batch := list(islice(texts, BATCH)):
        notes = [Note(NoteFile(name, "", 1, 1), [chunk(name, text)]) for name, text in batch]
        size += sum(len(text.encode()) for _name, text in batch)
        start = time.process_time()
        async with store.transaction() as connection:
            await put_notes(connection, notes, AT, sys.maxsize)
        spent += time.process_time() - start
        done += len(batch)
        print(f"\r{done:,} of {count:,} more sections", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return spent * 1e6 / count, size


async def _measured(
    store: Store, path: Path, size: int, fill_us: float, text_bytes: int
) -> dict[str, Any]:
    row: dict[str, Any] = {"sections": size, "fill_us": round(fill_us)}
    row["added_text_bytes"] = text_bytes
    row["index_bytes"] = await _number(store, INDEX_BYTES.format("search_index"))
    row |= await _written(store)
    row |= await anyio.to_thread.run_sync(_asked, path, size, "")
    start = time.process_time()
    await merge_indexes([store], lambda: False)
    row["merge_s"] = round(time.process_time() - start, 1)
    row |= await anyio.to_thread.run_sync(_asked, path, size, "merged_")
    await fetch_all(store.connection, "PRAGMA wal_checkpoint (TRUNCATE)")
    return row | {"database_bytes": path.stat().st_size}


def _asked(path: Path, size: int, name: str) -> dict[str, float]:
    """Return the milliseconds of the questions, ours and the barest ones by turns."""
    asked = questions(load(), QUERIES_EACH)
    connection = open_read_only(str(path), 5)
    ways: dict[str, Callable[[str], object]] = {
        "": lambda query: find(connection, Question(parse(query), 10, TODAY)),
        "bare_": lambda query: bare.best(connection, "search_index", query, size),
    }
    times: dict[str, list[float]] = {}
    try:
        for query in [*asked[:5], *asked]:
            for way, ask in ways.items():
                connection.execute("BEGIN")
                wall, cpu = time.perf_counter(), time.thread_time()
                ask(query)
                times.setdefault(f"{name}{way}cpu", []).append(time.thread_time() - cpu)
                times.setdefault(f"{name}{way}wall", []).append(time.perf_counter() - wall)
                connection.execute("ROLLBACK")
    finally:
        connection.close()
    return _percentiles({key: values[5:] for key, values in times.items()})


async def _written(store: Store) -> dict[str, float]:
    """Return the milliseconds of a memory's being kept, changed and deleted, with the commit."""
    texts = [text for _name, text in sections(load(), WRITES)]
    times: dict[str, list[float]] = {}
    for name, statement in (("add", ""), ("update", _UPDATE), ("delete", _DELETE)):
        for text in texts:
            cpu = time.process_time()
            async with store.transaction() as connection:
                if statement:
                    await connection.execute(statement, (text,))
                else:
                    memory = NewMemory(key=text, content=text, source="session", created_at=AT)
                    await keep(connection, memory, Origin(None, None, None, None), AT)
            times.setdefault(f"{name}_cpu", []).append(time.process_time() - cpu)
    return _percentiles(times)


_UPDATE: Final = "UPDATE memories SET content = content || ' changed' WHERE key = ?"
_DELETE: Final = "DELETE FROM memories WHERE key = ?"


def _percentiles(times: dict[str, list[float]]) -> dict[str, float]:
    return {
        f"{name}_p{percent}_ms": round(_at(sorted(values), percent) * 1000, 2)
        for name, values in times.items()
        for percent in (50, 95)
    }


def _at(ordered: Sequence[float], percent: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


async def _number(store: Store, statement: str) -> int:
    return int((await fetch_all(store.connection, statement))[0][0])


if __name__ == "__main__":
    sys.exit(main())

"""Run both ways of indexing on the same files, by turns, and time them."""

import os
import shutil
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from benchmarks.indexing import corpus, source_system
from runtime.notes.indexer import Indexed, reindex
from runtime.store.store import open_store

FILES: Final = 300
SECTIONS: Final = 10
MAX_BYTES: Final = 10_000_000
UNCHANGED_RUNS: Final = 5
SCALE_RUNS: Final = 5
SCALES: Final = (3_000, 30_000, 100_000)
BUSY_TIMEOUT_S: Final = 5.0


class Timed(NamedTuple):
    """One step: what it took here and there, and what it may take."""

    name: str
    ours_s: float
    ours_cpu_s: float
    theirs_s: float
    theirs_cpu_s: float
    ratio: float
    """Theirs by ours, of the same round: how many times quicker this is."""
    cpu_ratio: float
    goal_s: float


class Scaled(NamedTuple):
    """Ours alone, with more and more notes."""

    sections: int
    files: int
    size_bytes: int
    first_s: float
    first_cpu_s: float
    unchanged_s: float
    unchanged_cpu_s: float
    batch_s: float
    """Of the batches, 99 of 100 took no longer, reading and writing together."""


class _Round(NamedTuple):
    ours_s: float
    ours_cpu_s: float
    theirs_s: float
    theirs_cpu_s: float


async def compare(folder: Path, rounds: int) -> list[Timed]:
    """Time the first index, an unchanged one and one of an edited file."""
    corpus.make(folder / "notes", FILES, SECTIONS)
    found: dict[str, list[_Round]] = {"first": [], "unchanged": [], "edited": []}
    for number in range(rounds):
        await _round(folder, folder / f"round-{number}", found)
    goals = {"first": 1.5, "unchanged": 0.030, "edited": 0.050}
    return [
        Timed(
            name,
            median(each.ours_s for each in times),
            median(each.ours_cpu_s for each in times),
            median(each.theirs_s for each in times),
            median(each.theirs_cpu_s for each in times),
            median(each.theirs_s / each.ours_s for each in times),
            median(each.theirs_cpu_s / each.ours_cpu_s for each in times),
            goals[name],
        )
        for name, times in found.items()
    ]


async def _round(folder: Path, place: Path, found: dict[str, list[_Round]]) -> None:
    place.mkdir()
    notes = folder / "notes"
    folders = sorted(path for path in notes.iterdir() if path.is_dir())
    theirs = source_system.open_index(str(place / "theirs.db"))
    async with open_store(str(place / "ours.db"), BUSY_TIMEOUT_S) as store:

        async def step(name: str) -> None:
            ours, cpu = await _timed(lambda: reindex(store, [str(notes)], MAX_BYTES))
            begun, begun_cpu = time.perf_counter(), time.process_time()
            source_system.reindex(theirs, folders)
            took, took_cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
            found[name].append(_Round(ours, cpu, took, took_cpu))

        await step("first")
        for _ in range(UNCHANGED_RUNS):
            await step("unchanged")
        _edit(min(notes.rglob("*.md")), place.name)
        await step("edited")
    theirs.close()
    shutil.rmtree(place)


def _edit(note: Path, word: str) -> None:
    with open(note, "a", encoding="utf-8") as file:
        file.write(f"## 2026-06-11 {word}\nOne section more.\n")


async def _timed(work: Callable[[], Awaitable[Indexed]]) -> tuple[float, float]:
    begun, cpu = time.perf_counter(), time.process_time()
    await work()
    return time.perf_counter() - begun, time.process_time() - cpu


async def scale(folder: Path, sections: int) -> Scaled:
    """Time ours with so many sections."""
    notes = folder / f"scale-{sections}"
    files = sections // SECTIONS
    size = corpus.make(notes, files, SECTIONS)
    async with open_store(str(folder / f"{sections}.db"), BUSY_TIMEOUT_S) as store:
        told: list[float] = [time.perf_counter()]

        async def first() -> Any:
            return await reindex(
                store,
                [str(notes)],
                MAX_BYTES,
                progress=lambda _done, _total: told.append(time.perf_counter()),
            )

        first_s, first_cpu_s = await _timed(first)
        unchanged = [
            await _timed(lambda: reindex(store, [str(notes)], MAX_BYTES)) for _ in range(SCALE_RUNS)
        ]
    shutil.rmtree(notes)
    os.unlink(folder / f"{sections}.db")
    steps = sorted(after - before for before, after in pairwise(told))
    return Scaled(
        sections,
        files,
        size,
        first_s,
        first_cpu_s,
        median(seconds for seconds, _cpu in unchanged),
        median(cpu for _seconds, cpu in unchanged),
        steps[len(steps) * 99 // 100],
    )

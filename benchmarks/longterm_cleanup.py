"""
How long it takes to find what could go among very many memories, and in how much room.

Memories of 300 to 3,000 characters, English and Japanese, of twenty projects, with one
in twenty put in again with a twentieth of it changed. CPU time: it holds on a busy machine. The
database is made without its search index, which clean-up does not read. Exits 1 when
more than one in a hundred of what was put in is not found, or a goal is missed.
"""

import argparse
import json
import random
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio

from benchmarks.inventory import _english_words, _japanese_words
from benchmarks.machine import describe
from runtime.longterm.cleanup import Measures, find_candidates
from runtime.store.clock import utc
from runtime.store.store import open_store
from schemas.cleanup import CleanupReport

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "benchmarks" / "results" / "longterm_cleanup.json"
SIZES: Final = (1_000, 10_000, 100_000)
GOAL_CPU_S: Final = 60.0
"""For 100,000 memories."""
PUT_IN_SHARE: Final = 0.05
LEAST_FOUND: Final = 0.99
PROJECTS: Final = 20
SHORTEST, LONGEST = 300, 3_000
BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Measured(NamedTuple):
    """One store."""

    memories: int
    megabytes: float
    put_in: int
    found: int
    cpu_s: float
    cpu_us_per_memory: float
    peak_mb: float
    """Most memory that the whole process has had so far."""


def main() -> int:
    """Measure, print, keep the summary."""
    options = _options()
    machine = describe()
    rows = [_measured(count) for count in SIZES if count <= options.most]
    for row in rows:
        print(row)
    summary = {
        "machine": machine | {"python": sys.version.split()[0], "sqlite": sqlite3.sqlite_version},
        "goal_cpu_s": GOAL_CPU_S,
        "stores": [row._asdict() for row in rows],
    }
    options.json.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    is_missed = any(row.found < LEAST_FOUND * row.put_in for row in rows)
    is_slow = any(row.cpu_s > GOAL_CPU_S for row in rows if row.memories <= SIZES[-1])
    return 1 if is_missed or is_slow else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench cleanup", description=__doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest store (100,000)")
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the summary is kept")
    return parser.parse_args()


def _measured(count: int) -> Measured:
    with tempfile.TemporaryDirectory(prefix="oboegaki-bench-") as folder:
        path = str(Path(folder) / "memory.db")
        pairs = anyio.run(_make, path, count)
        begun = time.process_time()
        report = anyio.run(_look, path)
        cpu_s = time.process_time() - begun
        size = Path(path).stat().st_size
    near = {item.id: item.keeps for item in report.candidates if item.keeps is not None}
    found = sum(pair[0] in near or pair[1] in near for pair in pairs)
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Measured(
        count,
        round(size / 1e6, 1),
        len(pairs),
        found,
        round(cpu_s, 1),
        round(cpu_s / count * 1e6, 1),
        round(peak_kb / 1e3, 1),
    )


async def _look(path: str) -> CleanupReport:
    async with open_store(path, 5) as store:
        return await find_candidates(store.connection, Measures(BEGIN), lambda _done, _all: None)


async def _make(path: str, count: int) -> list[tuple[int, int]]:
    """Fill a store; return the ids of what was put in twice."""
    async with open_store(path, 5):
        pass
    return await anyio.to_thread.run_sync(_fill, path, count)


def _fill(path: str, count: int) -> list[tuple[int, int]]:
    chosen = random.Random(count)
    twice = round(count * PUT_IN_SHARE)
    connection = sqlite3.connect(path)
    for name in ("memories_ai", "memories_au", "memories_ad"):
        connection.execute(f"DROP TRIGGER {name}")
    with connection:
        texts: list[str] = []
        for number, text in enumerate(_texts(chosen, count - twice)):
            if number < twice:
                texts.append(text)
            connection.execute(_INSERT, _row(number, text))
        for number, text in enumerate(texts):
            # Of the same project as the one that it repeats.
            row = _row(number, _changed(text, chosen)) | {"key": f"again:{number}"}
            connection.execute(_INSERT, row)
    connection.close()
    return [(number + 1, count - twice + number + 1) for number in range(twice)]


def _texts(chosen: random.Random, count: int) -> Iterator[str]:
    words = ((_english_words(), " "), (_japanese_words(), ""))
    for number in range(count):
        vocabulary, between = words[number % 2]
        chars = chosen.randint(SHORTEST, LONGEST)
        # A word of the documentation has five characters, one of these Japanese ones four.
        yield between.join(chosen.choices(vocabulary, k=chars // 3))[:chars]


def _changed(text: str, chosen: random.Random) -> str:
    """Change a text by a twentieth: pieces of 6 characters."""
    chars = list(text)
    for start in range(chosen.randint(10, 60), len(chars) - 6, 110):
        chars[start : start + 6] = "9" * 6
    return "".join(chars)


def _row(number: int, text: str) -> dict[str, Any]:
    at = utc(BEGIN + timedelta(minutes=number))
    return {
        "content": text,
        "hash": sha256(text.encode()).hexdigest(),
        "at": at,
        "key": f"turn:{number}",
        "project": f"project{number % PROJECTS}",
        "summary": text[:200],
    }


_INSERT: Final = """
INSERT INTO memories (
    content, source, project, content_hash, created_at, summary, key, project_key, session_id,
    updated_at
) VALUES (:content, 'session', :project, :hash, :at, :summary, :key, :project, :key, :at)
"""


if __name__ == "__main__":
    sys.exit(main())

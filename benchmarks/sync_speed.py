"""
What dumping and syncing cost: CPU time of the commands, as people run them.

A store of so many memories, half Japanese and half English, of some 120 characters
each, and an empty one on another machine. CPU time of the command and the processes
that help it: it holds on a busy machine; with two cores it takes a little more than
half of that. Exits 1 when the machines do not end up with the same number of memories.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.machine import describe
from schemas.dump import DumpedMemory, DumpTrailer

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "benchmarks" / "results" / "sync_speed.json"
COMMAND: Final = (sys.executable, "-I", "-c", "from runtime.__main__ import main; main()")
WORDS: Final = (
    "認証", "方針", "設計", "検索", "期限", "決定", "理由", "負荷", "実装", "再試行",
    "を", "に", "は", "の", "で", "コンポーネント", "セッション",
    "retry", "policy", "database", "index", "merge", "deploy", "worker", "queue", "token",
    "attempts", "because", "client",
)  # fmt: skip
AT: Final = "2026-06-01T00:00:00.000Z"


class Cost(NamedTuple):
    """One command."""

    what: str
    cpu_s: float
    wall_s: float


def main() -> int:
    """Measure, print, keep the summary."""
    options = _options()
    machine = describe()
    with tempfile.TemporaryDirectory(prefix="sync-") as folder:
        costs, is_equal = _measure(Path(folder), options.memories)
    for cost in costs:
        print(f"{cost.what:<44} {cost.cpu_s:7.1f} s of CPU time {cost.wall_s:7.1f} s")
    summary: dict[str, Any] = {
        "machine": machine,
        "memories": options.memories,
        "rows": [cost._asdict() for cost in costs],
    }
    if options.json:
        options.json.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    return 0 if is_equal else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench sync", description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000, help="lines (100,000)")
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the summary is kept")
    return parser.parse_args()


def _measure(folder: Path, count: int) -> tuple[list[Cost], bool]:
    shared = folder / "shared"
    shared.mkdir()
    lines = list(_lines(count))
    _write(shared / "a_20260601T000000.ndjson", lines)
    a, b = folder / "a", folder / "b"
    costs = [
        _run(a, f"sync of {count:,} lines, all new", "sync", shared),
        _run(a, f"full dump of {count:,} memories", "dump", shared),
    ]
    costs.append(_run(a, "sync of unchanged files", "sync", shared))
    _run(b, "", "sync", shared)
    _write(shared / "a_20260601T000000.ndjson", [*lines, next(_lines(1, seed=2))])
    _run(a, "", "sync", shared)
    _run(a, "", "dump", shared)
    costs.append(_run(b, f"sync of {count + 1:,} lines, one new", "sync", shared))
    return costs, _stored(a) == _stored(b) == count + 1


def _run(home: Path, what: str, command: str, place: Path) -> Cost:
    environ = {**os.environ, "OBOEGAKI_HOME": str(home), "OBOEGAKI_HOST": home.name}
    environ["OBOEGAKI_WORKER_ENABLED"] = "0"
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [*COMMAND, "longterm", command, str(place)],
        env=environ, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(what, round(cpu_s, 2), round(time.monotonic() - begun, 2))


def _stored(home: Path) -> int:
    done = subprocess.run(
        [*COMMAND, "stats", "--json"], env={**os.environ, "OBOEGAKI_HOME": str(home)},
        check=True, capture_output=True,
    )  # fmt: skip
    return int(json.loads(done.stdout)["memories"])


def _lines(count: int, seed: int = 1) -> Iterator[bytes]:
    dice = random.Random(seed)
    for number in range(count):
        words = (
            word if dice.random() < 0.8 else f"{word}{dice.randrange(1000)}"
            for word in dice.choices(WORDS, k=20)
        )
        content = f"[user] {' '.join(words)}。"
        digest = hashlib.sha256(content.encode()).hexdigest()
        line = DumpedMemory(
            content=content, source="session", project="shop", tags=("session", "s"),
            created_at=AT, v=1, op="put", uid=f"turn:{seed}-{number}",
            content_hash=digest, host="a",
            updated_at=AT, project_key="0123456789abcdef", session_id="s",
        )  # fmt: skip
        yield line.model_dump_json(exclude_unset=True).encode() + b"\n"


def _write(path: Path, lines: list[bytes]) -> None:
    data = b"".join(lines)
    trailer = DumpTrailer(
        host="a", machine="m", written_at=AT, count=len(lines),
        sha256=hashlib.sha256(data).hexdigest(),
    )  # fmt: skip
    path.write_bytes(data + trailer.model_dump_json().encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main())

"""
How long the search for duplicates takes, compared with difflib on every pair of 300 blocks.

Blocks of 560 characters. English and Japanese made from the words of this
project's own pages, and the same with a hundred pairs of duplicates in it. CPU time:
it holds on a busy machine. Comparing all 44,850 pairs of 300 blocks with difflib takes
minutes, so a sample of them is timed and multiplied. Exits 1 when a pair that
was put in is not found.
"""

import argparse
import json
import os
import platform
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

from runtime.notes.duplicates import Duplicates, find_duplicates

ROOT: Final = Path(__file__).resolve().parent.parent
RESULTS: Final = ROOT / "benchmarks" / "results" / "inventory.json"
BLOCK_CHARS: Final = 560
BASE_BLOCKS: Final = 300
KANJI: Final = [chr(0x4E00 + 7 * number) for number in range(1200)]
KANA: Final = "のにはをたがでてとしれさあいうるらりなもくかきまそこ"


class Measured(NamedTuple):
    """One collection of blocks."""

    language: str
    blocks: int
    duplicates: int
    """Pairs that were put in."""
    found: int
    missed: int
    uncompared: int
    most_shared: float
    cpu_s: float
    ratio: float
    """CPU time over that of difflib on all pairs of 300 blocks of this language."""


def main() -> int:
    """Measure, print, keep the summary."""
    options = _options()
    words = {"English": _english_words(), "Japanese": _japanese_words()}
    rows = []
    base_s = {}
    for language, vocabulary in words.items():
        base_s[language] = _base_s(_blocks(language, vocabulary, BASE_BLOCKS), options.sample)
        for count in (BASE_BLOCKS, options.blocks):
            rows += [
                _measured(language, vocabulary, count, duplicates, base_s[language])
                for duplicates in (0, count // 20)
            ]
    print("\n".join(_table(rows, base_s)))
    _write(options.json, rows, base_s)
    return 1 if any(row.missed for row in rows) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench inventory", description=__doc__)
    parser.add_argument("--blocks", type=int, default=2000, help="the larger collection (2,000)")
    parser.add_argument("--sample", type=int, default=400, help="pairs timed with difflib (400)")
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the summary is kept")
    return parser.parse_args()


def _measured(
    language: str, words: Sequence[str], count: int, duplicates: int, base_s: float
) -> Measured:
    blocks = _blocks(language, words, count - duplicates)
    blocks += [_changed(block) for block in blocks[:duplicates]]
    put_in = {(number, count - duplicates + number) for number in range(duplicates)}
    results: list[Duplicates] = []
    cpu_s = _cpu_s(lambda: results.append(find_duplicates(blocks)))
    pairs = {(pair.a, pair.b) for pair in results[0].pairs}
    return Measured(
        language,
        count,
        duplicates,
        len(pairs),
        len(put_in - pairs),
        results[0].uncompared,
        round(results[0].most_shared, 3),
        round(cpu_s, 2),
        round(cpu_s / base_s, 4),
    )


def _base_s(blocks: Sequence[str], sample: int) -> float:
    """Give the CPU time of difflib on every pair, from an evenly spread sample of them."""
    pairs = list(combinations(blocks, 2))
    chosen = random.Random(1).sample(pairs, min(sample, len(pairs)))

    def compare() -> None:
        for a, b in chosen:
            SequenceMatcher(None, a, b, autojunk=False).ratio()

    return _cpu_s(compare) * len(pairs) / len(chosen)


def _cpu_s(work: Callable[[], None]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _blocks(language: str, words: Sequence[str], count: int) -> list[str]:
    chosen = random.Random(count)
    between = " " if language == "English" else ""
    texts = []
    for _ in range(count):
        text = between.join(chosen.choices(words, k=BLOCK_CHARS))
        texts.append(text[:BLOCK_CHARS])
    return texts


def _changed(block: str) -> str:
    """Change a tenth of a block: five pieces of 11 characters."""
    chars = list(block)
    for start in range(50, len(block), 110):
        chars[start : start + 11] = "9" * 11
    return "".join(chars)


def _english_words() -> list[str]:
    """Give every word of the documentation as often as it stands there."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [word for page in pages for word in re.findall(r"[A-Za-z']+", page.read_text("utf-8"))]


def _japanese_words() -> list[str]:
    """Give words of kanji with endings in kana; about half of the characters are kana."""
    made = random.Random(2)
    return [
        "".join(
            made.choices(KANJI, k=made.randint(1, 3)) + made.choices(KANA, k=made.randint(1, 3))
        )
        for _ in range(5000)
    ]


def _table(rows: Sequence[Measured], base_s: dict[str, float]) -> list[str]:
    bases = (f"{language} {seconds:.0f} s" for language, seconds in base_s.items())
    names = ("put in", "found", "missed", "uncompared", "CPU s", "of difflib on 300")
    cells = (
        (row.duplicates, row.found, row.missed, row.uncompared, row.cpu_s, f"{row.ratio:.1%}")
        for row in rows
    )
    return [
        f"difflib, all pairs of {BASE_BLOCKS} blocks: {', '.join(bases)}",
        "",
        f"{'blocks':16}{''.join(f'{name:>18}' for name in names)}",
        *(
            f"{f'{row.blocks:,} {row.language}':16}{''.join(f'{cell:>18}' for cell in line)}"
            for row, line in zip(rows, cells, strict=True)
        ),
    ]


def _write(path: Path, rows: Sequence[Measured], base_s: dict[str, float]) -> None:
    summary: dict[str, Any] = {
        "machine": {
            "system": platform.system(),
            "cores": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1),
            "date": datetime.now(UTC).date().isoformat(),
            "python": platform.python_version(),
        },
        "block_chars": BLOCK_CHARS,
        "difflib_300_cpu_s": {language: round(found, 1) for language, found in base_s.items()},
        "collections": [row._asdict() for row in rows],
    }
    path.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

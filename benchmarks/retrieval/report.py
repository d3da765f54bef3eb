"""The results as tables for people and as a summary to keep."""

import json
import platform
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import describe
from benchmarks.retrieval.measures import Quality, mean
from runtime.tokens.index import TOKENIZER_VERSION

ByTag = Mapping[str, Sequence[Quality]]
Results = Mapping[str, Mapping[str, ByTag]]
"""Engine, set, tag: the answers."""


def table(results: Results) -> Iterator[str]:
    """Give the lines of the tables: each set, then each tag of the sets that have several."""
    sets = list(next(iter(results.values())))
    head = "".join(f"{name:>13}" for name in sets)
    for measure, title in (("recall10", "recall@10"), ("ndcg10", "nDCG@10"), ("empty", "empty")):
        yield f"{title:20}{head}{'mean':>9}"
        for engine, by_set in results.items():
            values = [getattr(_of_set(by_set[name]), measure) * 100 for name in sets]
            row = "".join(f"{value:13.1f}" for value in values)
            yield f"{engine:20}{row}{sum(values) / len(values):9.1f}"
        yield ""
    for name in sets:
        yield from _tags(name, {engine: by_set[name] for engine, by_set in results.items()})


def _tags(name: str, by_engine: Mapping[str, ByTag]) -> Iterator[str]:
    tags = sorted(next(iter(by_engine.values())))
    if len(tags) < 2:
        return
    yield f"{name + ', recall@10':34}{'n':>6}" + "".join(f"{engine:>20}" for engine in by_engine)
    for tag in tags:
        values = [mean(by_tag[tag]).recall10 * 100 for by_tag in by_engine.values()]
        count = len(next(iter(by_engine.values()))[tag])
        yield f"{tag:34}{count:6}" + "".join(f"{value:20.1f}" for value in values)
    yield ""


def _of_set(by_tag: ByTag) -> Quality:
    return mean(answer for answers in by_tag.values() for answer in answers)


def summary(results: Results) -> dict[str, Any]:
    """Return what is kept: means by engine, set and tag, in percent."""
    return {
        engine: {
            name: {
                **_percent(_of_set(by_tag)),
                "tags": {tag: _percent(mean(by_tag[tag])) for tag in sorted(by_tag) if tag},
            }
            for name, by_tag in by_set.items()
        }
        for engine, by_set in results.items()
    }


def _percent(quality: Quality) -> dict[str, float]:
    return {name: round(value * 100, 1) for name, value in quality._asdict().items()}


def machine() -> dict[str, Any]:
    """Describe what the figures depend on."""
    versions = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "tokenizer": TOKENIZER_VERSION,
    }
    return {**describe(), **versions}


def write(path: Path, document: Mapping[str, Any]) -> None:
    """Keep a summary."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

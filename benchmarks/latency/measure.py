"""Rounds: each variant beside a bare interpreter, in shuffled order."""

import random
import shutil
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from benchmarks.latency.spawn import Spawner, Took
from benchmarks.latency.variants import Stage, Variant


class Spread(NamedTuple):
    """A median and the middle half around it."""

    median: float
    low: float
    high: float


class Measured(NamedTuple):
    """What a variant takes."""

    name: str
    goal: float | None
    wall: Spread
    """Ratio to `python -c pass` of the same round, paired."""
    cpu: Spread
    wall_ms: float
    cpu_ms: float
    rss_mb: float
    rss_ratio: float
    answer_bytes: int
    beside: str
    """The variant that it is compared with, "" for none."""
    added: Spread | None
    """Its ratio less that one's, of the same round."""
    added_cpu: Spread | None
    may_add: float | None
    waits: bool
    """Whether the hook waits for the worker's work, which its own CPU time does not show."""


class Pair(NamedTuple):
    """One variant's process and the bare interpreter's beside it."""

    bare: Took
    took: Took
    answer_bytes: int

    def wall(self) -> float:
        """Return the time passed, as a multiple of the bare interpreter's."""
        return self.took.wall_ms / self.bare.wall_ms

    def cpu(self) -> float:
        """Return the time computed, as a multiple of the bare interpreter's."""
        return self.took.cpu_ms / self.bare.cpu_ms


def measure(
    stage: Stage, spawner: Spawner, variants: Sequence[Variant], rounds: int
) -> list[Measured]:
    """Return the results in the order of the variants; one more round goes before, uncounted."""
    rng = random.Random(rounds)
    pairs: dict[str, list[Pair]] = {variant.name: [] for variant in variants}
    for number in range(rounds + 1):
        for variant in _shuffled(variants, rng):
            pair = _pair(stage, spawner, variant, bare_first=rng.random() < 0.5)
            if number:
                pairs[variant.name].append(pair)
    return [
        _measured(variant, pairs[variant.name], pairs.get(variant.beside, ()))
        for variant in variants
    ]


def _shuffled(variants: Sequence[Variant], rng: random.Random) -> Iterator[Variant]:
    """Give all in random order; what is compared with each other comes one after the other."""
    groups: dict[str, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(variant.beside or variant.name, []).append(variant)
    for group in rng.sample(list(groups.values()), len(groups)):
        yield from rng.sample(group, len(group))


def _pair(stage: Stage, spawner: Spawner, variant: Variant, *, bare_first: bool) -> Pair:
    _before(variant)
    job, bare_job = stage.job(variant), stage.baseline()
    if bare_first:
        bare = spawner.run(bare_job)
        took = spawner.run(job)
        _after(variant)
    else:
        took = spawner.run(job)
        _after(variant)
        bare = spawner.run(bare_job)
    answer = job.stdout.stat().st_size
    if took.code or bare.code or bool(answer) != variant.answers:
        raise RuntimeError(f"{variant.name}: exit {took.code}, {answer} bytes on stdout")
    return Pair(bare, took, answer)


def _before(variant: Variant) -> None:
    if variant.worker == "cold":
        shutil.rmtree(variant.bench.home.root, ignore_errors=True)
        variant.bench.sent.clear()


def _after(variant: Variant) -> None:
    """Let the worker come to rest: what it does meanwhile would fall on the next process."""
    if variant.worker in ("away", "cold"):
        variant.bench.wait_until_served()
        variant.bench.kill_worker()
    elif variant.worker == "up":
        variant.bench.wait_until_drained()


def _measured(variant: Variant, pairs: Sequence[Pair], others: Sequence[Pair]) -> Measured:
    return Measured(
        name=variant.name,
        goal=variant.goal,
        wall=spread(map(Pair.wall, pairs)),
        cpu=spread(map(Pair.cpu, pairs)),
        wall_ms=statistics.median(pair.took.wall_ms for pair in pairs),
        cpu_ms=statistics.median(pair.took.cpu_ms for pair in pairs),
        rss_mb=statistics.median(pair.took.rss_mb for pair in pairs),
        rss_ratio=statistics.median(pair.took.rss_mb / pair.bare.rss_mb for pair in pairs),
        answer_bytes=pairs[-1].answer_bytes,
        beside=variant.beside,
        added=_added(pairs, others, Pair.wall) if others else None,
        added_cpu=_added(pairs, others, Pair.cpu) if others else None,
        may_add=variant.may_add,
        waits=variant.answers and variant.worker == "up",
    )


def _added(pairs: Sequence[Pair], others: Sequence[Pair], ratio: Callable[[Pair], float]) -> Spread:
    """Compare with the other variant, each round's two processes with each other."""
    return spread(ratio(one) - ratio(other) for one, other in zip(pairs, others, strict=True))


def spread(values: Iterable[float]) -> Spread:
    """Return median and quartiles of two or more values."""
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, low, high)

"""
Which long-term memories could go, and why. Changes nothing, asks no model.

One pass over all memories keeps a small record of each; only texts that may be
alike are read again. Pinned memories are counted and never proposed.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, NamedTuple

from runtime.days import local_day
from runtime.longterm.nearness import Bands, Families, similarity
from runtime.longterm.noise import asked, is_chatter, is_nod, read_turn
from runtime.longterm.retention import beyond
from runtime.retention_rules import Rule
from runtime.store.candidates import contents, living_rows, told
from runtime.store.clock import utc
from runtime.store.connection import Connection, Row
from schemas.cleanup import Candidate, CleanupReport, Reason

UNUSED_DAYS: Final = 180
MAX_CHARS: Final = 20_000
EDITS: Final = frozenset({"Edit", "Write", "NotebookEdit"})
PAIRS_MAX: Final = 200_000
"""So many texts are compared at most; a million memories that are all alike end too."""
BATCH: Final = 200
MOST_DAYS: Final = 365_000

_FIGURES: Final = re.compile(r"[\d\s]+")

Progress = Callable[[int, int], None]


class Measures(NamedTuple):
    """Against what memories are measured."""

    now: datetime
    unused_days: int = UNUSED_DAYS
    max_chars: int = MAX_CHARS
    rules: tuple[Rule, ...] = ()


class Light(NamedTuple):
    """What is remembered of a memory while all are looked at."""

    id: int
    created_at: str
    chars: int
    hash: str
    group: str
    """Project: memories of two are never compared."""
    project: str | None
    summary: str
    is_pinned: bool
    text_key: bytes
    """Equal for texts that differ in blanks alone."""
    prompt_key: bytes
    """Equal for prompts that were put again in one session; b"" for no such prompt."""
    edit_key: bytes
    """The same for files that were edited again."""
    is_chatter: bool


async def find_candidates(
    connection: Connection, measures: Measures, progress: Progress
) -> CleanupReport:
    """Look at every memory; about half a millisecond of CPU time for each."""
    lights: list[Light] = []
    bands = Bands()
    (total,) = [row[0] for row in await connection.execute_fetchall(_COUNT)]
    async for row in living_rows(connection):
        light = _light(row)
        lights.append(light)
        bands.add(row["content"], light.group)
        progress(len(lights), 2 * total)
    times, since = await told(connection)
    finder = _Finder(lights, times)
    finder.copies()
    pairs = finder.open_pairs(bands.pairs())
    for start in range(0, len(pairs), BATCH):
        part = pairs[start : start + BATCH]
        ids = {lights[number].id for pair in part for number in pair}
        finder.compare(part, await contents(connection, ids))
        progress(total + total * (start + len(part)) // len(pairs), 2 * total)
    finder.families()
    finder.repeated()
    if measures.rules:
        for memory_id, rule in await beyond(connection, measures.rules, measures.now):
            finder.add_id(memory_id, "retention", f"beyond the rule {rule.text!r}")
    finder.unused(measures, since)
    return CleanupReport(
        memories=len(lights),
        pinned=sum(light.is_pinned for light in lights),
        candidates=tuple(finder.found.values()),
        uncompared=finder.uncompared,
        shown_since=since,
    )


def _light(row: Row) -> Light:
    said = read_turn(row["content"]) if row["source"] == "session" else None
    is_edit = row["tool"] in EDITS and row["target"] and row["session_id"]
    prompt = said.prompt if said and row["session_id"] and not is_nod(said.prompt) else ""
    return Light(
        row["id"],
        row["created_at"],
        len(row["content"]),
        row["content_hash"],
        row["project_key"] or "",
        row["project"],
        row["summary"] or "",
        bool(row["is_pinned"]),
        _key("".join(row["content"].split())),
        _key(row["session_id"], asked(prompt)) if prompt else b"",
        _key(row["session_id"], row["target"]) if is_edit else b"",
        said is not None and is_chatter(said),
    )


def _key(*parts: str) -> bytes:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()[:16]


class _Finder:
    """Notes candidates, the first reason for each."""

    def __init__(self, lights: Sequence[Light], times: dict[int, int]) -> None:
        self.found: dict[int, Candidate] = {}
        self.uncompared = 0
        self._lights = lights
        self._times = times
        self._numbers = {light.id: number for number, light in enumerate(lights)}
        self._families = Families(len(lights))
        self._alike: dict[tuple[int, int], float] = {}
        self._figures: set[int] = set()
        """These differ from another one in figures alone."""
        self._kept: set[int] = set()
        """These stand for others that go, and so stay themselves, whatever else is true."""

    def copies(self) -> None:
        """Propose all but one of the memories of one text."""
        for numbers in self._same("text_key"):
            kept, *others = self._best_first(numbers)
            for other in others:
                self._add(other, "copy", f"the same text as #{self._lights[kept].id}", kept, 1.0)

    def open_pairs(self, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the pairs of which neither goes already, as many as are compared."""
        left = [pair for pair in pairs if all(map(self._is_open, pair))]
        self.uncompared = max(0, len(left) - PAIRS_MAX)
        return left[:PAIRS_MAX]

    def compare(self, pairs: Iterable[tuple[int, int]], texts: dict[int, str]) -> None:
        """Join the families of texts that are alike; those of one family are not asked again."""
        for a, b in pairs:
            ids = self._lights[a].id, self._lights[b].id
            if self._families.of(a) == self._families.of(b) or not texts.keys() >= set(ids):
                continue
            alike = similarity(texts[ids[0]], texts[ids[1]])
            if alike is not None:
                self._families.join(a, b)
                self._alike[a, b] = alike
                if _without_figures(texts[ids[0]]) == _without_figures(texts[ids[1]]):
                    self._figures |= {a, b}

    def families(self) -> None:
        """Of memories that are alike propose all but one."""
        members: dict[int, set[int]] = {}
        least: dict[int, float] = {}
        for (a, b), alike in self._alike.items():
            family = self._families.of(a)
            members.setdefault(family, set()).update((a, b))
            least[family] = min(alike, least.get(family, 1.0))
        for family, numbers in members.items():
            kept, *others = self._best_first(numbers)
            share = least[family]
            for other in others:
                why = f"{share:.0%} alike, #{self._lights[kept].id} stays"
                if other in self._figures:
                    why += "; look at both: they differ in figures alone"
                self._add(other, "near-duplicate", why, kept, round(share, 3))

    def repeated(self) -> None:
        """Propose prompts that were put again, files that were edited again, and chatter."""
        for numbers in self._same("prompt_key"):
            *earlier, last = sorted(numbers, key=self._age)
            for number in earlier:
                why = f"the same prompt was put again in this session, #{self._lights[last].id}"
                self._add(number, "retry", why, last)
        for numbers in self._same("edit_key"):
            *earlier, last = sorted(numbers, key=self._age)
            for place, number in enumerate(earlier):
                why = (
                    f"edited {len(earlier) - place} times more in this session,"
                    f" last in #{self._lights[last].id}"
                )
                self._add(number, "superseded", why, last)
        for number, light in enumerate(self._lights):
            if light.is_chatter:
                self._add(number, "chatter", f"{light.chars} characters that say nothing")

    def unused(self, measures: Measures, since: str | None) -> None:
        """Propose what no model was told of for long, and what is large."""
        before = utc(measures.now - timedelta(days=min(measures.unused_days, MOST_DAYS)))
        # What was told before that was noted nobody knows.
        is_known = since is not None and since < before
        for number, light in enumerate(self._lights):
            if is_known and light.created_at < before and light.id not in self._times:
                self._add(
                    number, "never-told", f"told to no model in {measures.unused_days:,} days"
                )
            if light.chars > measures.max_chars:
                why = f"{light.chars:,} characters, more than {measures.max_chars:,}"
                self._add(number, "oversized", why)

    def add_id(self, memory_id: int, reason: Reason, why: str) -> None:
        """Propose a memory by its id."""
        if memory_id in self._numbers:
            self._add(self._numbers[memory_id], reason, why)

    def _is_open(self, number: int) -> bool:
        return self._lights[number].id not in self.found

    def _same(self, key: str) -> Iterator[list[int]]:
        groups: dict[tuple[str, bytes], list[int]] = {}
        for number, light in enumerate(self._lights):
            value = getattr(light, key)
            if value and self._is_open(number):
                groups.setdefault((light.group, value), []).append(number)
        return (numbers for numbers in groups.values() if len(numbers) > 1)

    def _best_first(self, numbers: Iterable[int]) -> list[int]:
        """Sort by what speaks for a memory: its mark, how often it was told, its time."""
        return sorted(numbers, key=self._worth, reverse=True)

    def _worth(self, number: int) -> tuple[bool, int, str, int]:
        light = self._lights[number]
        return light.is_pinned, self._times.get(light.id, 0), light.created_at, light.id

    def _age(self, number: int) -> tuple[str, int]:
        return self._lights[number].created_at, number

    def _add(
        self,
        number: int,
        reason: Reason,
        why: str,
        kept: int | None = None,
        alike: float | None = None,
    ) -> None:
        light = self._lights[number]
        if light.is_pinned or light.id in self.found or number in self._kept:
            return
        if kept is not None:
            self._kept.add(kept)
        self.found[light.id] = Candidate(
            id=light.id,
            reason=reason,
            why=why,
            keeps=None if kept is None else self._lights[kept].id,
            similarity=alike,
            hash=light.hash,
            chars=light.chars,
            project=light.project,
            date=local_day(light.created_at),
            summary=light.summary,
        )


def _without_figures(text: str) -> str:
    return _FIGURES.sub("", text)


def by_reason(report: CleanupReport) -> Counter[Reason]:
    """Count the candidates of each reason."""
    return Counter(candidate.reason for candidate in report.candidates)


_COUNT: Final = "SELECT count(*) FROM memories WHERE deleted_at IS NULL"

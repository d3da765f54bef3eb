"""
A plan for cleaning up: one line for each memory that could go, for somebody to decide.

Every line stands behind a comment mark unless its reason was taken beforehand: a
plan that nobody edited changes nothing. Each carries the hash of what it saw, so that a
memory that has changed since is left alone.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from pydantic import ValidationError

from runtime.longterm.refusals import EmptyPlanError, PlanLineError
from runtime.redact import redact
from runtime.store.candidates import delete_unpinned, states, undelete
from runtime.store.connection import Row
from runtime.store.store import Store
from runtime.text import clean, one_line
from schemas.cleanup import Applied, Candidate, CleanupReport, PlanLine, Skipped

HEADER: Final = """\
# Memories that could go, looked up {today}. Lines behind "# " change nothing.
# Take "# " away in front of what is to go, then: runtime longterm cleanup --apply FILE
# Until it is purged, runtime longterm cleanup --undo FILE brings it back.
"""
SUMMARY_CHARS: Final = 160
MARK: Final = "# "


class Plan(NamedTuple):
    """The text of the file, how many memories it names, and how many of them it takes."""

    text: str
    proposed: int
    taken: int


def make_plan(report: CleanupReport, today: str, taken: Iterable[str] = ()) -> Plan:
    """Write the candidates down by reason; those of the reasons *taken* without a mark."""
    chosen = frozenset(taken)
    parts = [HEADER.format(today=today)]
    count = 0
    for reason, group in groupby(_sorted(report.candidates), key=attrgetter("reason")):
        candidates = list(group)
        is_taken = reason in chosen or "all" in chosen
        count += len(candidates) * is_taken
        parts.append(f"#\n# {reason}: {len(candidates):,}\n")
        mark = "" if is_taken else MARK
        parts += [f"{mark}{_line(candidate)}\n" for candidate in candidates]
    return Plan("".join(parts), len(report.candidates), count)


def _sorted(candidates: Sequence[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: (candidate.reason, candidate.id))


def _line(candidate: Candidate) -> str:
    shown = one_line(redact(clean(candidate.summary)), SUMMARY_CHARS)
    values = {"op": "delete", **candidate.model_dump(exclude_none=True), "summary": shown}
    return json.dumps(values, ensure_ascii=False)


def read_plan(text: str, path: str) -> list[PlanLine]:
    """Return what a plan asks for. Raises PlanLineError and EmptyPlanError."""
    found: dict[int, PlanLine] = {}
    proposed = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("#") or not line.strip():
            proposed += line.startswith(MARK + '{"op"')
            continue
        try:
            item = PlanLine.model_validate_json(line)
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, reason["loc"]))
            raise PlanLineError(path, number, f"{place} {reason['msg']}".strip()) from error
        found[item.id] = item
    if not found:
        raise EmptyPlanError(path, proposed)
    return list(found.values())


async def apply_plan(store: Store, lines: Sequence[PlanLine], now: datetime) -> Applied:
    """
    Delete what the lines name and is still what they saw; it can be restored.

    One that stands for others that go has to be there. In one transaction.
    """
    async with store.transaction() as connection:
        known = await states(connection, {*(line.id for line in lines), *_kept(lines)})
        reasons = {line.id: why for line in lines if (why := _why_not(line, known))}
        chosen: dict[int, str] = {}
        kept: set[int] = set()
        for line in lines:
            if line.id in reasons:
                continue
            # A plan that was edited may let two stand for each other: then one stays.
            if line.keeps in chosen or line.id in kept:
                reasons[line.id] = "it, or what was to stay for it, is needed by another line"
                continue
            chosen[line.id] = line.hash
            kept |= _kept([line])
        done = await delete_unpinned(connection, chosen, now)
    before = tuple(line.id for line in lines if line.id in chosen and line.id not in done)
    skipped = tuple(Skipped(id=number, why=why) for number, why in reasons.items())
    return Applied(done=tuple(sorted(done)), before=before, skipped=skipped)


async def undo_plan(store: Store, lines: Sequence[PlanLine], now: datetime) -> Applied:
    """Bring back what the lines name, as far as it is deleted and not purged."""
    async with store.transaction() as connection:
        known = await states(connection, [line.id for line in lines])
        done = await undelete(connection, {line.id: line.hash for line in lines}, now)
    left = [line for line in lines if line.id not in done]
    before = [line.id for line in left if _is_alive(line.id, known)]
    skipped = [
        Skipped(id=line.id, why="purged, or another text") for line in left if line.id not in before
    ]
    return Applied(done=tuple(sorted(done)), before=tuple(before), skipped=tuple(skipped))


def _kept(lines: Iterable[PlanLine]) -> set[int]:
    return {line.keeps for line in lines if line.keeps is not None}


def _why_not(line: PlanLine, known: Mapping[int, Row]) -> str:
    row = known.get(line.id)
    if row is None:
        return "there is no such memory"
    if row["content_hash"] != line.hash:
        return "it has changed since the plan was made"
    if row["is_pinned"]:
        return "it is pinned"
    if line.keeps is not None and not _is_alive(line.keeps, known):
        return f"#{line.keeps}, which was to stay for it, is gone"
    return ""


def _is_alive(memory_id: int, known: Mapping[int, Row]) -> bool:
    row = known.get(memory_id)
    return row is not None and row["deleted_at"] is None

"""
What in the notes, and among long-term memories, could be tidied. Changes nothing.

Dates are those that somebody wrote, or a memory's capture. The time of a file is
none: a copy, a clone or an edit makes every block of it look new.
"""

import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date, timedelta
from functools import partial
from math import ceil
from typing import Final, Literal, NamedTuple

from runtime.notes.contradictions import split_off
from runtime.notes.duplicates import (
    BUDGET,
    Duplicates,
    Progress,
    find_duplicates,
    no_progress,
)
from runtime.notes.entries import Entry, NoteText, NoteTexts, newest_first
from schemas.inventory import (
    Comparison,
    Duplicate,
    Inventory,
    LookedAt,
    Place,
    Size,
    Unreadable,
)

STALE_DAYS: Final = 90  # Source text, "memory_report.py".
FULL_SHARE: Final = 0.8  # Source text, "memory_report.py".
PREAMBLE_SHARE: Final = 0.2


class Measures(NamedTuple):
    """Against what the notes are measured."""

    today: date
    limit_chars: int
    stale_days: int = STALE_DAYS


def take_inventory(
    notes: NoteTexts | None,
    memories: Sequence[Entry] | None,
    measures: Measures,
    progress: Progress = no_progress,
) -> Inventory:
    """
    Look through the blocks of *notes* and through *memories*; seconds of CPU time.

    None stands for what is not to be looked at.
    """
    files = () if notes is None else notes.files
    blocks = [entry for file in files for entry in file.entries]
    entries = [*blocks, *(memories or ())]
    pairs, comparison = _duplicates(entries, progress)
    duplicates, contradictions = split_off(blocks, pairs, measures.today.isoformat())
    preambles = ((file.path, file.preamble_chars) for file in files)
    return Inventory(
        today=measures.today.isoformat(),
        stale_days=measures.stale_days,
        looked_at=_looked_at(notes, memories),
        files_total=len(files),
        blocks_total=len(blocks),
        memories_total=len(memories or ()),
        stale=tuple(_stale(entries, measures)),
        duplicates=tuple(duplicates),
        contradictions=tuple(contradictions),
        oversized=_over(((file.path, file.chars) for file in files), measures, FULL_SHARE),
        long_preambles=_over(preambles, measures, PREAMBLE_SHARE),
        empty=tuple(entry.place for entry in blocks if entry.is_empty),
        undated=tuple(place for file in files for place in _undated(file)),
        unreadable=tuple(
            Unreadable(file=path, reason=why) for path, why in (notes.problems if notes else ())
        ),
        comparison=comparison,
    )


def _looked_at(notes: NoteTexts | None, memories: Sequence[Entry] | None) -> tuple[LookedAt, ...]:
    given: tuple[tuple[LookedAt, bool], ...] = (
        ("notes", notes is not None),
        ("long-term", memories is not None),
    )
    return tuple(what for what, is_given in given if is_given)


def _stale(entries: Iterable[Entry], measures: Measures) -> list[Place]:
    # Before the year 1 there is nothing to be older than.
    days = min(measures.stale_days, measures.today.toordinal() - 1)
    oldest = (measures.today - timedelta(days=days)).isoformat()
    places = (entry.place for entry in entries if not entry.is_pinned)
    stale = [place for place in places if place.date is not None and place.date < oldest]
    return sorted(stale, key=lambda place: place.date or "")


def _undated(file: NoteText) -> list[Place]:
    """Give what has no date; beside blocks, what stands above them needs none."""
    has_blocks = any(entry.is_block for entry in file.entries)
    chief = [entry for entry in file.entries if entry.is_block or not has_blocks]
    return [entry.place for entry in chief if not entry.place.date and not entry.is_empty]


def _over(sizes: Iterable[tuple[str, int]], measures: Measures, share: float) -> tuple[Size, ...]:
    limit = measures.limit_chars
    found = [
        Size(file=path, chars=chars, limit=limit) for path, chars in sizes if chars > share * limit
    ]
    return tuple(sorted(found, key=lambda size: -size.chars))


def _duplicates(entries: Iterable[Entry], progress: Progress) -> tuple[list[Duplicate], Comparison]:
    copies: list[Duplicate] = []
    distinct: dict[tuple[str, str], list[Entry]] = {}
    written = (entry for entry in entries if not entry.is_empty)
    for group in _grouped(written, _copy_key):
        newest, *others = newest_first(group)
        copies += [_duplicate(newest, other, 1.0, "copy") for other in others]
        distinct.setdefault((newest.place.kind, newest.group), []).append(newest)
    found: list[Duplicate] = []
    comparison = Comparison()
    total = 2 * sum(map(len, distinct.values()))
    done = 0
    for group in distinct.values():
        similar = find_duplicates(
            [entry.text for entry in group],
            budget=BUDGET,
            progress=partial(_further, progress, done, total),
        )
        done += 2 * len(group)
        for pair in similar.pairs:
            newer, older = newest_first([group[pair.a], group[pair.b]])
            found.append(_duplicate(newer, older, pair.similarity, pair.how))
        comparison = _together(comparison, len(group), similar)
    return [*copies, *sorted(found, key=lambda pair: -pair.similarity)], comparison


def _further(progress: Progress, before: int, total: int, done: int, _of: int) -> None:
    progress(before + done, total)


def _together(so_far: Comparison, texts: int, more: Duplicates) -> Comparison:
    # Rounded up: it is a bound.
    most_shared = ceil(more.most_shared * 1000) / 1000
    return Comparison(
        pairs=so_far.pairs + texts * (texts - 1) // 2,
        uncompared=so_far.uncompared + more.uncompared,
        most_shared=max(so_far.most_shared, most_shared),
    )


def _duplicate(
    newer: Entry, older: Entry, similarity: float, how: Literal["copy", "similar", "reordered"]
) -> Duplicate:
    return Duplicate(a=newer.place, b=older.place, similarity=round(similarity, 3), how=how)


def _copy_key(entry: Entry) -> Hashable:
    return entry.place.kind, entry.group, unicodedata.normalize("NFC", entry.text)


def _grouped(entries: Iterable[Entry], key: Callable[[Entry], Hashable]) -> list[list[Entry]]:
    groups: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return list(groups.values())

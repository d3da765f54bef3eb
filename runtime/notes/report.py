"""
What in the notes, and among long-term memories, could be tidied. Changes nothing.

Dates are those that somebody wrote, or a memory's capture. The time of a file is
none: a copy, a clone or an edit makes every block of it look new.
"""

import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from math import ceil
from typing import Final, Literal, NamedTuple

from runtime.markdown.dates import without_dates
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
    Contradiction,
    Duplicate,
    Inventory,
    Place,
    Size,
    Unreadable,
)

STALE_DAYS: Final = 90  # Source text, "memory_report.py".
FULL_SHARE: Final = 0.8  # Source text, "memory_report.py".
PREAMBLE_SHARE: Final = 0.2
SERIES: Final = 4
"""So many blocks of one title are a journal, not a decision that was taken again."""


class Measures(NamedTuple):
    """Against what the notes are measured."""

    today: date
    limit_chars: int
    stale_days: int = STALE_DAYS


def take_inventory(
    notes: NoteTexts,
    memories: Sequence[Entry],
    measures: Measures,
    progress: Progress = no_progress,
) -> Inventory:
    """Look through the blocks of *notes* and through *memories*; seconds of CPU time."""
    blocks = [entry for file in notes.files for entry in file.entries]
    pairs, comparison = _duplicates([*blocks, *memories], progress)
    preambles = ((file.path, file.preamble_chars) for file in notes.files)
    return Inventory(
        today=measures.today.isoformat(),
        stale_days=measures.stale_days,
        files_total=len(notes.files),
        blocks_total=len(blocks),
        memories_total=len(memories),
        stale=tuple(_stale([*blocks, *memories], measures)),
        duplicates=tuple(pairs),
        contradictions=tuple(_contradictions(blocks, pairs, measures.today.isoformat())),
        oversized=_over(((file.path, file.chars) for file in notes.files), measures, FULL_SHARE),
        long_preambles=_over(preambles, measures, PREAMBLE_SHARE),
        empty=tuple(entry.place for entry in blocks if entry.is_empty),
        undated=tuple(place for file in notes.files for place in _undated(file)),
        unreadable=tuple(Unreadable(file=path, reason=why) for path, why in notes.problems),
        comparison=comparison,
    )


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


def _title(entry: Entry) -> str:
    return without_dates(entry.place.heading).casefold()


def _grouped(entries: Iterable[Entry], key: Callable[[Entry], Hashable]) -> list[list[Entry]]:
    groups: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return list(groups.values())


def _contradictions(
    blocks: Sequence[Entry], duplicates: Iterable[Duplicate], today: str
) -> Iterator[Contradiction]:
    """
    Yield dates after today, and titles that two or three blocks have under different dates.

    Duplicates are left out, for they do not contradict each other, and titles
    of more blocks, which are a series.
    """
    for place in _after(blocks, today):
        yield Contradiction(a=place, b=None, reason="after today")
    known = {(pair.a, pair.b) for pair in duplicates}
    dated = (entry for entry in blocks if entry.heading_date and not entry.is_empty)
    for group in _grouped(dated, _title):
        newest, *others = sorted(group, key=lambda entry: entry.heading_date or "", reverse=True)
        if not _title(newest) or len(group) >= SERIES:
            continue
        for older in others:
            is_known = {(newest.place, older.place), (older.place, newest.place)} & known
            if older.heading_date != newest.heading_date and not is_known:
                yield Contradiction(a=newest.place, b=older.place, reason="same title, other date")


def _after(blocks: Iterable[Entry], today: str) -> Iterator[Place]:
    """Yield what is dated after today; a date that a whole file has, once."""
    told = set()
    for entry in blocks:
        place = entry.place
        if place.date is None or place.date <= today:
            continue
        if place.date_origin == "heading" or (place.file, place.date) not in told:
            yield place
        told.add((place.file, place.date))

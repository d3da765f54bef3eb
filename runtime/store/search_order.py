"""
Which of the records that were found are shown, and in what order.

What holds the whole question as it stands comes first. A recent record counts for
a little more, a pinned one or a permanent memory for as much as the newest. Records
of one place, and those that say the same, are shown as the best of them, so that ten
edits of one file leave room for others.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from runtime.days import day_number, local_day
from runtime.store.search_index import KINDS
from runtime.store.search_ranking import Found

if TYPE_CHECKING:
    from sqlite3 import Connection

GAIN: Final = 0.1
"""What a record of today gains, as a part of its score. A tenth changes places between
neighbours; it never lifts what fits badly."""
HALF_LIFE_DAYS: Final = 30
SCORE_DIGITS: Final = 9
"""Beyond, two scores are equal: sums in another order differ in the last bits."""
UNSURE: Final = "file time"
"""An origin of dates that tells when a file was copied, as often as when it was written."""


class Shown(NamedTuple):
    """A record that is shown, and how many it stands for beside itself."""

    found: Found
    more: int = 0


class Outline(NamedTuple):
    """What orders and groups a record: no text."""

    row: int
    date: str | None
    date_origin: str | None
    is_pinned: int
    content_hash: str
    place: str | None
    section: str | None
    line: int


def outlines(connection: "Connection", rows: Iterable[int]) -> dict[int, Outline]:
    """Return the outlines of these rows, by row."""
    numbers: tuple[list[int], ...] = ([], [], [])
    for row in rows:
        numbers[row % KINDS].append(row // KINDS)
    found = {}
    for statement, ids in zip((_MEMORIES, _CHUNKS, _POSTS), numbers, strict=True):
        # One statement for any number of ids: to prepare one takes as long as forty records.
        if ids:
            for record in connection.execute(statement, (f"[{','.join(map(str, ids))}]",)):
                found[record[0]] = Outline._make(record)
    return found


_MEMORIES: Final = """
SELECT id * 4 AS row, created_at AS date, 'event' AS date_origin, is_pinned,
    substr(content_hash, 1, 16) AS content_hash,
    target AS place, NULL AS section, 0 AS line
FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL
"""
_CHUNKS: Final = """
SELECT id * 4 + 1 AS row, date, date_origin, 0 AS is_pinned,
    CASE typeof(content_hash) WHEN 'blob' THEN lower(hex(content_hash))
        ELSE substr(content_hash, 1, 16) END AS content_hash, source AS place,
    heading_path AS section, start_line AS line
FROM note_chunks WHERE id IN (SELECT value FROM json_each(?))
"""
# Chosen by hand: it counts for as much as what is pinned.
_POSTS: Final = """
SELECT id * 4 + 2 AS row, saved_at AS date, 'saved' AS date_origin, 1 AS is_pinned,
    lower(hex(text_hash)) AS content_hash, source AS place, NULL AS section, 0 AS line
FROM permanent_posts WHERE id IN (SELECT value FROM json_each(?))
"""


def ordered(
    found: Sequence[Found], exact: Collection[int], records: Mapping[int, Outline], today: str
) -> list[Found]:
    """Return what was found with recency in its scores, best first, the exact ones before all."""
    now = day_number(today)
    days: dict[str, float] = {}
    scores = {
        hit.row: hit.score * (1 + GAIN * _freshness(records[hit.row], now, days)) for hit in found
    }
    floor = min((scores[hit.row] for hit in found if hit.row in exact), default=None)
    if floor is not None:
        scores |= {row: min(score, floor) for row, score in scores.items() if row not in exact}
    hits = [Found(hit.row, scores[hit.row], hit.share) for hit in found]
    return sorted(
        hits,
        key=lambda hit: (
            hit.row not in exact,
            -round(hit.score, SCORE_DIGITS),
            *_tie(hit, records[hit.row]),
        ),
    )


def _tie(hit: Found, record: Outline) -> tuple[str, int]:
    """
    Return what orders equal hits: their place.

    Rows of an index that is made anew have other numbers, and its answers are the
    same. What was found without words has its order already.
    """
    return (record.place or "", record.line) if hit.score else ("", 0)


def _freshness(record: Outline, now: int | None, known: dict[str, float]) -> float:
    """
    Return 1 for today or pinned, half of it for each month that is between, 0 for undated.

    *known* remembers what was worked out for dates: many records have the same.
    """
    if record.is_pinned:
        return 1.0
    date = record.date
    if not date or record.date_origin == UNSURE:
        return 0.0
    if date not in known:
        then = day_number(local_day(date))
        known[date] = 0.0
        if then is not None and now is not None:
            known[date] = float(2 ** (-max(0, now - then) / HALF_LIFE_DAYS))
    return known[date]


def grouped(found: Iterable[Found], records: Mapping[int, Outline], limit: int) -> list[Shown]:
    """
    Return one of each place and each text, the first of it, with the number of the others.

    A place is a path or address that a tool worked on, or a section of a note with
    its pieces; sections of one note are places of their own. What a tool wrote
    into a note is shown as the note.
    """
    firsts: dict[Hashable, int] = {}
    shown: list[Shown] = []
    for hit in found:
        record = records[hit.row]
        keys = _keys(record)
        first = next((firsts[key] for key in keys if key in firsts), len(shown))
        if first == len(shown):
            shown.append(Shown(hit))
        else:
            shown[first] = Shown(shown[first].found, shown[first].more + 1)
        for key in (*keys, *_own_keys(record)):
            firsts.setdefault(key, first)
    return shown[:limit]


def _keys(record: Outline) -> list[Hashable]:
    """Return what a record has in common with those that it need not be shown beside."""
    keys: list[Hashable] = [("text", record.content_hash)]
    if record.place:
        keys.append(("place", record.place, record.section))
    return keys


def _own_keys(record: Outline) -> list[Hashable]:
    """Return what only later records may have in common: a write of the note's file."""
    return [("place", record.place, None)] if record.section is not None else []

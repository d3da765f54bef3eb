"""
The rows that hold the most of a question, chosen before any of them is scored.

To score a row takes FTS5 many times as long as to find it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from runtime.store.search_index import Index
from runtime.store.search_marks import Marks, Weights
from runtime.store.search_ranking import CANDIDATES, ENOUGH, LAST_BIT

SCORED: Final = CANDIDATES
"""Rows that are candidates, and those that hold as much as the last of them."""


def rows_of(index: Index, expressions: Sequence[str], marks: Marks) -> dict[int, int]:
    """Return all rows that hold any of these expressions, each with the bits of those it holds."""
    found: dict[int, int] = {}
    get = found.get
    for expression in expressions:
        bit = marks.of(expression)
        for row in index.rows(expression):
            found[row] = get(row, 0) | bit
    return found


def candidates(
    index: Index,
    expressions: Sequence[str],
    found: Mapping[int, int],
    worth: Weights,
    project_key: str | None,
) -> Collection[int]:
    """
    Return those of the rows found by these expressions that hold the most of what was read.

    Rows that hold as much as the last one are among them, whatever their number.
    """
    if not found:
        return ()
    allowed = index.allowed(" OR ".join(expressions))
    may = found if allowed is None else {row: found[row] for row in allowed}
    some = _most(may, worth)
    if project_key is None:
        return some
    ours = index.of_project(some, project_key)
    if len(some) < len(may) and len(ours) < ENOUGH:
        # Another project's records fill the page: only now is every match looked at.
        ours = index.of_project(may, project_key)
        return _most({row: may[row] for row in ours}, worth)
    return [row for row in some if row in ours]


def _most(found: Mapping[int, int], worth: Weights) -> list[int]:
    if len(found) <= SCORED:
        return list(found)
    # Rows are many, and what they hold is one of a few sets of expressions.
    sets = Counter(found.values())
    kept: set[int] = set()
    count, last = 0, 0.0
    for held in sorted(sets, key=worth.__getitem__, reverse=True):
        if count >= SCORED and worth[held] < last - LAST_BIT:
            break
        kept.add(held)
        count, last = count + sets[held], worth[held]
    return [row for row, held in found.items() if held in kept]

"""
The rows that hold the most of a question, chosen before any of them is scored.

To score a row takes FTS5 many times as long as to find it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from runtime.store.search_index import Index
from runtime.store.search_marks import Marks, Weights
from runtime.store.search_ranking import CANDIDATES, ENOUGH, LAST_BIT

SCORED: Final = CANDIDATES
"""Rows that are candidates, and those that hold as much as the last of them."""
_Row = TypeVar("_Row", int, str)


def candidates(
    index: Index,
    expressions: Sequence[str],
    marks: Marks,
    worth: Weights,
    project_key: str | None,
) -> dict[int, int]:
    """
    Return the rows that hold the most of these expressions, each with the bits of those it holds.

    Rows that hold as much as the last one are among them, whatever their number.
    """
    found = _found(index, expressions, marks)
    allowed = index.allowed(" OR ".join(expressions)) if found else None
    may = found if allowed is None else {name: found[name] for name in allowed}
    some = _numbered(_most(may, worth), may)
    if project_key is None:
        return some
    ours = index.of_project(some, project_key)
    if len(some) < len(may) and len(ours) < ENOUGH:
        # Another project's records fill the page: only now is every match looked at.
        every = _numbered(may, may)
        ours = index.of_project(every, project_key)
        return {row: every[row] for row in _most({row: every[row] for row in ours}, worth)}
    return {row: held for row, held in some.items() if row in ours}


def _found(index: Index, expressions: Sequence[str], marks: Marks) -> dict[str, int]:
    """Return all rows that hold any of these, by name: few of so many are ever numbers."""
    found: dict[str, int] = {}
    get = found.get
    for expression in expressions:
        bit = marks.of(expression)
        for name in index.names(expression):
            found[name] = get(name, 0) | bit
    return found


def _numbered(names: Iterable[str], found: Mapping[str, int]) -> dict[int, int]:
    return {int(name): found[name] for name in names}


def _most(found: Mapping[_Row, int], worth: Weights) -> list[_Row]:
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

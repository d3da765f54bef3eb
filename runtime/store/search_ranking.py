"""
Which records answer a query, best first.

Every term weighs the more the rarer it is. A record's *share* is the part of
the query's weight that it holds; one with too little is no answer, so that one
shared bigram is none. What is an answer is ranked by bm25. Standard library only: the hook
process imports this.
"""

from runtime.store.search_index import Index
from runtime.tokens.query import phrase_terms, query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CANDIDATES = 200
ENOUGH = 20
"""Candidates of the own project with which one looks no further."""
MIN_SHARE = 0.2
"""Least part of the query's weight that a hit of a person's own search must match."""
LAST_BIT = 1e-9
"""Sums of one and the same set of floating-point numbers may differ by as much."""


class Query:
    """What is looked for, and how much of its weight a hit must hold, 0 to 1."""

    __slots__ = ("min_share", "terms", "text")

    def __init__(self, text: str, terms: "Sequence[str]", min_share: float) -> None:
        self.text = text
        self.terms = tuple(dict.fromkeys(terms))
        self.min_share = min_share


class Plan:
    """What a query asks of a row, told from how rare its terms are."""

    __slots__ = ("bar", "others", "required", "total")

    def __init__(self, index: Index, query: Query) -> None:
        weights = {term: index.weight(term) for term in query.terms}
        self.total = sum(weights.values())
        self.bar = query.min_share * self.total - LAST_BIT
        """Least weight of an acceptable row."""
        held = sorted(filter(index.count, weights), key=index.count)
        most = sum(weights[term] for term in held)
        self.required = {term: weights[term] for term in held if most - weights[term] < self.bar}
        """The terms without which a row stays below the bar, whatever else it holds."""
        self.others = {term: weights[term] for term in held if term not in self.required}
        """All other terms that occur at all, the rarest first."""
        if most < self.bar:
            self.required, self.others = {}, {}


class Found:
    """One row of the index as an answer: how well it fits, and how much of the query it holds."""

    __slots__ = ("is_exact", "row", "score", "share")

    def __init__(self, row: int, score: float, share: float, *, is_exact: bool = False) -> None:
        self.row = row
        self.score = score
        self.share = share
        self.is_exact = is_exact
        """It holds the whole question as it stands."""


def words(text: str, min_share: float = MIN_SHARE) -> Query:
    """Return the query for any of a text's words."""
    return Query(text, query_terms(text).terms, min_share)


def name(text: str) -> Query:
    """Return the query for the whole of a name, in whatever way it is written."""
    return Query(text, phrase_terms(text), 1.0)


def rank(
    index: Index, query: Query, limit: int, project_key: str | None, *, is_rough: bool = False
) -> list[Found]:
    """
    Return the best rows, best first; those that a project may see, or all for None.

    Roughly is quicker, with the same rows in the same order: a share may be told too
    low, and what was found alone has no score.
    """
    plan = Plan(index, query)
    if limit < 1 or not (plan.required or plan.others):
        return []
    sure = sum(plan.required.values())
    if sure >= plan.bar:
        scores = best(index, " AND ".join(plan.required), project_key)
        held = _held(index, {} if is_rough else plan.others, list(scores)[:limit], sure)
    else:
        expression, held = _sufficient(index, plan, is_rough=is_rough)
        seen = held if project_key is None else index.of_project(held, project_key)
        is_alone = is_rough and len(seen) == 1
        scores = (
            dict.fromkeys(seen, 0.0) if is_alone else dict(index.scores_among(expression, seen))
        )
    kept = [row for row in scores if held.get(row, 0.0) >= plan.bar]
    return [Found(row, scores[row], held[row] / plan.total) for row in kept[:limit]]


def best(index: Index, expression: str, project_key: str | None) -> dict[int, float]:
    """Return the best rows that match an expression, with their scores, best first."""
    scores = dict(index.best(expression, CANDIDATES))
    if project_key is None or not scores:
        return scores
    ours = index.of_project(scores, project_key)
    if len(scores) == CANDIDATES and len(ours) < ENOUGH:
        # Another project's records fill the page: only now is every match looked at.
        return dict(index.best(expression, CANDIDATES, project_key))
    return {row: score for row, score in scores.items() if row in ours}


def _held(
    index: Index, weights: "Mapping[str, float]", rows: "Iterable[int]", sure: float
) -> dict[int, float]:
    """Return the weight that each of these rows holds, beside what is sure of all of them."""
    held = dict.fromkeys(rows, sure)
    for term, weight in weights.items() if held else ():
        for row in index.rows_among(term, held):
            held[row] += weight
    return held


def _sufficient(index: Index, plan: Plan, *, is_rough: bool) -> tuple[str, dict[int, float]]:
    """
    Return an expression that all rows at the bar match, and those rows with their weight.

    What is needed comes first: the required terms together, else the rarest ones,
    until what is left would not do by itself. Common words, which match half of
    the store, are only looked up in the few rows that can still reach the bar; roughly,
    not even there when all of these have reached it.
    """
    weights = dict(plan.others)
    if plan.required:
        weights = {" AND ".join(plan.required): sum(plan.required.values()), **weights}
    left = sum(weights.values())
    needed: list[str] = []
    held: dict[int, float] = {}
    for expression, weight in weights.items():
        if left >= plan.bar:
            needed.append(expression)
            rows: Iterable[int] = index.rows(expression)
        elif is_rough and all(value >= plan.bar for value in held.values()):
            break
        else:
            rows = index.rows_among(expression, held) if held else []
        left -= weight
        for row in rows:
            held[row] = held.get(row, 0.0) + weight
        if left < plan.bar:  # else what is left would do by itself: no row is out of reach
            held = {row: value for row, value in held.items() if value + left >= plan.bar}
    return " OR ".join(needed), held

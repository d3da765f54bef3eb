"""
Which records answer what a person asks, best first.

Any word of the query may match, and where a record does not have it, another
word of the same meaning or sound counts for a part of it. What holds the whole
query as it stands comes first. A record with too little of the query's weight
is no answer.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from runtime.store.search_index import Index, own
from runtime.store.search_ranking import CANDIDATES, ENOUGH, LAST_BIT, Found

WORTH: Final = 0.5
"""What an alternative's own score counts for. Up to 0.8, queries in the other language gain
what those in the record's own begin to lose."""
TERMS_STOOD_FOR: Final = 3
"""A word counts by its terms, of which Japanese has many: so many of them at most."""
POSTINGS: Final = 5_000
"""Index entries that one question reads; beyond, common words are left out."""
OTHERS: Final = POSTINGS // 2
"""As many for words of the same meaning or sound, and for common ones beside what was read."""
SCORED: Final = CANDIDATES
"""Rows whose score is worked out, and those that hold as much as the last of them."""


class Asked(NamedTuple):
    """What is looked for, in FTS5 expressions."""

    terms: Sequence[str]
    """Any may match."""
    alternatives: Mapping[str, tuple[str, ...]]
    """Each with the terms that it stands for."""
    whole: str
    """All of the query as it stands; empty when nothing is to come first."""


class _Rows:
    """What is known of the candidates: their scores, and the terms that each holds."""

    def __init__(self, expression: str, scores: Mapping[int, float]) -> None:
        self.expression = expression
        """What all of them match."""
        self.scores = dict(scores)
        self.terms: dict[int, set[str]] = {row: set() for row in scores}

    def add_term(self, term: str, rows: Iterable[int]) -> None:
        """Note that rows hold a term; those that are no candidates do not matter."""
        for row in self.terms.keys() & rows:
            self.terms[row].add(term)

    def look_up(self, index: Index, term: str) -> None:
        """Credit the rows that hold a term of which the other rows were not read."""
        rows = index.rows_among(term, self.scores, self.expression)
        self.add_term(term, rows)
        for row in rows:
            self.scores[row] += WORTH * index.weight(term)

    def add_alternatives(
        self,
        index: Index,
        alternatives: Mapping[str, tuple[str, ...]],
        postings: Mapping[str, Collection[int]],
    ) -> None:
        """Credit a row with the words of which it has another form, once a word."""
        by_word: dict[tuple[str, ...], list[str]] = {}
        for expression, terms in alternatives.items():
            by_word.setdefault(terms, []).append(expression)
        for terms, expressions in by_word.items():
            without = {row for row, held in self.terms.items() if held.isdisjoint(terms)}
            gains = dict.fromkeys(without, 0.0)
            for expression in expressions:
                rows = without.intersection(postings.get(expression, ()))
                for row, score in index.scores_among(expression, rows) if rows else ():
                    gains[row] = max(gains[row], score)
            for row, score in gains.items():
                if score:
                    self.scores[row] += WORTH * score * _stood_for(terms)
                    self.terms[row].update(terms)


def rank_words(
    index: Index, asked: Asked, limit: int, project_key: str | None, min_share: float
) -> list[Found]:
    """Return the best rows, best first; those that a project may see, or all for None."""
    alternatives = {
        expression: terms
        for expression, terms in asked.alternatives.items()
        if expression not in asked.terms
    }
    plain = index.rarest(asked.terms, POSTINGS)
    if plain and index.is_crowd(plain[0]):
        rows, terms = _newest(index, asked, plain[0], project_key)
    else:
        others = index.rarest(alternatives, OTHERS)
        read = [*plain, *(other for other in others if not index.is_crowd(other))]
        rows, terms = _fitting(index, asked, alternatives, read, project_key)
    if not rows.scores or limit < 1:
        return []
    exact: Collection[int] = ()
    if asked.whole:
        exact = index.rows_among(own(asked.whole), rows.scores, rows.expression)
        _put_first(rows.scores, exact)
    shares = _shares(rows.terms, {term: index.weight(term) for term in terms})
    ordered = sorted(rows.scores.items(), key=lambda pair: -pair[1])
    kept = [(row, score) for row, score in ordered if shares[row] >= min_share - LAST_BIT]
    return [Found(row, score, shares[row], is_exact=row in exact) for row, score in kept[:limit]]


def _fitting(
    index: Index,
    asked: Asked,
    alternatives: Mapping[str, tuple[str, ...]],
    read: Sequence[str],
    project_key: str | None,
) -> tuple[_Rows, list[str]]:
    """
    Return the rows that fit best, and the terms of which is known whether they hold them.

    Common words say too little to be looked for beyond what that may cost.
    """
    postings = {expression: index.rows(expression) for expression in read}
    weights = {expression: index.weight(expression) for expression in read}
    for expression in alternatives.keys() & postings:
        weights[expression] *= WORTH * _stood_for(alternatives[expression])
    candidates = _candidates(index, postings, weights, project_key) if read else []
    rows = _Rows(" OR ".join(read), dict.fromkeys(candidates, 0.0))
    terms = [term for term in asked.terms if term in postings or not index.count(term)]
    if not candidates:
        return rows, terms
    plain = [term for term in read if term not in alternatives]
    if plain:
        rows.scores.update(index.scores_among(" OR ".join(plain), candidates))
    for term in plain:
        rows.add_term(term, postings[term])
    reach = sum(map(len, postings.values()))
    left = OTHERS
    for term in index.by_count(set(asked.terms).difference(terms)):
        left -= min(index.count(term), reach)
        if left < 0:
            break
        rows.look_up(index, term)
        terms.append(term)
    rows.add_alternatives(index, alternatives, postings)
    return rows, terms


def _newest(
    index: Index, asked: Asked, rarest: str, project_key: str | None
) -> tuple[_Rows, list[str]]:
    """
    Return the newest rows that hold all of a question's terms, all of which are common.

    Where there are none, those that hold the rarest one. Nothing else tells them apart.
    """
    terms = [term for term in asked.terms if index.count(term)]
    rows = index.newest(" AND ".join(terms), CANDIDATES, project_key) if terms else []
    if not rows:
        terms, rows = [rarest], index.newest(rarest, CANDIDATES, project_key)
    score = sum(map(index.weight, terms))
    found = _Rows(" AND ".join(terms), dict.fromkeys(rows, score))
    for term in terms:
        found.add_term(term, rows)
    return found, [*terms, *(term for term in asked.terms if not index.count(term))]


def _candidates(
    index: Index,
    postings: Mapping[str, Sequence[int]],
    worth: Mapping[str, float],
    project_key: str | None,
) -> list[int]:
    """
    Return the rows that hold the most of what was read.

    To score a row takes ten times as long as to find it, so only these are scored.
    Rows that hold as much as the last one are among them, whatever their number.
    """
    every: defaultdict[int, float] = defaultdict(float)
    for expression, rows in postings.items():
        weight = worth[expression]
        for row in rows:
            every[row] += weight
    allowed = index.allowed(" OR ".join(postings))
    sums = every if allowed is None else {row: every[row] for row in allowed}
    some = _most(sums)
    if project_key is None:
        return some
    ours = index.of_project(some, project_key)
    if len(some) < len(sums) and len(ours) < ENOUGH:
        # Another project's records fill the page: only now is every match looked at.
        ours = index.of_project(sums, project_key)
        return _most({row: sums[row] for row in ours})
    return [row for row in some if row in ours]


def _most(sums: Mapping[int, float]) -> list[int]:
    if len(sums) <= SCORED:
        return list(sums)
    least = sorted(sums.values(), reverse=True)[SCORED - 1]
    return [row for row, value in sums.items() if value >= least]


def _put_first(scores: dict[int, float], rows: Iterable[int]) -> None:
    most = max(scores.values())
    for row in rows:
        scores[row] += most


def _stood_for(terms: Sequence[str]) -> int:
    return min(len(terms), TERMS_STOOD_FOR)


def _shares(held: Mapping[int, Iterable[str]], weights: Mapping[str, float]) -> dict[int, float]:
    """Return what part of the query's weight each row holds, 0 to 1."""
    total = sum(weights.values())
    return {
        row: sum(weights.get(term, 0.0) for term in terms) / total for row, terms in held.items()
    }

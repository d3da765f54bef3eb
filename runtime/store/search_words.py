"""
Which records answer what a person asks, best first.

Any word of the query may match, and where a record does not have it, another
word of the same meaning or sound counts for a part of it. What holds the whole
query as it stands comes first. A record with too little of the query's weight
is no answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from runtime.store.search_index import Index, own
from runtime.store.search_ranking import LAST_BIT, Found, best

WORTH: Final = 0.5
"""What an alternative's own score counts for. Up to 0.8, queries in the other language gain
what those in the record's own begin to lose."""
TERMS_STOOD_FOR: Final = 3
"""A word counts by its terms, of which Japanese has many: so many of them at most."""
POSTINGS: Final = 10_000
"""Index entries that one question reads; beyond, common words are left out."""


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

    def __init__(self, index: Index, asked: Asked, scores: Mapping[int, float]) -> None:
        self.scores = dict(scores)
        self.terms: dict[int, set[str]] = {row: set() for row in scores}
        for term in filter(index.count, asked.terms):
            for row in index.rows_among(term, self.terms):
                self.terms[row].add(term)

    def add_alternatives(self, index: Index, alternatives: Mapping[str, tuple[str, ...]]) -> None:
        """Credit a row with the words of which it has another form, once a word."""
        by_word: dict[tuple[str, ...], list[str]] = {}
        for expression, terms in alternatives.items():
            by_word.setdefault(terms, []).append(expression)
        for terms, expressions in by_word.items():
            without = [row for row, held in self.terms.items() if held.isdisjoint(terms)]
            gains = dict.fromkeys(without, 0.0)
            for expression in expressions if without else ():
                for row, score in index.scores_among(expression, without):
                    gains[row] = max(gains[row], score)
            for row, score in gains.items():
                if score:
                    self.scores[row] += WORTH * score * min(len(terms), TERMS_STOOD_FOR)
                    self.terms[row].update(terms)


def rank_words(
    index: Index, asked: Asked, limit: int, project_key: str | None, min_share: float
) -> list[Found]:
    """Return the best rows, best first; those that a project may see, or all for None."""
    alternatives = {
        expression: terms
        for expression, terms in asked.alternatives.items()
        if expression not in asked.terms and index.count(expression)
    }
    read = _affordable(index, [*asked.terms, *alternatives])
    scores = best(index, " OR ".join(read), project_key) if read and limit > 0 else {}
    if not scores:
        return []
    if not alternatives.keys().isdisjoint(read):
        plain = [term for term in read if term not in alternatives]
        by_own = dict(index.scores_among(" OR ".join(plain), scores)) if plain else {}
        scores = {row: by_own.get(row, 0.0) for row in scores}
    rows = _Rows(index, asked, scores)
    rows.add_alternatives(index, alternatives)
    if asked.whole:
        _put_first(rows.scores, index.rows_among(own(asked.whole), rows.scores))
    weights = {term: index.weight(term) for term in asked.terms}
    shares = _shares(rows.terms, weights)
    ordered = sorted(rows.scores.items(), key=lambda pair: -pair[1])
    kept = [(row, score) for row, score in ordered if shares[row] >= min_share - LAST_BIT]
    return [Found(row, score, shares[row]) for row, score in kept[:limit]]


def _affordable(index: Index, expressions: Iterable[str]) -> list[str]:
    """Return the expressions that occur, the rarest first, until enough rows are read."""
    found = sorted(filter(index.count, dict.fromkeys(expressions)), key=index.count)
    read: list[str] = []
    spent = 0
    for expression in found:
        spent += index.count(expression)
        if read and spent > POSTINGS:
            break
        read.append(expression)
    return read


def _put_first(scores: dict[int, float], rows: Iterable[int]) -> None:
    most = max(scores.values())
    for row in rows:
        scores[row] += most


def _shares(held: Mapping[int, Iterable[str]], weights: Mapping[str, float]) -> dict[int, float]:
    """Return what part of the query's weight each row holds, 0 to 1."""
    total = sum(weights.values())
    return {
        row: sum(weights.get(term, 0.0) for term in terms) / total for row, terms in held.items()
    }

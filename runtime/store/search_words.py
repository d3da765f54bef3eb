"""
Which records answer what a person asks, best first.

Any word of the query may match, and where a record does not have it, another
word of the same meaning or sound counts for a part of it. What holds the whole
query as it stands comes first. A record with too little of the query's weight
is no answer.
"""

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from runtime.store.search_candidates import candidates
from runtime.store.search_index import Index, own
from runtime.store.search_marks import Marks
from runtime.store.search_ranking import CANDIDATES, LAST_BIT, Found

WORTH: Final = 0.5
"""What an alternative's own score counts for. Up to 0.8, queries in the other language gain
what those in the record's own begin to lose."""
TERMS_STOOD_FOR: Final = 3
"""A word counts by its terms, of which Japanese has many: so many of them at most."""
POSTINGS: Final = 5_000
"""Index entries that one question reads; beyond, common words are left out."""
OTHERS: Final = POSTINGS // 2
"""As many for words of the same meaning or sound, and for common ones beside what was read."""


class Asked(NamedTuple):
    """What is looked for, in FTS5 expressions."""

    terms: Sequence[str]
    """Any may match."""
    alternatives: Mapping[str, tuple[str, ...]]
    """Each with the terms that it stands for."""
    whole: str
    """All of the query as it stands; empty when nothing is to come first."""


class _Rows:
    """What is known of the candidates: what each is credited with, and the terms it holds."""

    def __init__(self, read: Sequence[str], held: Mapping[int, int], marks: Marks) -> None:
        self.expression = " OR ".join(read)
        """What all of them match."""
        self.held = dict(held)
        """The bits of the terms that each row holds."""
        self.scores = dict.fromkeys(held, 0.0)
        self.marks = marks
        self.known = marks.of(*read)
        """Of which expressions is known whether a row holds them."""
        self._others: list[tuple[tuple[str, ...], str, list[int]]] = []
        """Words by their terms, another form of each, and the rows that it counts for."""

    def look_up(self, index: Index, term: str) -> None:
        """Credit the rows that hold a term of which the other rows were not read."""
        credit, bit = WORTH * index.weight(term), self.marks.of(term)
        self.known |= bit
        for row in index.rows_among(term, self.held, self.expression):
            self.held[row] |= bit
            self.scores[row] += credit

    def add_alternatives(
        self, alternatives: Mapping[str, tuple[str, ...]], found: Mapping[int, int]
    ) -> None:
        """Count a word as held where a row has another form of it."""
        by_word: dict[tuple[str, ...], list[str]] = {}
        for expression, terms in alternatives.items():
            by_word.setdefault(terms, []).append(expression)
        for terms, expressions in by_word.items():
            word, others = self.marks.of(*terms), self.marks.of(*expressions)
            rows = [row for row in self.held if found[row] & others and not self.held[row] & word]
            for row in rows:
                self.held[row] |= word
            for expression in expressions if rows else ():
                bit = self.marks.of(expression)
                holding = [row for row in rows if found[row] & bit]
                self._others.append((terms, expression, holding))

    def score(self, index: Index, plain: Sequence[str]) -> None:
        """Add the scores of the plain terms, and for each other word the best of its forms."""
        if plain:
            for row, score in index.scores_among(" OR ".join(plain), self.scores):
                self.scores[row] += score
        best: dict[tuple[str, ...], dict[int, float]] = {}
        for terms, expression, holding in self._others:
            rows = [row for row in holding if row in self.held]
            gains = best.setdefault(terms, {})
            for row, score in index.scores_among(expression, rows) if rows else ():
                gains[row] = max(gains.get(row, 0.0), score)
        for terms, gains in best.items():
            for row, score in gains.items():
                self.scores[row] += WORTH * score * _stood_for(terms)

    def exact(self, index: Index, whole: str) -> Collection[int]:
        """Return those that hold the whole query as it stands."""
        tokens = whole.strip('*"').split()
        if whole.endswith("*"):
            tokens.pop()  # the text may go on there with another one
        # What holds the phrase holds its tokens: seldom does any row hold all that are known.
        each = self.marks.of(*(f'"{token}"' for token in tokens)) & self.known
        rows = [row for row, held in self.held.items() if held & each == each]
        return index.rows_among(own(whole), rows, self.expression) if whole and rows else ()

    def leave_out(self, rows: Collection[int]) -> None:
        """Forget rows that are no answer."""
        for row in rows:
            del self.held[row], self.scores[row]


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
        plain, rows, terms = [], *_newest(index, asked, plain[0], project_key)
    else:
        others = index.rarest(alternatives, OTHERS)
        read = [*plain, *(other for other in others if not index.is_crowd(other))]
        rows, terms = _fitting(index, asked, alternatives, read, project_key)
    weights = rows.marks.weights({term: index.weight(term) for term in terms})
    total = weights[rows.marks.of(*terms)]
    least = (min_share - LAST_BIT) * total
    rows.leave_out([row for row, held in rows.held.items() if weights[held] < least])
    if not rows.scores or limit < 1:
        return []
    rows.score(index, plain)  # only what is an answer: that takes longer than to find it
    exact = rows.exact(index, asked.whole)
    _put_first(rows.scores, exact)
    ordered = sorted(rows.scores.items(), key=itemgetter(1), reverse=True)[:limit]
    return [
        Found(row, score, weights[rows.held[row]] / total, is_exact=row in exact)
        for row, score in ordered
    ]


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
    marks = Marks([*asked.terms, *read])
    weights = {expression: index.weight(expression) for expression in read}
    for expression in alternatives.keys() & weights.keys():
        weights[expression] *= WORTH * _stood_for(alternatives[expression])
    found = candidates(index, read, marks, marks.weights(weights), project_key)
    rows = _Rows(read, found, marks)
    terms = [term for term in asked.terms if term in weights or not index.count(term)]
    if not found:
        return rows, terms
    reach = sum(map(index.count, read))
    left = OTHERS
    for term in index.by_count(set(asked.terms).difference(terms)):
        left -= min(index.count(term), reach)
        if left < 0:
            break
        rows.look_up(index, term)
        terms.append(term)
    rows.add_alternatives(alternatives, found)
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
    marks = Marks(asked.terms)
    found = _Rows(terms, dict.fromkeys(rows, marks.of(*terms)), marks)
    found.expression = " AND ".join(terms)
    found.scores = dict.fromkeys(rows, sum(map(index.weight, terms)))
    return found, [*terms, *(term for term in asked.terms if not index.count(term))]


def _put_first(scores: dict[int, float], rows: Collection[int]) -> None:
    most = max(scores.values()) if rows else 0.0
    for row in rows:
        scores[row] += most


def _stood_for(terms: Sequence[str]) -> int:
    return min(len(terms), TERMS_STOOD_FOR)

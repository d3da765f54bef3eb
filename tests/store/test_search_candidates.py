"""Which rows are scored: those that hold the most, however few of the others are looked at."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.store.search_candidates import candidates
from runtime.store.search_index import KINDS, Index
from runtime.store.search_marks import Marks
from tests.store.test_search_ranking import indexed

LETTERS = "abcdef"
SCORED = 2


@given(
    texts=st.lists(st.sets(st.sampled_from(LETTERS)), max_size=14),
    worths=st.lists(st.sampled_from([0.5, 1.0, 2.0, 4.0]), min_size=6, max_size=6),
)
@example([{"a"}, {"a"}, *[{"b"}] * 3, {"a", "b"}], [4.0, 1.0, 1.0, 1.0, 1.0, 1.0])
def test_the_rows_that_hold_the_most_are_candidates_and_those_that_equal_the_last(
    texts: list[set[str]], worths: list[float]
) -> None:
    weights = dict(zip(LETTERS, worths, strict=True))
    sums = {
        number * KINDS + 1: sum(weights[letter] for letter in text)
        for number, text in enumerate(texts, 1)
        if text
    }
    least = sorted(sums.values(), reverse=True)[:SCORED][-1] if sums else 0
    terms = {letter: f'"{letter}1"' for letter in LETTERS}
    marks = Marks(terms.values())
    worth = marks.weights({term: weights[letter] for letter, term in terms.items()})

    with (
        pytest.MonkeyPatch.context() as patch,
        indexed(*((" ".join(f"{letter}1" for letter in text), None) for text in texts)) as store,
    ):
        patch.setattr("runtime.store.search_candidates.SCORED", SCORED)
        index = Index(store)
        read = index.by_count(terms.values())
        found = candidates(index, read, marks, worth, None)

    assert set(found) == {row for row, weight in sums.items() if weight >= least}
    for row, held in found.items():
        assert held == marks.of(*(terms[letter] for letter in texts[row // KINDS - 1]))

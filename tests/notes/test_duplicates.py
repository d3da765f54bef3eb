"""The search for pairs that say the same, against the comparison of all."""

import random
from collections import Counter
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.notes import duplicates
from runtime.notes.duplicates import GRAM_CHARS, Duplicates, find_duplicates, piece_chars
from tests.notes.alike import JAPANESE, WORDS, brute_force, relatives, slow_ratio


def as_rows(found: Duplicates) -> list[tuple[int, int, float, str]]:
    return [tuple(pair) for pair in found.pairs]


@given(st.lists(relatives(), max_size=4), st.sampled_from([0.5, 0.7, 0.95, 1.0]))
def test_nothing_that_comparing_all_pairs_finds_is_missed(
    families: list[list[str]], threshold: float
) -> None:
    texts = [text for family in families for text in family]

    found = find_duplicates(texts, threshold=threshold)

    assert as_rows(found) == brute_force(texts, threshold)
    assert (found.uncompared, found.most_shared) == (0, 0.0)


def prose(seed: int, words: int) -> str:
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) for _ in range(words))


def test_prose_is_compared_like_anything_else() -> None:
    texts = [prose(seed, 30) for seed in range(12)]
    texts += [text.replace("the", "a") for text in texts[:4]]
    texts += [" ".join(reversed(text.split())) for text in texts[:4]]
    texts += [JAPANESE, JAPANESE.replace("3回", "5回"), JAPANESE[20:] + JAPANESE[:20]]

    found = find_duplicates(texts)

    assert as_rows(found) == brute_force(texts, 0.7)
    assert len(found.pairs) >= 5


def test_a_pair_beyond_the_three_hundredth_text_is_found() -> None:
    """A28: the older report looked at the first 300 blocks and said nothing of the others."""
    texts = [f"{number:b} ".replace("0", "ab ").replace("1", "cde ") * 3 for number in range(400)]
    texts[350] = "something quite different"
    texts[399] = "something quite different!"

    found = find_duplicates(texts, threshold=0.97)

    assert (350, 399) in {(pair.a, pair.b) for pair in found.pairs}
    assert found.uncompared == 0


@pytest.mark.parametrize("texts", [[], ["alone"], ["", ""], ["", "x"]])
def test_without_two_texts_there_is_no_pair(texts: list[str]) -> None:
    assert find_duplicates(texts) == Duplicates((), 0, 0.0)


@given(relatives(), st.integers(0, 5_000_000))
@settings(max_examples=300)
def test_what_a_spent_budget_leaves_out_is_counted_and_bounded(
    texts: list[str], budget: int
) -> None:
    """A pair left out shares no more 4-grams than told, and agrees in short pieces only."""
    all_pairs = {pair[:2]: pair for pair in find_duplicates(texts).pairs}

    found = find_duplicates(texts, budget=budget)

    missed = all_pairs.keys() - {pair[:2] for pair in found.pairs}
    assert len(missed) <= found.uncompared
    for a, b in missed:
        assert shared_grams(texts[a], texts[b]) <= found.most_shared
        if all_pairs[a, b].how == "similar":
            assert average_piece(texts[a], texts[b]) <= piece_chars(found.most_shared) + 1e-9


def shared_grams(a: str, b: str) -> float:
    first, second = (
        Counter(text[at : at + GRAM_CHARS] for at in range(len(text) - GRAM_CHARS + 1))
        for text in (a, b)
    )
    return 2.0 * (first & second).total() / (len(a) + len(b))


def average_piece(a: str, b: str) -> float:
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    sizes = [block.size for block in blocks if block.size]
    return sum(sizes) / len(sizes)


def test_those_with_most_in_common_are_compared_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicates, "KEPT_PAIRS", 3)
    texts = [prose(seed, 40) for seed in range(20)]
    texts.append(texts[7].replace("session", "sitting", 1))

    found = find_duplicates(texts)

    assert [(pair.a, pair.b) for pair in found.pairs] == [(7, 20)]
    assert found.pairs[0].similarity == slow_ratio(texts[7], texts[20])
    assert found.uncompared > 100
    assert found.most_shared < 0.7


def test_progress_goes_from_nothing_to_everything() -> None:
    told: list[tuple[int, int]] = []

    find_duplicates([prose(seed, 20) for seed in range(30)], progress=lambda *at: told.append(at))

    assert told == sorted(told)
    assert told[-1] == (60, 60)
    assert len(told) > 30


@pytest.mark.parametrize(
    ("most_shared", "chars"), [(0.0, 3.0), (0.35, 6.0), (0.7, float("inf")), (1.0, float("inf"))]
)
def test_the_bound_grows_with_what_is_shared(most_shared: float, chars: float) -> None:
    assert piece_chars(most_shared) == pytest.approx(chars)

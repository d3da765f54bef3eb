"""Almost equal texts are found among many; what is confirmed is alike."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.longterm.nearness import (
    BEFORE,
    BINS,
    SAMPLED_CHARS,
    THRESHOLD,
    Bands,
    Families,
    signatures,
    similarity,
)

WORDS = [f"w{number:x}" for number in range(3000)]
KANA = [chr(code) for code in range(0x3041, 0x3094)] + [chr(0x4E00 + 7 * n) for n in range(500)]


def english(chosen: random.Random, chars: int) -> str:
    return " ".join(chosen.choices(WORDS, k=chars // 3))[:chars]


def japanese(chosen: random.Random, chars: int) -> str:
    return "".join(chosen.choices(KANA, k=chars))


def changed(text: str) -> str:
    """Another word in every tenth line or so."""
    chars = list(text)
    for start in range(40, len(chars) - 6, 120):
        chars[start : start + 6] = "999999"
    return "".join(chars)


@pytest.mark.parametrize("make", [english, japanese])
@pytest.mark.parametrize("chars", [200, 650, 790, 1000, 4000])
def test_a_text_with_a_few_changes_is_found_among_others(make, chars: int) -> None:
    chosen = random.Random(chars)
    texts = [make(chosen, chars) for _ in range(200)]
    bands = Bands()
    for text in [*texts, *map(changed, texts)]:
        bands.add(text, "project")

    pairs = bands.pairs()

    found = {pair for pair in pairs if pair[1] - pair[0] == 200}
    assert len(found) >= 196
    assert len(pairs) <= 800  # of 79,800


def test_a_text_that_has_grown_past_the_border_of_sampling_is_found() -> None:
    chosen = random.Random(1)
    texts = [english(chosen, SAMPLED_CHARS - 20) for _ in range(50)]
    bands = Bands()
    for text in [*texts, *(text + english(chosen, 40) for text in texts)]:
        bands.add(text, "")

    assert {(n, n + 50) for n in range(50)} <= set(bands.pairs())


def test_those_of_two_projects_are_never_compared() -> None:
    bands = Bands()
    bands.add("the same text in two projects " * 9, "one")
    bands.add("the same text in two projects " * 9, "two")

    assert bands.pairs() == []


def test_a_crowd_of_equal_texts_is_compared_with_few() -> None:
    """Never each with each: a store may hold one template a hundred thousand times."""
    bands = Bands()
    for _ in range(2000):
        bands.add("a template that says the same in every session " * 9, "")

    pairs = bands.pairs()

    assert len(pairs) <= 2000 * BEFORE
    assert {b for _a, b in pairs} == set(range(1, 2000))


@given(st.text(max_size=2000))
def test_any_text_has_a_signature(text: str) -> None:
    text = text.encode(errors="replace").decode()

    found = signatures(text)

    assert found
    assert all(len(bins) == BINS for bins in found)
    assert signatures(text) == found


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=40))
def test_families_are_what_pairs_join(pairs: list[tuple[int, int]]) -> None:
    families = Families(20)
    known = [{number} for number in range(20)]
    for a, b in pairs:
        families.join(a, b)
        one = next(group for group in known if a in group)
        two = next(group for group in known if b in group)
        if one is not two:
            known = [group for group in known if group not in (one, two)] + [one | two]

    assert all(len({families.of(number) for number in group}) == 1 for group in known)
    assert len({families.of(number) for number in range(20)}) == len(known)


@pytest.mark.parametrize("chars", [300, 5000])
def test_similarity_tells_alike_from_unlike(chars: int) -> None:
    chosen = random.Random(2)
    text, other = english(chosen, chars), english(chosen, chars)

    assert similarity(text, text) == 1
    assert (similarity(text, changed(text)) or 0) >= (THRESHOLD if chars < 800 else 0.8)
    assert similarity(text, other) is None


def test_short_texts_are_left_to_the_search_for_copies() -> None:
    """They may differ in the one figure that matters."""
    bands = Bands()
    bands.add("The service listens on port 5432.", "")
    bands.add("The service listens on port 5433.", "")

    assert bands.pairs() == []

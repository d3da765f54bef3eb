"""How alike two texts are."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.likeness import (
    CharacterCounts,
    Likeness,
    may_be_similar,
    ratio,
    sentences,
    shared_chars,
)
from tests.notes.alike import relatives, slow_ratio

COMMON = "the rest is in her other notes as there is no reason to start the session at ten then"
ENGLISH = " ".join(COMMON.split()[n * 7 % 19] for n in range(400))


@given(st.one_of(relatives(), st.lists(st.text(), min_size=2)))
def test_the_ratio_is_that_of_difflib(texts: list[str]) -> None:
    first, last = texts[0], texts[-1]

    assert ratio(first, last) == slow_ratio(first, last)


@given(relatives(), st.sampled_from([0.1, 0.5, 0.7, 0.9, 1.0]))
def test_what_is_similar_is_never_ruled_out(texts: list[str], threshold: float) -> None:
    first, last = texts[0], texts[-1]

    if slow_ratio(first, last) >= threshold:
        assert may_be_similar(first, last, threshold)
        assert may_be_similar(last, first, threshold)


@given(relatives())
def test_what_is_ruled_out_has_too_short_a_common_subsequence(texts: list[str]) -> None:
    first, last = texts[0], texts[-1]

    longest = slow_lcs(first, last)

    possible = 2.0 * longest / (len(first) + len(last))
    assert may_be_similar(first, last, 0.7) is (possible >= 0.7)


def slow_lcs(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for char in a:
        last = row[:]
        for at, other in enumerate(b, start=1):
            row[at] = last[at - 1] + 1 if char == other else max(last[at], row[at - 1])
    return row[-1]


@given(st.lists(st.text(), min_size=2))
def test_common_bits_are_common_characters(texts: list[str]) -> None:
    counts = CharacterCounts(texts)

    common = (counts.mask(texts[0]) & counts.mask(texts[-1])).bit_count()

    both = len(texts[0]) + len(texts[-1])
    quick = SequenceMatcher(None, texts[0], texts[-1], autojunk=False).quick_ratio()
    assert (2.0 * common / both if both else 1.0) == quick


@pytest.mark.parametrize("size", [255, 1270])
def test_a_text_with_two_words_changed_is_the_same_text(size: int) -> None:
    """A27: difflib's autojunk, on by default, would miss both: each letter is too frequent."""
    text = ENGLISH[:size]
    changed = text.replace(" session ", " sitting ", 1).replace(" notes ", " lists ", 1)

    assert SequenceMatcher(None, text, changed).ratio() < 0.7
    similarity, how = Likeness([text, changed], 0.7).of(0, 1) or (0.0, "")
    assert how == "similar"
    assert similarity > 0.95


def test_sentences_in_another_order_are_the_same_sentences() -> None:
    """A27: difflib alone gives such a pair about 0.5."""
    parts = [
        "The cache is kept in memory.",
        "It is emptied at night.",
        "Nobody reads it while the job runs.",
        "The job starts at two.",
    ]
    texts = [" ".join(parts), " ".join(reversed(parts))]

    assert slow_ratio(*texts) < 0.7
    assert Likeness(texts, 0.7).of(0, 1) == (2 * 108 / 222, "reordered")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("一つ。二つ！三つ？四つ", ["一つ。", "二つ！", "三つ？", "四つ"]),
        ("One 1.5 two. Three? Yes!", ["One 1.5 two.", "Three?", "Yes!"]),
        ("- item\n  * inner\n3. third\n### Sub\n\n  x", ["item", "inner", "third", "Sub", "x"]),
        ("same\nsame", ["same", "same"]),
        (" \n\n", []),
    ],
)
def test_sentences_end_at_marks_and_lines(text: str, parts: list[str]) -> None:
    assert sorted(sentences(text).elements()) == sorted(parts)


def test_a_sentence_counts_as_often_as_both_have_it() -> None:
    assert shared_chars(sentences("ab\nab\ncd"), sentences("ab\nab\nab")) == 4
    assert shared_chars(sentences("ab"), sentences("cd")) == 0

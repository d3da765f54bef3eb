"""Several texts in one, without a word of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.likeness import sentences
from runtime.markdown.lines import closing_line
from runtime.notes.merging import merged


@pytest.mark.parametrize(
    ("body", "others", "whole", "why"),
    [
        ("a\nb", ["b\na"], "a\nb", "nothing new"),
        ("a", ["a\nb", "c\nb"], "a\n\nb\n\nc", "each line once, the newer text's order first"),
        ("一つ。二つ。", ["二つ。一つ。"], "一つ。二つ。", "sentences count, not lines"),
        ("- a", ["- b\n- a\n- c"], "- a\n\n- b\n- c", "items stay together"),
        ("a", ["b\n\nc"], "a\n\nb\n\nc", "paragraphs stay apart"),
        ("a", ["```\nx\n```"], "a\n\n```\nx\n```", "a fence is one thing"),
        ("```\nx\n```", ["```\nx\n```\ny"], "```\nx\n```\n\ny", "that is added only once"),
        ("```\nx\n```", ["```\n  x\n```"], "```\nx\n```\n\n```\n  x\n```", "indented it differs"),
        ("a", ["---\nb"], "a\n\n---\nb", "a body has no front matter"),
        ("a", [], "a", "nothing to add"),
        ("", ["b"], "\n\nb", "an empty one takes all"),
    ],
)
def test_what_only_others_say_stands_at_the_end(
    body: str, others: list[str], whole: str, why: str
) -> None:
    assert merged(body, others) == whole, why


TEXTS = st.lists(
    st.sampled_from(["a.", "b b", "- c", "", "```", "  x", "一。二。"]), max_size=8
).map("\n".join)


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_no_sentence_is_lost_and_nothing_of_the_newest_changed(
    body: str, others: list[str]
) -> None:
    whole = merged(body, others)

    assert whole.startswith(body)
    said = {sentence for text in (body, *others) for sentence in sentences(text)}
    assert set(sentences(whole)) == said


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_merging_again_adds_nothing(body: str, others: list[str]) -> None:
    whole = merged(body, others)

    if not closing_line(body) and not any(map(closing_line, others)):
        assert merged(whole, others) == whole

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store.snippets import LEAD_CHARS, WIDTH_CHARS, snippet


@pytest.mark.parametrize(
    ("query", "shown", "why"),
    [
        ("needle", "needle", "a word"),
        ("NEEDLE", "needle", "case aside"),
        ("find needle", "needle", "the longest word that is there"),
        ("ｎｅｅｄｌｅ", "needle", "width aside"),
    ],
)
def test_the_match_is_shown_wherever_it_stands(query, shown, why):
    content = "word " * 100 + "needle" + " word" * 100

    assert shown in snippet(content, query), why
    assert snippet(content, query).startswith("…")


def test_a_part_of_a_japanese_query_is_enough():
    content = "あ" * 300 + "期限を決めた" + "い" * 300

    assert "期限" in snippet(content, "期限はいつ")


def test_a_part_of_a_latin_word_is_another_word():
    content = "x " * 300 + "need" + " y" * 300

    assert snippet(content, "needle").startswith("x x")


def test_without_a_match_it_is_the_beginning():
    assert snippet("first line\nsecond line", "zzz") == "first line second line"


@given(st.text(), st.text())
def test_any_snippet_is_one_short_line(content, query):
    text = snippet(content, query)

    assert "\n" not in text
    assert len(text) <= WIDTH_CHARS + 1
    assert LEAD_CHARS < WIDTH_CHARS

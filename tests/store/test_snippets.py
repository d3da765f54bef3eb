import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store.snippets import LEAD_CHARS, WIDTH_CHARS, matches, snippet


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


@pytest.mark.parametrize("before", ["… ", "ﾊﾟ ", "㌔ "])
def test_what_is_longer_when_folded_does_not_hide_the_match(before):
    content = before + "word " * 100 + "needle" + " word" * 100

    assert "needle" in snippet(content, "needle")
    assert [content[start:end] for start, end in matches(content, "needle")] == ["needle"]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Retry the retry, retries", "RETRY", ["Retry", "retry"]),
        ("retry_policy and retryPolicy", "policy", ["policy"]),
        ("a token", "oken", []),
        ("認証設定を分ける", "認証の設定", ["認証設定"]),
        ("決めたことを見た", "食べた", []),
        ("鍵を置く", "鍵", ["鍵"]),
        ("ＪＷＴを使う", "jwt", ["ＪＷＴ"]),
        ("…a b…", "b", ["b"]),
        ("", "a", []),
        ("a", "", []),
    ],
)
def test_the_words_of_a_query_are_marked(text, query, marked):
    assert [text[start:end] for start, end in matches(text, query)] == marked


@given(st.text(), st.text())
def test_marks_are_in_order_and_apart(content, query):
    ends = [at for span in matches(content, query) for at in span]

    assert ends == sorted(set(ends))
    assert all(0 <= at <= len(content) for at in ends)


def test_a_query_as_long_as_a_file_takes_no_longer_than_a_file():
    """Without a blank in it every part of it used to be looked for, in every length."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 12_000)))

    assert snippet(text[6000:] + text[:500], text).startswith("…")

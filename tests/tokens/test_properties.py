"""What holds for any text and any query."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runtime.tokens.index import index_tokens
from runtime.tokens.query import MAX_TERMS, phrase_terms, query_terms
from runtime.tokens.script import fold_kana, normalize
from tests.tokens.token_table import open_table

SAMPLES = (
    "abcXYZ019_-/.\"'*^:(){}+\\\n\t\x00あいのはがきーアガｶﾞ認証打合年月日々〆𠮷㐂한국어กาแฟ"
    "ສະခម្មㄅéßİΣй①ﬁ👍🏽❤\ufe0f\u200d\u00ad\u0301\u3099\ud800\udfff\ufdfa"
)
# Any character at all, and often one that the rules treat in a way of its own.
texts = st.text(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from(SAMPLES)), max_size=60
)


def is_of_a_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char) in {"Mn", "Mc"}


def words_of(text: str) -> list[str]:
    """
    List the words as a reader sees them.

    What is between white space, what is between characters that are neither
    letters, their marks nor digits, and each stretch of kanji or of one kana inside.
    """
    folded = normalize(text)
    words = folded.split()
    words += "".join(char if is_of_a_word(char) else " " for char in folded).split()
    for name in ("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER"):
        inside = (char if unicodedata.name(char, "").startswith(name) else " " for char in folded)
        words += "".join(inside).split()
    return words


@given(st.lists(texts, max_size=5))
def test_any_text_goes_into_the_table_and_out_again(many: list[str]) -> None:
    with open_table() as table:
        table.add(*many)
        table.check()

        for rowid in list(table.texts):
            table.delete(rowid)
            table.check()

        assert table.postings() == 0


@given(text=texts, query=st.one_of(texts, st.text('"*()^:+-{} ANDORNTE', max_size=20)))
@example(text="a", query='"')
@example(text="a", query="NEAR(a b)")
def test_no_query_raises(text: str, query: str) -> None:
    with open_table() as table:
        table.add(text, query)

        found = query_terms(query)

        assert set(table.search(query)) <= {1, 2}
        assert set(table.naming(query)) <= {1, 2}
        assert len(set(found.terms)) == len(found.terms) <= MAX_TERMS


@given(texts)
@example("ไปเที่ยว กาแฟ")
@example("がギ\u3099 an IDE")
@example("0_AÀ")
@example("it´s ´À _\u0301b")
def test_every_word_of_a_text_finds_it(text: str) -> None:
    with open_table() as table:
        table.add(text)

        for word in words_of(text):
            if query_terms(word).terms:
                assert table.search(word) == [1], word


@given(texts)
def test_every_piece_of_a_text_names_it(text: str) -> None:
    with open_table() as table:
        table.add(text)

        for piece in text.split():
            if phrase_terms(piece):
                assert table.naming(piece) == [1], piece


@given(texts)
def test_a_text_has_tokens_exactly_when_it_has_terms(text: str) -> None:
    assert bool(index_tokens(text)) == bool(query_terms(text).terms) == bool(phrase_terms(text))


@given(texts)
def test_tokens_do_not_depend_on_the_normal_form(text: str) -> None:
    tokens = index_tokens(text)

    assert index_tokens(text) == tokens
    assert index_tokens(unicodedata.normalize("NFC", text)) == tokens
    assert index_tokens(unicodedata.normalize("NFD", text)) == tokens
    assert index_tokens(unicodedata.normalize("NFKC", text)) == tokens


@given(texts)
def test_tokens_are_clean(text: str) -> None:
    tokens = index_tokens(text)

    tokens.encode("utf-8")
    assert tokens == " ".join(tokens.split())
    for token in tokens.split():
        assert all(char.isalnum() or ord(char) > 127 for char in token)


@pytest.mark.parametrize("name", ["パスワード", "café", "한국어"])
def test_a_name_is_found_in_either_composition(name: str) -> None:
    composed, decomposed = (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))
    with open_table() as table:
        table.add(composed, decomposed)

        assert table.naming(composed) == table.naming(decomposed) == [1, 2]


# Scripts that put no space between words, without the endings that okurigana leave out.
unspaced = st.text(
    "認証設定打合公開鍵日々𠮷㐂バグサパラメデキにはをがฉันกาแฟ한국어ㄅㄆꀀក្ខမြန်",
    min_size=1,
    max_size=4,
)
latin = st.text("bcdfgkm019", min_size=1, max_size=5)


@given(st.lists(st.lists(unspaced, max_size=4).map(" ".join), max_size=6), unspaced)
def test_an_unspaced_word_is_found_exactly_where_it_occurs(many: list[str], word: str) -> None:
    """The oracle is a search through the text itself, kana read alike."""
    with open_table() as table:
        table.add(*many)

        assert sorted(table.naming(word)) == _holding(many, word)
        assert set(table.search(word)) >= set(_holding(many, word))


@given(st.lists(st.lists(latin, max_size=4).map(" ".join), max_size=6), latin)
def test_a_spaced_word_is_found_exactly_where_it_stands(many: list[str], word: str) -> None:
    with open_table() as table:
        table.add(*many)

        whole = [row for row, text in enumerate(many, 1) if word in text.split()]
        assert set(table.naming(word)) >= set(whole)
        assert set(table.search(word)) >= set(whole)


def _holding(many: list[str], word: str) -> list[int]:
    folded = fold_kana(normalize(word))
    return [row for row, text in enumerate(many, 1) if folded in fold_kana(normalize(text))]

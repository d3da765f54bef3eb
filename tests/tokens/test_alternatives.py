"""What a query may also be answered by."""

from pathlib import Path

import pytest
from hypothesis import given

from runtime.tokens.alternatives import MAX_ALTERNATIVES, alternatives
from runtime.tokens.glossary import MAX_MEANINGS, OWN_FILE, Glossary, read_glossary
from runtime.tokens.query import query_terms
from tests.tokens.test_properties import texts
from tests.tokens.token_table import TokenTable, open_table

GLOSSARY = Glossary(
    [
        "# software",
        "認証, 本人確認, authentication, auth",
        "環境, environment",
        "環境変数, environment variable  # the longer one counts",
        "サーバー, server",
    ]
)


@pytest.mark.parametrize(
    ("text", "query", "why"),
    [
        ("authentication by token", "認証の方式", "a Japanese word in English"),
        ("認証の方式", "how does authentication work", "an English word in Japanese"),
        ("本人確認の方式", "認証", "two Japanese words of one meaning"),
        ("set an environment variable", "環境変数の設定", "several words"),
        ("環境変数を置く", "environment variables", "several words, inflected"),
        ("サーバが落ちた", "server", "a long vowel more or less"),
        ("コンポーネントの分割", "split the component", "a loan word"),
        ("split the component", "コンポーネント", "a loan word's original"),
    ],
)
def test_a_text_in_other_words_is_found(table: TokenTable, text: str, query: str, why: str) -> None:
    table.add("まったく別の事柄 unrelated words", text)

    assert table.match(" OR ".join(alternatives(query, GLOSSARY))) == [2], why


def test_an_alternative_stands_for_terms_of_the_query() -> None:
    query = "認証 server"

    found = alternatives(query, GLOSSARY)

    assert found['"authentication"'] == query_terms("認証").terms
    assert {term for own in found.values() for term in own} <= set(query_terms(query).terms)


def test_where_one_word_holds_another_the_longer_one_counts() -> None:
    assert list(alternatives("環境変数", GLOSSARY)) == ['"environment variable"']


def test_an_english_word_has_no_english_alternatives() -> None:
    """Near synonyms mislead where the stemmer finds a word's other forms already."""
    assert '"auth"' not in alternatives("authentication", GLOSSARY)


@pytest.mark.parametrize(
    "query",
    ['"認証"', '"server error"', "auth_server", "src/server", "serverName", "3f9c2ab", "", "*"],
)
def test_what_is_meant_to_the_letter_has_no_alternatives(query: str) -> None:
    assert alternatives(query, GLOSSARY) == {}


def test_what_stands_beside_a_quotation_has_alternatives() -> None:
    assert '"authentication"' in alternatives('"redis is" 認証', GLOSSARY)
    assert '"authentication"' in alternatives('認証 6" wide', GLOSSARY)


def test_a_person_adds_words_in_a_file(tmp_path: Path) -> None:
    own = tmp_path / "glossary.txt"
    own.write_text("\ufeff社内便, courier # ours\n", encoding="utf-8")

    glossary = read_glossary(str(own), str(tmp_path / "absent.txt"))

    assert '"courier"' in alternatives("社内便", glossary)
    assert '"authentication"' in alternatives("認証", glossary)


def test_the_projects_own_glossary_is_sound() -> None:
    """Each line has two words at least, none twice, and both languages find the other."""
    text = Path(OWN_FILE).read_text("utf-8")
    lines = [line for line in text.splitlines() if line and line[0] != "#"]

    for line in lines:
        words = [word.strip() for word in line.split(",")]
        assert len(set(words)) == len(words) > 1, line
        assert any(word.isascii() for word in words), line
        assert not all(word.isascii() for word in words), line


@given(texts)
def test_alternatives_are_bounded_expressions_beside_the_terms(query: str) -> None:
    glossary = read_glossary()
    with open_table() as table:
        table.add(query)

        found = alternatives(query, glossary)

        assert len(found) <= MAX_ALTERNATIVES
        for expression, own in found.items():
            assert set(table.match(expression)) <= {1}
            assert expression not in own
    assert all(len(words) <= MAX_MEANINGS for _, words in glossary.meanings(query))

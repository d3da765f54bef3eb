"""What is looked for: the expressions, their order and their bounds."""

import pytest

from runtime.tokens.query import (
    MAX_PHRASE_TOKENS,
    MAX_PHRASES,
    MAX_TERMS,
    phrase_terms,
    query_terms,
)


@pytest.mark.parametrize(
    ("query", "phrases", "plain"),
    [
        ("redis timeout", (), ('"redis"', '"timeout"')),
        ("redis redis", (), ('"redis"',)),
        ("why is the cache slow", (), ('"cache"', '"slow"')),
        ("to be or not to be", (), ('"to"', '"be"', '"or"', '"not"')),
        ("認証", (), ('"認証"', '"認"', '"証"')),
        ("認証の方式は", (), ('"認証"', '"方式"', '"認"', '"証"', '"方"', '"式"')),
        ("について", (), ('"につ"', '"つい"', '"いて"')),
        ("鍵", (), ('"鍵"',)),
        ("ア", (), ('"あ"*',)),
        ("한", (), ('"한"*',)),
        ("ไป", (), ('"ไป"*',)),
        ("🎉", (), ('"🎉"',)),
        ("打ち合わせ", (), ('"打ち"', '"合わ"', '"打合"', '"打"', '"合"')),
        ("サーバー", (), ('"さー"', '"ーば"', '"ばー"', '"サーバ"')),
        ("3f9c2ab", (), ('"3f9c2ab"*',)),
        ("v1.2", ('"v 1 2"', '"v1"'), ('"v"', '"1"', '"2"')),
        ("--dry-run", ('"dry run"',), ('"dry"', '"run"')),
        ("src/app.py", ('"src app py"',), ('"src"', '"app"', '"py"')),
        ("app.pyの場所", ('"app py"',), ('"app"', '"py"', '"場所"', '"場"', '"所"')),
        ("userId", ('"user id"', '"userid"'), ('"user"', '"id"')),
        ("user_id", ('"user id"', '"userid"'), ('"user"', '"id"')),
        ('"redis is" fast', ('"redis is"',), ('"redis"', '"fast"')),
        ("6/11", ('"d0611"', '"6 11"'), ('"6"', '"11"')),
    ],
)
def test_a_query_is_looked_for_by_its_terms(
    query: str, phrases: tuple[str, ...], plain: tuple[str, ...]
) -> None:
    found = query_terms(query)

    assert (found.phrases, found.plain) == (phrases, plain)
    assert found.terms == phrases + plain


@pytest.mark.parametrize(
    "query", ["", " \n\t", '"', '""', "*", "()", "。", "-", "\x00", "\ud800", "_"]
)
def test_a_query_of_separators_has_no_terms(query: str) -> None:
    assert query_terms(query).terms == ()
    assert phrase_terms(query) == ()


def test_a_long_query_keeps_to_its_bounds() -> None:
    text = " ".join(f"src/file{number}.py 章{number}節" for number in range(3000))

    found = query_terms(text)

    assert len(found.phrases) == MAX_PHRASES
    assert len(found.terms) == MAX_TERMS


def test_a_phrase_keeps_to_its_bound() -> None:
    path = "/".join(f"part{number}" for number in range(1000))

    assert query_terms(path).terms[0].count(" ") + 1 == MAX_PHRASE_TOKENS
    assert phrase_terms(path)[0].count(" ") + 1 == MAX_PHRASE_TOKENS


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("review", ('"review"',)),
        ("code-review", ('"code review"',)),
        ("memplug:recall", ('"memplug recall"',)),
        ("code review", ('"code"', '"review"')),
        ("the", ('"the"',)),
        ("コードレビュー", ('"こー ーど どれ れび びゅ ゅー"',)),
        ("認証JWT", ('"認証 証 jwt"',)),
        ("JWT認証", ('"jwt 認証"',)),
        ("第2章", ('"第 2 章"*',)),
        ("鍵", ('"鍵"',)),
        ("認証_", ('"認証"',)),
    ],
)
def test_a_name_is_looked_for_as_a_whole(name: str, terms: tuple[str, ...]) -> None:
    assert phrase_terms(name) == terms

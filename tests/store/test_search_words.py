"""A person's own search: other words, whole queries first, and what is no answer."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from runtime.store.longterm import Origin, keep
from runtime.store.search import search
from runtime.store.search_index import Index
from runtime.store.search_words import POSTINGS, Asked, rank_words
from runtime.store.store import Store
from runtime.tokens.glossary import Glossary
from schemas.records import NewMemory
from tests.store.test_search_ranking import indexed

AT = datetime(2026, 6, 11, tzinfo=UTC)
NOTES = (
    "四半期計画: 来月の予算を決めた",
    "authentication is by token, kept in redis",
    "認証設定は sqlite に保存する",
    "設定は認証より先に読む",
    "再試行の上限は五回、間隔は指数で伸ばす",
    "The cache layer uses zebra hashing with an eviction policy",
    "The review of deploys takes place on Tuesday before the meeting",
    "コンポーネントを分割した",
)


@pytest.fixture
async def notes(store: Store) -> Store:
    async with store.transaction() as connection:
        for number, text in enumerate(NOTES):
            memory = NewMemory(key=str(number), content=text, source="session", created_at=AT)
            await keep(connection, memory, Origin(None, None, None, None), AT)
    return store


async def found(store: Store, query: str, glossary: Glossary | None = None) -> list[str]:
    return [hit.content for hit in await search(store.reader, query, 10, glossary=glossary)]


@pytest.mark.parametrize(
    ("query", "first", "kind"),
    [
        ("cache", 5, "a common word"),
        ("zebra", 5, "a rare word"),
        ("eviction policy", 5, "two words"),
        ("zebra hashing with an eviction policy", 5, "an exact phrase"),
        ("meeting review", 6, "the words in another order"),
        ("when do the deploys take place and who reviews them?", 6, "a question"),
        ("五回", 4, "two characters"),
        ("認証設定", 2, "a compound"),
        ("再試行の上限", 4, "a phrase with a particle"),
        ("認証 sqlite", 2, "two scripts"),
        ("split component", 7, "a loan word's original"),
        ("レビュー", 6, "a loan word"),
        ("指数バックオフ retry", 4, "a word of the other language"),
    ],
)
async def test_the_right_note_comes_first(notes: Store, query: str, first: int, kind: str) -> None:
    assert (await found(notes, query))[0] == NOTES[first], kind


@pytest.mark.parametrize("query", ["宇宙ステーション建設計画", "quarterly earnings call"])
async def test_what_shares_one_pair_of_characters_is_no_answer(notes: Store, query: str) -> None:
    assert await found(notes, query) == []


async def test_the_words_own_language_comes_first(notes: Store) -> None:
    assert (await found(notes, "認証"))[-1] == NOTES[1]
    assert (await found(notes, "authentication"))[0] == NOTES[1]


async def test_what_holds_the_whole_query_comes_first_with_the_highest_score(notes: Store) -> None:
    hits = await search(notes.reader, "認証設定", 10)

    assert [hit.content for hit in hits] == [NOTES[2], NOTES[3], NOTES[1]]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_a_quoted_query_is_taken_to_the_letter(notes: Store) -> None:
    assert await found(notes, '"認証"') == await found(notes, "認証", Glossary())
    assert NOTES[1] not in await found(notes, '"認証"')


async def test_a_person_s_own_words_count(notes: Store) -> None:
    assert await found(notes, "しまうま") == []
    assert await found(notes, "しまうま", Glossary(["しまうま, zebra"])) == [NOTES[5]]


def _rank(texts: Sequence[str], asked: Asked, min_share: float = 0.0) -> dict[int, float]:
    with indexed(*((text, None) for text in texts)) as connection:
        hits = rank_words(Index(connection), asked, 10, None, min_share)
    return {hit.row // 4: hit.share for hit in hits}


def test_an_alternative_is_worth_the_terms_that_it_stands_for() -> None:
    asked = Asked(('"a1"', '"b1"'), {'"c1"': ('"a1"',), '"d1"': ('"a1"',)}, "")

    shares = _rank(["a1 b1", "c1 d1 b1", "c1", "x1"], asked)

    assert shares[1] == shares[2] == pytest.approx(1)
    assert 0 < shares[3] < 1
    assert 4 not in shares


def test_a_record_in_the_query_s_words_comes_before_one_in_others() -> None:
    asked = Asked(('"a1"',), {'"c1"': ('"a1"',)}, "")

    assert list(_rank(["c1", "a1", "x1", "x2", "x3"], asked)) == [2, 1]


def test_nothing_asked_is_nothing_found() -> None:
    assert _rank(["a1"], Asked((), {}, "")) == {}
    assert _rank(["a1"], Asked(('"z1"',), {'"y1"': ('"z1"',)}, '"z1"')) == {}


def test_common_words_are_left_out_once_enough_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.store.search_words.POSTINGS", 3)
    texts = ["rare1 common1", "common1", "common1", "common1"]

    assert list(_rank(texts, Asked(('"common1"', '"rare1"'), {}, ""))) == [1]
    assert len(_rank(texts, Asked(('"common1"',), {}, ""))) == 4
    assert POSTINGS > 3

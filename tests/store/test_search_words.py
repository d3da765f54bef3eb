"""A person's own search: other words, whole queries first, and what is no answer."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.fixture
def crowds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of five records is a large one, and four of them are a crowd."""
    monkeypatch.setattr("runtime.store.search_index.POSTINGS_CAP", 4)
    monkeypatch.setattr("runtime.store.search_index.CAPS", (2, 4))
    monkeypatch.setattr("runtime.store.search_words.POSTINGS", 3)


@pytest.mark.usefixtures("crowds")
@pytest.mark.parametrize(
    ("terms", "rows", "why"),
    [
        (("a1", "b1"), [5, 4, 3], "all of them, the newest first"),
        (("a1", "c1"), [7, 6, 5, 4, 3, 2, 1], "never together: the rarer one"),
        (("a1", "z1"), [7, 6, 5, 4, 3, 2, 1], "the other occurs nowhere"),
    ],
)
def test_of_common_words_alone_the_newest_are_found(
    terms: tuple[str, ...], rows: list[int], why: str
) -> None:
    """Their scores would say nothing, and take the longer the more there are."""
    texts = ["a1", "a1", "a1 b1", "a1 b1", "a1 b1", "a1", "a1", *["b1"] * 2, *["c1"] * 8]
    asked = Asked(tuple(f'"{term}"' for term in terms), {}, "")

    assert sorted(_rank(texts, asked), reverse=True) == rows, why


@pytest.mark.usefixtures("crowds")
def test_a_common_word_beside_a_rare_one_counts() -> None:
    texts = ["rare1", "rare1 common1", *["common1"] * 8]
    asked = Asked(('"rare1"', '"common1"'), {}, "")

    shares = _rank(texts, asked)

    assert list(shares) == [2, 1]
    assert shares[2] == pytest.approx(1)


@pytest.mark.usefixtures("crowds")
def test_a_rare_word_of_the_same_meaning_does_not_displace_the_word_itself() -> None:
    texts = [*["own1"] * 6, "other1"]
    asked = Asked(('"own1"',), {'"other1"': ('"own1"',)}, "")

    assert set(_rank(texts, asked)) == {1, 2, 3, 4, 5, 6}


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=10),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True),
)
def test_no_answer_is_lost_to_reading_less_but_those_without_the_rarest_word(
    texts: list[list[str]], words: list[str]
) -> None:
    """However little may be read, what holds all words is found, where something does."""
    asked = Asked(tuple(f'"{word}1"' for word in words), {}, "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("runtime.store.search_index.POSTINGS_CAP", 3)
        patch.setattr("runtime.store.search_index.CAPS", (1, 3))
        patch.setattr("runtime.store.search_words.POSTINGS", 2)
        found = _rank([" ".join(f"{word}1" for word in text) for text in texts], asked)

    whole = {number for number, text in enumerate(texts, 1) if set(words) <= set(text)}
    some = {number for number, text in enumerate(texts, 1) if set(words) & set(text)}
    assert whole <= set(found) <= some
    assert bool(found) == bool(some)
    assert all(0 < share <= 1 + 1e-9 for share in found.values())

"""Hits in the order of words and meaning; and what is found by meaning alone."""

import pytest

from runtime.embeddings.filling import Filling
from runtime.embeddings.meaning import REORDERED, ByMeaning, Reordering
from runtime.query import parse
from runtime.store.search_hits import Meaning, Question, find
from runtime.store.search_ranking import Found
from runtime.store.store import Store
from tests.embeddings.conftest import WordEncoder
from tests.store.vectors import note, remember


async def _filled(store: Store, encoder: WordEncoder) -> None:
    filling = Filling(store, encoder)
    while not (await filling.step(100)).is_over:
        pass


async def _found(store: Store, query: str, meaning: Meaning | None) -> list[str]:
    question = Question(parse(query), 10, "2026-11-30", meaning=meaning)
    return [hit.content for hit in await store.reader.run(find, question)]


@pytest.fixture
def reordering(encoder: WordEncoder) -> Reordering:
    return Reordering(lambda: encoder)


async def test_what_means_the_same_comes_before_what_only_has_a_word_in_common(
    store: Store, encoder: WordEncoder, reordering: Reordering
) -> None:
    await remember(
        store,
        "people lose it to redis",
        "people lose it to sign in",
        "people deploy",
    )
    await _filled(store, encoder)
    query = "why do people lose their session"

    by_words = await _found(store, query, None)
    by_both = await _found(store, query, reordering)

    assert by_words[0] == "people lose it to redis"
    assert by_both[0] == "people lose it to sign in"
    assert sorted(by_both) == sorted(by_words)
    assert encoder.asked == [query]


@pytest.mark.parametrize("query", ["session", "session_id", '"lose session"', "kind:note"])
async def test_a_literal_question_does_not_load_the_encoder(store: Store, query: str) -> None:
    await remember(store, "lose session one", "session_id two", "session session three")

    def load() -> WordEncoder:
        pytest.fail("loaded")

    assert await _found(store, query, Reordering(load)) == await _found(store, query, None)


async def test_what_holds_the_whole_question_stays_first(
    store: Store, encoder: WordEncoder, reordering: Reordering
) -> None:
    await remember(
        store, "ship it: why people lose", "people lose login login", "lose login people"
    )
    await _filled(store, encoder)

    assert (await _found(store, "why people lose", reordering))[0].endswith("why people lose")


async def test_records_without_a_vector_keep_the_place_that_words_gave_them(
    store: Store, encoder: WordEncoder, reordering: Reordering
) -> None:
    await remember(store, "lose the login", "lose the cache")
    query = "lose the session"
    before = await _found(store, query, None)

    assert await _found(store, query, reordering) == before
    assert encoder.asked == []


async def test_vectors_of_another_encoder_are_not_compared(
    store: Store, encoder: WordEncoder
) -> None:
    await remember(store, "lose the cache", "lose the login")
    await _filled(store, encoder)
    other = WordEncoder()
    other.identity = encoder.identity._replace(version="2")
    query = "lose the session"

    assert await _found(store, query, Reordering(lambda: other)) == await _found(store, query, None)
    assert await _found(store, query, ByMeaning(lambda: other)) == []


async def test_only_the_first_hits_change_places(
    store: Store, encoder: WordEncoder, reordering: Reordering
) -> None:
    await remember(store, *(f"login {number}" for number in range(REORDERED + 5)))
    await _filled(store, encoder)
    found = [Found(4 * number, 100.0 - number, 1.0) for number in range(1, REORDERED + 6)]

    def reorder(connection: object) -> list[Found]:
        return reordering(connection, parse("two words"), None, found)  # type: ignore[arg-type]

    again = await store.reader.run(reorder)

    assert {hit.row for hit in again[:REORDERED]} == {hit.row for hit in found[:REORDERED]}
    assert [hit.row for hit in again[REORDERED:]] == [hit.row for hit in found[REORDERED:]]
    scores = [hit.score for hit in again]
    assert scores == sorted(scores, reverse=True)


async def test_meaning_alone_finds_what_has_no_word_in_common(
    store: Store, encoder: WordEncoder
) -> None:
    await remember(store, "redis", "sign in")
    await note(store, "a.md", "deploy", "login twice: login")
    await _filled(store, encoder)
    by_meaning = ByMeaning(lambda: encoder)

    assert (await _found(store, "session", by_meaning))[:2] == ["sign in", "login twice: login"]
    assert (await _found(store, "kind:note session", by_meaning))[0] == "login twice: login"
    assert (await _found(store, "session -twice", by_meaning))[0] == "sign in"
    assert "sign in" not in await _found(store, "kind:note session", by_meaning)
    assert await _found(store, "", by_meaning) == []


async def test_meaning_alone_scores_from_one_for_the_nearest_to_nothing_for_the_last(
    store: Store, encoder: WordEncoder
) -> None:
    await remember(store, "redis", "login", "login cache")
    await _filled(store, encoder)

    question = Question(parse("session"), 10, "2020-01-01", meaning=ByMeaning(lambda: encoder))
    found = await store.reader.run(find, question)

    assert [hit.content for hit in found] == ["login", "login cache", "redis"]
    assert found[0].score >= 1
    assert found[-1].score == 0

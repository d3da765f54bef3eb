from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.store.chunks import put_chunks
from runtime.store.longterm import Origin, keep, mark
from runtime.store.search import CANDIDATES, Scope, search, search_name
from schemas.records import NewMemory
from tests.store.test_chunks import chunks

AT = datetime(2026, 6, 11, tzinfo=UTC)


@pytest.fixture
async def filled(store):
    async with store.transaction() as connection:
        for number, (project, text) in enumerate(
            [
                ("shop", "セッションの期限は30日にした"),
                ("shop", "retry policy: three attempts with backoff"),
                ("blog", "SQLiteのFTS5を使った検索"),
                ("blog", "retry policy of the blog"),
            ]
        ):
            memory = NewMemory(key=str(number), content=text, source="session", created_at=AT)
            await keep(connection, memory, Origin(project, project, None, None), AT)
        from_notes = chunks(["## 決定\nretry は三回まで", "デプロイの手順"])
        await put_chunks(connection, "/notes/a.md", from_notes)
    return store


async def found(store, query, limit=10, **options):
    return [hit.content for hit in await search(store.reader, query, limit, **options)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("セッションの期限", "セッションの期限は30日にした"),
        ("期限", "セッションの期限は30日にした"),
        ("SQLite", "SQLiteのFTS5を使った検索"),
        ("fts5", "SQLiteのFTS5を使った検索"),
        ("three attempts", "retry policy: three attempts with backoff"),
        ("デプロイ", "デプロイの手順"),
    ],
)
async def test_the_best_hit_comes_first(filled, query, first):
    assert (await found(filled, query))[0] == first


async def test_notes_and_memories_are_ranked_together(filled):
    kinds = {hit.kind for hit in await search(filled.reader, "retry", 10)}

    assert kinds == {"note", "long-term"}


async def test_hits_are_in_the_order_of_their_score(filled):
    scores = [hit.score for hit in await search(filled.reader, "retry policy", 10)]

    assert scores == sorted(scores, reverse=True)
    assert len(scores) >= 2


async def test_a_project_sees_its_own_memories_global_ones_and_all_notes(filled):
    own = await found(filled, "retry", scope=Scope("blog"))
    async with filled.transaction() as connection:
        await mark(connection, [2], is_global=True, is_pinned=None)
    with_global = await found(filled, "retry", scope=Scope("blog"))

    assert sorted(own) == ["## 決定\nretry は三回まで", "retry policy of the blog"]
    assert sorted(set(with_global) - set(own)) == ["retry policy: three attempts with backoff"]


async def test_a_name_must_be_matched_as_a_whole(filled):
    hits = await search_name(filled.reader, "retry policy", 10, scope=Scope())

    assert {hit.content for hit in hits} == {
        "retry policy: three attempts with backoff",
        "retry policy of the blog",
    }


async def test_what_matches_too_little_is_no_answer(filled):
    assert (
        await found(filled, "retry quarterly earnings report of the company", min_share=0.9) == []
    )


@pytest.mark.parametrize("limit", [0, -1])
async def test_no_room_is_no_hit(filled, limit):
    assert await found(filled, "retry", limit) == []


@pytest.mark.parametrize("limit", [1, 2])
async def test_no_more_hits_than_asked_for(filled, limit):
    assert len(await found(filled, "retry", limit)) == limit


async def test_a_long_list_of_equal_records_stays_within_the_candidates(store):
    async with store.transaction() as connection:
        for number in range(CANDIDATES + 20):
            memory = NewMemory(key=str(number), content=f"same {number}", source="s", created_at=AT)
            await keep(connection, memory, Origin(None, None, None, None), AT)

    assert len(await found(store, "same", 1000)) == CANDIDATES


QUERIES = st.text() | st.text("\"'*()^:-+{}ANDORNEAR あア亜\0", max_size=15)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QUERIES)
async def test_any_text_is_a_query(filled, query):
    hits = await search(filled.reader, query, 5)
    names = await search_name(filled.reader, query, 5, scope=Scope("shop"))

    assert all(0 < hit.share <= 1.0001 for hit in [*hits, *names])

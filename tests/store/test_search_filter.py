"""Phrases, exclusions and filters, over notes and memories."""

import unicodedata

import pytest

from tests.store.kept import note, remember, texts

SHOP = "retry policy of the shop: three tries"
BLOG = "the policy is to retry for ever"
PAGE = "a page about retry policies on the web"
DECISION = "retry policy decided: 再試行の上限は三回"
OLD = "Retry\nPolicy, as it was, C++"


@pytest.fixture
async def filled(store):
    await remember(store, SHOP, project="Shop", at="2026-06-11T10:00:00")
    await remember(
        store,
        BLOG,
        project="blog",
        tool="Write",
        target="/src/Blog/retry.py",
        at="2026-05-31T10:00",
    )
    await remember(
        store, PAGE, project="blog", tool="WebFetch", target="https://a.example/x", at="2026-07-01"
    )
    await note(
        store, "/notes/decisions.md", {"2026-06-20 Retry": DECISION, "undated": "retry, undated"}
    )
    await note(store, "/notes/archive/old.md", {"2025-01-01 Retry": OLD})
    return store


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"retry policy"', {SHOP, DECISION, OLD}),
        ('"RETRY　policy"', {SHOP, DECISION, OLD}),
        ('"policy retry"', set()),
        ('"retry policies"', {PAGE}),
        ('"retry policy" "three tries"', {SHOP}),
        ('"上限は三回" retry', {DECISION}),
        ('"C++"', {OLD}),
        ('"src/blog/retry.py"', {BLOG}),
        ("policy -shop -web", {BLOG, DECISION, OLD}),
        ("policy -再試行 -shop", {BLOG, PAGE, OLD}),
        ('policy -"for ever"', {SHOP, PAGE, DECISION, OLD}),
        ("policy -polic", {SHOP, BLOG, PAGE, DECISION, OLD}),
        ("retry kind:note", {DECISION, OLD, "retry, undated"}),
        ("retry kind:long-term", {SHOP, BLOG, PAGE}),
        ("retry kind:note kind:long-term -undated", {SHOP, BLOG, PAGE, DECISION, OLD}),
        ("retry project:shop", {SHOP}),
        ("retry project:SHOP project:Blog", {SHOP, BLOG, PAGE}),
        ("retry project:sho", set()),
        ("retry tool:write", {BLOG}),
        ("retry tool:Write kind:note", set()),
        ("retry file:blog", {BLOG}),
        ("retry file:.MD", {DECISION, OLD, "retry, undated"}),
        ("retry file:archive file:a.example", {OLD, PAGE}),
        ("retry after:2026-06-20", {DECISION, PAGE}),
        ("retry before:2026-06-20", {SHOP, BLOG, OLD}),
        ("retry after:2026-06 before:2026-07", {SHOP, DECISION}),
        ("retry after:2026 before:2027 kind:note", {DECISION}),
        ("retry after:2020 after:2026-07", {PAGE}),
        ("retry before:2026 before:2030", {OLD}),
    ],
)
async def test_a_question_narrows_down_what_is_found(filled, query, found):
    assert set(await texts(filled, query)) == found


async def test_a_path_is_found_however_its_accents_are_written(store):
    composed = "メモ/がくしゅう/café.md"
    await note(store, unicodedata.normalize("NFD", f"/n/{composed}"), {"h": "retry"})

    assert await texts(store, f"retry file:{composed}") == ["retry"]
    assert await texts(store, "retry file:ＣＡＦÉ") == ["retry"]
    assert await texts(store, "retry file:cafe.md") == []


async def test_without_words_it_is_the_newest_first_and_the_undated_last(filled):
    assert await texts(filled, "kind:note") == [DECISION, OLD, "retry, undated"]
    assert await texts(filled, "after:2026-06 -web") == [DECISION, SHOP]
    assert await texts(filled, "-retry") == []


@pytest.mark.parametrize("query", ["", "  ", '"', '""', "*", "-", '"!"', '-"!"'])
async def test_a_question_that_asks_nothing_finds_nothing(filled, query):
    assert await texts(filled, query) == []


async def test_a_deleted_memory_is_not_listed(filled):
    await filled.connection.execute("UPDATE memories SET deleted_at = 'now' WHERE project = 'Shop'")

    assert await texts(filled, "project:shop") == []


async def test_a_phrase_finds_what_holds_little_else_of_a_long_question(filled):
    query = '"three tries" quarterly earnings report of the company and its many owners abroad'

    assert await texts(filled, query) == [SHOP]


async def test_a_filter_is_heeded_among_many_that_fit_better(store):
    for number in range(250):
        await remember(store, f"retry {number}", project="loud")
    await remember(store, "a long text that says retry once among other words", project="quiet")

    assert len(await texts(store, "retry project:quiet")) == 1


async def test_days_are_those_of_the_person_s_calendar(store, tokyo):
    """Half past ten in the evening, UTC, is the next morning in Tokyo."""
    await remember(store, "retry at breakfast", at="2026-06-10T22:30:00")

    tokyo()

    assert await texts(store, "retry after:2026-06-11 before:2026-06-12") == ["retry at breakfast"]
    assert await texts(store, "retry before:2026-06-11") == []

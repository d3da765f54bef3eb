from datetime import UTC, datetime

import pytest

from runtime.project import Project
from runtime.store.by_hand import MOST_CHARS, Given, origin_of, store_by_hand
from runtime.store.deleting import delete
from runtime.store.listing import one
from runtime.store.longterm import Origin, keep, mark
from runtime.store.refusals import ContentTooLongError, NothingToStoreError
from schemas.records import NewMemory

AT = datetime(2026, 6, 11, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 6, 12, 9, 30, tzinfo=UTC)
NOWHERE = Origin(None, None, None, "machine")
SHOP = Origin("shop", "key-of-shop", None, "machine")
SECRET = "sk-ant-" + "a1" * 20


async def put(store, content, source="claude_code", origin=NOWHERE, now=AT, **values):
    async with store.transaction() as connection:
        return await store_by_hand(connection, Given(content, source, **values), origin, now)


async def remove(store, *ids):
    async with store.transaction() as connection:
        return await delete(connection, ids, AT)


async def test_a_memory_is_kept_with_what_was_said_about_it(store):
    kept = await put(store, "期限は30日", origin=SHOP, tags=("a", " a ", "", "b"), session_id="s")

    memory = await one(store.connection, kept.id)
    assert (kept.id, kept.status, kept.note) == (1, "stored", "")
    assert memory is not None
    assert (memory.content, memory.source, memory.tags) == ("期限は30日", "claude_code", ("a", "b"))
    assert (memory.project, memory.project_key, memory.host) == ("shop", "key-of-shop", "machine")
    assert (memory.session_id, memory.content_hash) == ("s", kept.content_hash)


@pytest.mark.parametrize("again", ["one fact", "one fact ", "\none fact\n"])
async def test_a_text_that_is_there_is_said_to_be_known(store, again):
    """B15: a blank at the end made a second memory."""
    first = await put(store, "one fact")
    second = await put(store, again)

    assert (second.id, second.status, second.note) == (first.id, "known", "")


async def test_a_known_text_under_another_project_is_told_and_not_dropped_in_silence(store):
    """B15: the same text from another project or source was dropped, and called stored."""
    await put(store, "one fact", origin=SHOP)

    kept = await put(store, "one fact", "obsidian", Origin("web", "key-of-web", None, "machine"))

    assert (kept.status, kept.source, kept.project) == ("known", "claude_code", "shop")
    assert "source claude_code and project shop" in kept.note
    assert "runtime longterm mark 1 --global" in kept.note


async def test_what_was_deleted_is_stored_anew_under_its_id(store):
    first = await put(store, "one fact", origin=SHOP, tags=("old",))
    async with store.transaction() as connection:
        await mark(connection, [first.id], is_global=True, is_pinned=True)
    await remove(store, first.id)

    again = await put(store, "one fact", "obsidian", tags=("new",), now=LATER)

    memory = await one(store.connection, first.id)
    assert (again.id, again.status) == (first.id, "stored")
    assert "had been deleted" in again.note
    assert memory is not None
    assert (memory.source, memory.tags, memory.project) == ("obsidian", ("new",), None)
    assert (memory.deleted_at, memory.is_global, memory.is_pinned) == (None, False, False)
    assert memory.created_at == memory.updated_at == "2026-06-12T09:30:00.000Z"


async def test_secrets_are_left_out_before_the_text_is_known_by_anything(store):
    kept = await put(store, f"the key is {SECRET} here")
    again = await put(store, f"the key is {SECRET} here")

    memory = await one(store.connection, kept.id)
    assert memory is not None
    assert memory.content == "the key is [redacted:anthropic-key] here"
    assert "left out" in kept.note
    assert (again.id, again.status) == (kept.id, "known")


@pytest.mark.parametrize("content", ["", " \n", "<private>all of it</private>", "\u200b"])
async def test_nothing_is_not_stored(store, content):
    with pytest.raises(NothingToStoreError) as caught:
        await put(store, content)

    assert caught.value.what == "the content"


async def test_a_source_is_needed(store):
    with pytest.raises(NothingToStoreError) as caught:
        await put(store, "one fact", " ")

    assert caught.value.what == "the source"


async def test_a_text_that_is_too_long_for_one_memory_is_refused_whole(store):
    """B8: 500,000 characters were kept as one memory."""
    with pytest.raises(ContentTooLongError) as caught:
        await put(store, "x" * (MOST_CHARS + 1))

    assert (caught.value.chars, caught.value.most_chars) == (100_001, 100_000)
    assert await one(store.connection, 1) is None
    assert (await put(store, "x" * MOST_CHARS)).status == "stored"


async def test_a_project_is_found_by_its_name_where_there_is_one_of_it(store):
    captured = NewMemory(key="turn:1", content="a turn", source="session", created_at=AT)
    other = captured.model_copy(update={"key": "turn:2"})
    async with store.transaction() as connection:
        await keep(connection, captured, SHOP, AT)
        found = await origin_of(connection, "shop", None, "machine")
        unknown = await origin_of(connection, "web", None, "machine")
        await keep(connection, other, SHOP._replace(project_key="another"), AT)
        ambiguous = await origin_of(connection, "shop", None, "machine")

    assert found == SHOP
    assert (unknown.project, unknown.project_key) == ("web", None)
    assert (ambiguous.project, ambiguous.project_key) == ("shop", None)


@pytest.mark.parametrize("named", [None, "shop"])
async def test_the_project_here_needs_no_name(store, named):
    here = Project("shop", "key-of-this-shop")

    origin = await origin_of(store.connection, named, here, "machine")

    assert origin == Origin("shop", "key-of-this-shop", None, "machine")
    assert (await origin_of(store.connection, "web", here, "m")).project_key is None
    assert (await origin_of(store.connection, None, None, "m")).project is None

import unicodedata
from datetime import UTC, datetime

from runtime.store.by_hand import Given, store_by_hand
from runtime.store.deleting import delete, restore
from runtime.store.listing import one
from runtime.store.longterm import Origin, keep
from runtime.store.search import search
from schemas.records import NewMemory

AT = datetime(2026, 6, 11, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 6, 12, 9, 30, tzinfo=UTC)
NOWHERE = Origin(None, None, None, "machine")


async def put(store, content):
    async with store.transaction() as connection:
        return (await store_by_hand(connection, Given(content, "x"), NOWHERE, AT)).id


async def run(store, function, *ids, now=LATER):
    async with store.transaction() as connection:
        return await function(connection, ids, now)


async def found(store, query):
    return [hit.id for hit in await search(store.reader, query, 5)]


async def test_what_became_of_each_id_is_told(store):
    """B18: deleting an id that does not exist was reported as done."""
    first, second = await put(store, "one fact"), await put(store, "another fact")
    await run(store, delete, second)

    outcome = await run(store, delete, first, second, 7, first)

    assert outcome == {first: "deleted", second: "already deleted", 7: "not found"}


async def test_a_deleted_memory_is_not_found_and_a_restored_one_is(store):
    number = await put(store, "再試行の上限は三回")
    await run(store, delete, number)

    gone = await found(store, "再試行")
    outcome = await run(store, restore, number, 7, now=AT)

    assert gone == []
    assert outcome == {number: "restored", 7: "not found"}
    assert await found(store, "再試行") == [number]
    assert await run(store, restore, number) == {number: "not deleted"}


async def test_a_memory_that_is_stored_anew_is_found_by_what_it_says_now(store):
    """B16: an update left the index as it was."""
    number = await put(store, "ガイドを読む")
    await run(store, delete, number)

    await put(store, unicodedata.normalize("NFD", "ガイドを読む"))

    assert await found(store, "ガイド") == [number]


async def test_a_deletion_leaves_its_moment(store):
    number = await put(store, "one fact")

    await run(store, delete, number)

    memory = await one(store.connection, number)
    assert memory is not None
    assert memory.deleted_at == memory.updated_at == "2026-06-12T09:30:00.000Z"
    assert memory.created_at == "2026-06-11T09:30:00.000Z"


async def test_a_deleted_capture_is_not_captured_again(store):
    """B13: what was deleted came back."""
    turn = NewMemory(key="turn:1", content="a turn", source="session", created_at=AT)
    async with store.transaction() as connection:
        await keep(connection, turn, NOWHERE, AT)
    await run(store, delete, 1)

    async with store.transaction() as connection:
        status = await keep(connection, turn, NOWHERE, LATER)

    assert (status, await found(store, "turn")) == ("known", [])

from datetime import UTC, datetime

import pytest

from runtime.store.by_hand import Given, store_by_hand
from runtime.store.deleting import delete
from runtime.store.listing import Wanted, listed
from runtime.store.longterm import Origin, keep, mark
from runtime.store.longterm_stats import longterm_stats
from schemas.records import NewMemory

DAYS = [datetime(2020, 6, day, 12, tzinfo=UTC) for day in (11, 12, 13)]


@pytest.fixture
async def three(store):
    """One of a tool in shop, one by hand in Web, one by hand nowhere: ids 1 to 3 by age."""
    async with store.transaction() as connection:
        written = NewMemory(
            key="tool:1",
            content="結果 " * 200,
            source="tool:Write",
            created_at=DAYS[0],
            tool="Write",
            session_id="abc-1",
        )
        await keep(connection, written, Origin("shop", "s", None, "one"), DAYS[0])
        by_hand = Given("second", "obsidian", ("Plan", "b"))
        await store_by_hand(connection, by_hand, Origin("Web", None, None, "one"), DAYS[1])
        by_hand = Given("third", "claude_code")
        await store_by_hand(connection, by_hand, Origin(None, None, None, "two"), DAYS[2])
        await mark(connection, [2], is_global=True, is_pinned=True)
    return store


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        ({}, [3, 2, 1]),
        ({"limit": 2}, [3, 2]),
        ({"project": ("web", "SHOP")}, [2, 1]),
        ({"source": ("Tool:write",)}, [1]),
        ({"tool": ("write",)}, [1]),
        ({"tag": ("plan",)}, [2]),
        ({"session": "abc"}, [1]),
        ({"session": "bc"}, []),
        ({"after": "2020-06-12"}, [3, 2]),
        ({"before": "2020-06-12"}, [1]),
        ({"is_pinned": True}, [2]),
        ({"is_deleted": True}, []),
        ({"project": ("shop",), "after": "2020-06-12"}, []),
    ],
)
async def test_memories_are_listed_newest_first(three, wanted, ids):
    found = await listed(three.connection, Wanted(**{"limit": 9, **wanted}))

    assert [memory.id for memory in found] == ids


async def test_a_line_says_how_long_the_text_is_and_how_it_begins(three):
    """B19: a list that printed the text, which it was not given, ended in an error."""
    memory = (await listed(three.connection, Wanted(9)))[-1]

    assert (memory.chars, len(memory.summary)) == (600, 200)
    assert memory.summary.startswith("結果 結果")


async def test_deleted_memories_are_listed_apart_and_counted_apart(three):
    async with three.transaction() as connection:
        await delete(connection, [1], DAYS[2])

    (gone,) = await listed(three.connection, Wanted(9, is_deleted=True))
    stats = await longterm_stats(three.connection)

    assert (gone.id, gone.deleted_at) == (1, "2020-06-13T12:00:00.000Z")
    assert [memory.id for memory in await listed(three.connection, Wanted(9))] == [3, 2]
    assert stats.model_dump() == {
        "total": 2,
        "by_source": {"claude_code": 1, "obsidian": 1},
        "oldest_at": "2020-06-12T12:00:00.000Z",
        "newest_at": "2020-06-13T12:00:00.000Z",
        "by_project": {"": 1, "Web": 1},
        "by_host": {"one": 1, "two": 1},
        "deleted": 1,
        "is_global": 1,
        "is_pinned": 1,
        "content_chars": 11,
    }


async def test_an_empty_store_has_counts_too(store):
    stats = await longterm_stats(store.connection)

    assert (stats.total, stats.by_source, stats.oldest_at, stats.newest_at) == (0, {}, None, None)


async def test_oldest_and_newest_are_moments_whatever_the_time_zone(store):
    """B18: times with their own offsets were compared as text."""
    tokyo = datetime.fromisoformat("2026-06-11T08:00:00+09:00")
    london = datetime.fromisoformat("2026-06-11T01:00:00+01:00")
    async with store.transaction() as connection:
        for number, moment in enumerate((tokyo, london)):
            given = Given(f"fact {number}", "x")
            await store_by_hand(connection, given, Origin(None, None, None, "m"), moment)

    stats = await longterm_stats(store.connection)

    assert (stats.oldest_at, stats.newest_at) == (
        "2026-06-10T23:00:00.000Z",
        "2026-06-11T00:00:00.000Z",
    )
    assert [memory.id for memory in await listed(store.connection, Wanted(9))] == [2, 1]

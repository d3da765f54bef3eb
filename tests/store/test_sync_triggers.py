"""The moments that machines need to agree are noted whoever writes."""

from collections.abc import Mapping
from typing import Any

import pytest

from runtime.store.store import Store
from tests.store.indexes import check_index
from tests.store.test_longterm import memory, put


async def run(store: Store, statement: str) -> Mapping[str, Any]:
    async with store.transaction() as connection:
        await connection.execute(statement)
    rows = await store.connection.execute_fetchall("SELECT * FROM memories")
    return next(iter(rows))


@pytest.mark.parametrize(
    ("deleted", "noted", "why"),
    [
        ("2026-07-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z", "later than it came"),
        ("2020-01-01T00:00:00.000Z", "2026-06-11T09:30:00.000Z", "a clock is behind"),
    ],
)
async def test_a_deletion_comes_after_the_life_that_it_ends(store, deleted, noted, why):
    await put(store, memory())

    row = await run(store, f"UPDATE memories SET deleted_at = '{deleted}'")

    assert row["deleted_at"] == noted, why


@pytest.mark.parametrize(
    ("restored", "noted", "why"),
    [
        ("2026-08-01T00:00:00.000Z", "2026-08-01T00:00:00.000Z", "later than the deletion"),
        ("2020-01-01T00:00:00.000Z", "2026-07-01T00:00:00.001Z", "a clock is behind"),
    ],
)
async def test_a_restoration_comes_after_the_deletion(store, restored, noted, why):
    await put(store, memory())
    await run(store, "UPDATE memories SET deleted_at = '2026-07-01T00:00:00.000Z'")

    row = await run(store, f"UPDATE memories SET deleted_at = NULL, updated_at = '{restored}'")

    assert row["lived_at"] == noted, why


async def test_marks_that_a_restoration_takes_away_are_taken_away_everywhere(store):
    await put(store, memory())
    await run(store, "UPDATE memories SET is_pinned = 1, deleted_at = '2026-07-01T00:00:00.000Z'")

    row = await run(
        store,
        "UPDATE memories SET deleted_at = NULL, is_pinned = 0,"
        " updated_at = '2026-08-01T00:00:00.000Z'",
    )

    assert row["marked_at"] == "2026-08-01T00:00:00.000Z"


@pytest.mark.parametrize("before", ["NULL", "'2026-06-20T00:00:00.000Z'"])
async def test_a_text_that_is_taken_out_is_purged_whether_or_not_it_was_deleted(store, before):
    await put(store, memory())
    await run(store, f"UPDATE memories SET deleted_at = {before}")

    row = await run(
        store,
        "UPDATE memories SET content = '', updated_at = '2026-07-01T00:00:00.000Z',"
        " deleted_at = coalesce(deleted_at, '2026-07-01T00:00:00.000Z')",
    )

    assert (row["deleted_at"], row["purged_at"]) == ("2026-07-01T00:00:00.000Z",) * 2
    check_index(store.path)

"""The index is brought together in steps, and answers alike before, between and after."""

from typing import Final

import pytest

from runtime.store import segments
from runtime.store.connection import fetch_all
from runtime.store.segments import SEVERAL, is_scattered, merge_step
from runtime.store.store import Store
from runtime.worker.idle import merge_indexes
from tests.store.indexes import check_index
from tests.store.kept import remember, texts

QUESTIONS: Final = ["retry policy", "期限", '"retry policy"', "shop -policy"]


async def _fill(store: Store, count: int = 24) -> None:
    for number in range(count):
        await remember(store, f"retry policy {number} of the shop, 期限 {number * 7}")


async def _segments(store: Store) -> int:
    rows = await fetch_all(store.connection, "SELECT count(DISTINCT segid) FROM search_index_idx")
    return int(rows[0][0])


async def _answers(store: Store) -> list[list[str]]:
    return [await texts(store, question, 50) for question in QUESTIONS]


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "STEP_PAGES", 1)


@pytest.mark.usefixtures("small_steps")
async def test_every_step_leaves_the_answers_as_they_were(store: Store) -> None:
    await _fill(store)
    before = await _answers(store)
    assert await is_scattered(store.connection)

    steps, is_more = 0, True
    while is_more:
        async with store.transaction() as connection:
            is_more = await merge_step(connection, is_first=not steps)
        steps += 1
        assert await _answers(store) == before

    assert steps > 1
    assert await _segments(store) == 1
    assert not await is_scattered(store.connection)
    check_index(store.path)


@pytest.mark.usefixtures("small_steps")
async def test_it_stops_for_whoever_comes_and_goes_on_later(store: Store) -> None:
    await _fill(store)
    asked = iter([False, False, False, True])

    await merge_indexes([store], lambda: next(asked))
    await remember(store, "retry what came in between")
    between = await _answers(store)
    await merge_indexes([store], lambda: False)

    assert await _segments(store) < SEVERAL
    assert await _answers(store) == between
    check_index(store.path)


async def test_what_is_together_is_not_written_anew(store: Store) -> None:
    await _fill(store)
    await merge_indexes([store], lambda: False)
    await remember(store, "one more")
    changes = await fetch_all(store.connection, "SELECT total_changes()")

    await merge_indexes([store], lambda: False)

    assert await _segments(store) == 2 < SEVERAL
    assert await fetch_all(store.connection, "SELECT total_changes()") == changes

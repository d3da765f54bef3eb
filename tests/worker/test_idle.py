"""In a pause after work the worker brings the index together, once."""

import os
from collections.abc import Generator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from runtime.contexts import Contexts
from runtime.paths import Home
from runtime.settings import Settings
from runtime.store.connection import fetch_all
from runtime.store.store import Store
from runtime.worker.server import Worker
from tests.store.kept import remember


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(str(tmp_path / "home"))
    home.prepare()
    return home


@pytest.fixture
def lock() -> Generator[int]:
    file = os.open(os.devnull, os.O_RDONLY)
    yield file
    os.close(file)


async def test_a_pause_after_work_leaves_one_segment_and_the_next_pause_nothing_to_do(
    home: Home, lock: int
) -> None:
    async with AsyncExitStack() as stack:
        contexts = Contexts(home, stack)
        store = (await contexts.of({})).opened
        worker = Worker(home, lock, Settings())
        await _fill(store, "before")
        await worker._tidy(contexts)
        counts = [await _segments(store)]
        await _fill(store, "later")
        await worker._tidy(contexts)
        counts.append(await _segments(store))

    assert counts[0] == 1
    assert counts[1] > 1, "no work was noted, so nothing was looked at"


async def _fill(store: Store, word: str) -> None:
    for number in range(24):
        await remember(store, f"retry policy {word} {number}")


async def _segments(store: Store) -> int:
    rows = await fetch_all(store.connection, "SELECT count(DISTINCT segid) FROM search_index_idx")
    return int(rows[0][0])

"""A worker with nothing else to do replaces the index of another version of the tokenizer."""

import sqlite3
from contextlib import closing

import anyio
import pytest

from runtime.store.store import open_store
from runtime.tokens.index import TOKENIZER_VERSION
from tests.leftovers import until
from tests.store.indexes import check_index
from tests.store.kept import remember
from tests.worker.hooks import Hooks, written

pytestmark = pytest.mark.process

LONG = "何について話したか。 " * 500
"""Several steps' worth, with a few of them."""


async def fill(path: str) -> None:
    async with open_store(path, 5) as store:
        for number in range(12):
            await remember(store, f"{number} {LONG}", session_id="s")
        async with store.transaction() as connection:
            await connection.execute("UPDATE meta SET value = '0' WHERE name GLOB 'tokenizer*'")


def versions(path: str) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT name, value FROM meta WHERE name GLOB 'token*'"))


def test_the_worker_makes_the_index_anew_while_it_waits(hooks: Hooks) -> None:
    hooks.root.mkdir(mode=0o700)
    anyio.run(fill, hooks.home.database)

    hooks.run(written("one"))
    hooks.drained()
    until(lambda: versions(hooks.home.database) == {"tokenizer_version": str(TOKENIZER_VERSION)})

    check_index(hooks.home.database)

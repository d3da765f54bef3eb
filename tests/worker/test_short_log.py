"""A worker leaves no long log of changes: a hook that finds it killed would read all of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from runtime.store.checkpoint import LONG_BYTES
from runtime.store.store import open_store
from tests.leftovers import until
from tests.store.kept import remember
from tests.worker.hooks import Hooks, written

pytestmark = pytest.mark.process

LONG = "何について話したか。 " * 15_000


async def _keep(path: str, text: str) -> None:
    async with open_store(path, 5) as store:
        await remember(store, text)


def test_a_log_that_somebody_left_is_short_after_the_next_event(hooks: Hooks) -> None:
    hooks.root.mkdir(mode=0o700)
    log = Path(hooks.home.database + "-wal")
    anyio.run(_keep, hooks.home.database, "short")
    # Who has it open keeps the log from being removed, as a kill does.
    with closing(sqlite3.connect(hooks.home.database)) as other:
        other.execute("SELECT count(*) FROM memories").fetchall()
        anyio.run(_keep, hooks.home.database, LONG)
        before = log.stat().st_size

        hooks.run(written("one"))
        hooks.drained()
        until(lambda: log.stat().st_size < LONG_BYTES)

    assert before > LONG_BYTES

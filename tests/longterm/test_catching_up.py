"""Memories that a sync has taken over get into the index, with helpers or without."""

import signal
from pathlib import Path

import anyio
import pytest

from runtime.longterm import catching_up
from runtime.longterm.catching_up import catch_up, tokens_of
from runtime.longterm.helper_processes import HelperProcess, helpers
from runtime.store import index_backlog
from runtime.store.replicas import insert_rows
from runtime.store.store import open_store
from runtime.tokens.index import index_tokens
from tests.store.indexes import check_index
from tests.store.kept import hits
from tests.store.test_index_backlog import row


@pytest.mark.process
@pytest.mark.parametrize("count", [0, 2])
async def test_all_that_waits_gets_into_the_index(tmp_path: Path, monkeypatch, count: int):
    path = str(tmp_path / "memory.db")
    monkeypatch.setattr(catching_up, "BATCH_CHARS", 200)
    monkeypatch.setattr(catching_up, "HELP_MEMORIES", 0)
    seen: list[tuple[int, int]] = []
    async with open_store(path, 5) as store:
        async with store.transaction() as connection:
            await insert_rows(connection, [row(number, minute=number) for number in range(30)])

        with anyio.fail_after(60):
            await catch_up(store, count, lambda done, total: seen.append((done, total)))

        assert await index_backlog.waiting(store.connection) == 0
        assert await hits(store, "word29") != []
    assert seen == sorted(seen)
    assert seen[-1] == (30, 30)
    check_index(path)


async def test_what_changes_while_its_tokens_are_made_is_found_by_what_it_says_then(tmp_path: Path):
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        async with store.transaction() as connection:
            await insert_rows(connection, [row(number, minute=number) for number in range(3)])
        batch = await index_backlog.next_batch(store.connection, 10_000)
        assert batch is not None
        tokens = tokens_of(batch.texts)

        async with store.transaction() as connection:
            await connection.execute("UPDATE memories SET content = 'other' WHERE id = 1")
            await connection.execute("DELETE FROM memories WHERE id = 2")
        async with store.transaction() as connection:
            await index_backlog.put_in(connection, batch, tokens)

        assert "other" in [hit.content for hit in await hits(store, "other")]
        assert await index_backlog.waiting(store.connection) == 0
    check_index(path)


@pytest.mark.process
async def test_the_work_of_a_helper_that_was_killed_is_done_here():
    texts = ("セッションの期限",)
    with anyio.fail_after(60):
        async with helpers(1) as (helper,):
            assert isinstance(helper, HelperProcess)
            assert await helper.run(tokens_of, texts) == {texts[0]: index_tokens(texts[0])}
            helper.process.send_signal(signal.SIGKILL)
            await helper.process.wait()

            assert await helper.run(tokens_of, texts) == {texts[0]: index_tokens(texts[0])}

"""A long log of changes is copied back and emptied, and nobody is waited for."""

from pathlib import Path

from runtime.store.checkpoint import LONG_BYTES, log_bytes, shorten
from runtime.store.connection import fetch_all
from runtime.store.store import Store, open_store
from tests.store.kept import remember, texts

LONG = "何について話したか。 " * 15_000


def _log_bytes(store: Store) -> int:
    return Path(store.path + "-wal").stat().st_size


async def _write(store: Store) -> None:
    await remember(store, f"the retry policy. {LONG}")


async def test_a_long_log_is_emptied_and_what_was_in_it_is_found(store: Store) -> None:
    await _write(store)
    before = _log_bytes(store)

    await store.shorten_log()

    assert before > LONG_BYTES
    assert _log_bytes(store) == 0
    assert [text[:17] for text in await texts(store, "retry policy", 5)] == ["the retry policy."]


async def test_a_short_log_is_left_as_it_is(store: Store) -> None:
    await store.shorten_log()
    await remember(store, "short")
    before = _log_bytes(store)

    await store.shorten_log()

    assert 0 < before < LONG_BYTES
    assert _log_bytes(store) == before


async def test_who_reads_in_the_log_goes_on_and_is_not_waited_for(store: Store) -> None:
    """Until he is done nobody could write: the log stays, and the timeout is what it was."""
    await _write(store)
    async with open_store(store.path, 5) as other:
        await other.connection.execute("BEGIN")
        seen = await fetch_all(other.connection, "SELECT count(*) FROM memories")
        await _write_more(store)

        assert not await shorten(store.connection)
        assert _log_bytes(store) > LONG_BYTES
        assert await fetch_all(other.connection, "SELECT count(*) FROM memories") == seen
        await other.connection.execute("ROLLBACK")
    ((timeout_ms,),) = await fetch_all(store.connection, "PRAGMA busy_timeout")

    assert timeout_ms == 5_000
    assert await shorten(store.connection)


async def _write_more(store: Store) -> None:
    await remember(store, f"written meanwhile. {LONG}")


async def test_within_a_transaction_it_fails_without_harm(store: Store) -> None:
    """SQLite refuses to copy back what is being written."""
    async with store.transaction() as connection:
        await connection.execute("INSERT INTO meta VALUES ('checkpoint', 'tried')")
        assert not await shorten(connection)

    rows = await fetch_all(store.connection, "SELECT value FROM meta WHERE name = 'checkpoint'")
    assert [row[0] for row in rows] == ["tried"]


def test_a_database_without_a_log_has_one_of_no_bytes(tmp_path: Path) -> None:
    assert log_bytes(str(tmp_path / "none.db")) == 0

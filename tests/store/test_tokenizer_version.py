"""The index and what is to be taken out of it come from one version of the tokenizer."""

from pathlib import Path

import pytest

from runtime.store import store as store_module
from runtime.store.store import open_store
from tests.store.indexes import check_index


async def _fill(path: str) -> None:
    async with open_store(path, 5) as store, store.transaction() as connection:
        await connection.execute(
            "INSERT INTO memories (key, content, source, content_hash, created_at, updated_at)"
            " VALUES ('k', 'セッションの期限', 'session', 'h', 't', 't')"
        )


async def _version(path: str) -> str:
    async with open_store(path, 5) as store:
        rows = await store.connection.execute_fetchall(
            "SELECT value FROM meta WHERE name = 'tokenizer_version'"
        )
        return str(next(iter(rows))[0])


@pytest.mark.parametrize(
    "older",
    [
        "UPDATE meta SET value = '0' WHERE name = 'tokenizer_version'",
        "DELETE FROM meta WHERE name = 'tokenizer_version'",
    ],
    ids=["another", "none noted"],
)
async def test_a_new_tokenizer_makes_the_index_anew(tmp_path: Path, older: str) -> None:
    path = str(tmp_path / "memory.db")
    await _fill(path)
    async with open_store(path, 5) as store, store.transaction() as connection:
        await connection.execute(older)
        await connection.execute("INSERT INTO search_index (search_index) VALUES ('delete-all')")

    assert await _version(path) == str(store_module.TOKENIZER_VERSION)

    check_index(path)


async def test_the_same_tokenizer_leaves_the_index_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "memory.db")
    await _fill(path)

    async def refuse(_connection: object) -> int:
        raise AssertionError

    monkeypatch.setattr(store_module, "rebuild", refuse)

    assert await _version(path) == str(store_module.TOKENIZER_VERSION)

"""The index and what is to be taken out of it come from one version of the tokenizer."""

from pathlib import Path

import pytest

from runtime.store import index_change
from runtime.store.index_change import step
from runtime.store.store import Store, open_store
from runtime.tokens.index import TOKENIZER_VERSION
from tests.store.indexes import check_index
from tests.store.kept import note, remember, texts

OLDER = "UPDATE meta SET value = '0' WHERE name = 'tokenizer_version'"
NONE_NOTED = "DELETE FROM meta WHERE name = 'tokenizer_version'"
VERSIONS = "SELECT name, value FROM meta WHERE name GLOB 'tokenizer*'"


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step puts one record in."""
    monkeypatch.setattr(index_change, "STEP_CHARS", 1)


async def fill(path: str, *texts_of: str) -> None:
    """Make a store of memories and sections that an older tokenizer has indexed."""
    async with open_store(path, 5) as store:
        for text in texts_of:
            await remember(store, text, session_id="s")
        await note(store, "/n/a.md", {f"h{number}": text for number, text in enumerate(texts_of)})
        await do(store, OLDER)


async def do(store: Store, *statements: str) -> None:
    async with store.transaction() as connection:
        for statement in statements:
            await connection.execute(statement)


async def finish(store: Store) -> int:
    """Take all steps that are left; returns their number."""
    steps = 1
    while not await step(store.connection, store.path):
        steps += 1
    return steps


@pytest.mark.parametrize("older", [OLDER, NONE_NOTED], ids=["another", "none noted"])
async def test_a_small_index_of_another_tokenizer_is_made_anew_at_once(
    tmp_path: Path, older: str
) -> None:
    path = str(tmp_path / "memory.db")
    await fill(path, "セッションの期限")
    async with open_store(path, 5) as store:
        await do(store, older, "INSERT INTO search_index (search_index) VALUES ('delete-all')")

    async with open_store(path, 5) as store:
        rows = await store.connection.execute_fetchall(VERSIONS)

    assert {row[0]: row[1] for row in rows} == {"tokenizer_version": str(TOKENIZER_VERSION)}
    check_index(path)


async def test_the_same_tokenizer_leaves_the_index_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "memory.db")
    async with open_store(path, 5) as store:
        await remember(store, "セッションの期限")

    async def refuse(*_args: object) -> bool:
        raise AssertionError

    monkeypatch.setattr(index_change, "step", refuse)

    async with open_store(path, 5) as store:
        assert await texts(store, "期限") == ["セッションの期限"]

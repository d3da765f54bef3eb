"""The index follows a write at once."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from runtime.notes import following
from runtime.notes.book import refresh_file
from runtime.notes.following import follow
from runtime.notes.indexer import Indexed
from runtime.paths import Home
from runtime.setting_sections import Notes
from runtime.settings import Settings
from runtime.store.store import Store, open_store


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(str(tmp_path / "home"))
    home.prepare()
    return home


async def contents(home: Home) -> list[str]:
    async with open_store(home.database, 5.0) as store:
        rows = await store.connection.execute_fetchall("SELECT content FROM note_chunks")
    return [row[0].strip() for row in rows]


async def test_only_the_file_that_was_written_is_indexed(home: Home) -> None:
    for name in ("a.md", "b.md"):
        (Path(home.notes) / name).write_text(f"## {name}\nx\n", encoding="utf-8")

    problem = await follow(home, Settings(), home.database, [f"{home.notes}/a.md"])

    assert problem == ""
    assert await contents(home) == ["## a.md\nx"]


async def test_a_file_that_changes_while_it_is_indexed_is_indexed_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two writers may index in another order than they wrote in."""
    path = Path(home.notes) / "a.md"
    path.write_text("## a\nold\n", encoding="utf-8")
    runs = []

    async def change_after_reading(*arguments: Any) -> Any:
        done = await refresh_file(*arguments)
        if not runs:
            await anyio.Path(path).write_text("## a\nnewer\n", encoding="utf-8")
        runs.append(done)
        return done

    monkeypatch.setattr(following, "refresh_file", change_after_reading)

    await follow(home, Settings(), home.database, [str(path)])

    assert len(runs) == 2
    assert await contents(home) == ["## a\nnewer"]


async def test_a_file_that_never_rests_ends_in_the_last_round(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(home.notes) / "a.md"
    runs = []

    async def change(_home: Home, _settings: Settings, _store: Store, path: str) -> Indexed:
        runs.append(path)
        await anyio.Path(path).write_text("x" * len(runs), encoding="utf-8")
        return Indexed(1, 1, 1, 0, ())

    monkeypatch.setattr(following, "refresh_file", change)

    assert await follow(home, Settings(), home.database, [str(path)]) == ""
    assert len(runs) == following.ROUNDS


async def test_a_file_that_is_gone_is_no_failure(home: Home) -> None:
    assert await follow(home, Settings(), home.database, [f"{home.notes}/gone.md"]) == ""
    assert await contents(home) == []


async def test_a_file_that_no_search_will_find_is_said(home: Home, tmp_path: Path) -> None:
    outside, large = tmp_path / "outside.md", Path(home.notes) / "large.md"
    outside.write_text("## x\n", encoding="utf-8")
    large.write_text("## x\n" + "x" * 1000, encoding="utf-8")
    settings = Settings(notes=Notes(max_file_bytes=1000))

    problem = await follow(home, settings, home.database, [str(outside), str(large)])

    assert f"not indexed: {outside}: outside" in problem
    assert f"not indexed: {large}: 1,005 bytes, at most 1,000" in problem
    assert await contents(home) == []


async def test_a_database_that_cannot_be_had_is_said(home: Home) -> None:
    Path(home.database).mkdir()

    assert home.database in await follow(home, Settings(), home.database, [f"{home.notes}/a.md"])

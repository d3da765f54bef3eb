"""An open store and an empty folder of notes."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from runtime.store.store import Store, open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    async with open_store(str(tmp_path / "memory.db"), 5.0) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder

"""A migrated store in a fresh folder, and what its search index ought to hold."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

import schemas.longterm
from runtime.store.store import Store, open_store

# The first model of a process looks for pydantic's plugins on the disk: not in a running loop.
schemas.longterm.Kept.model_rebuild()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    async with open_store(str(tmp_path / "memory.db"), 5) as opened:
        yield opened

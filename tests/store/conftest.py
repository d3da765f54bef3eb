"""A migrated store in a fresh folder, and what its search index ought to hold."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from runtime.store.store import Store, open_store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    async with open_store(str(tmp_path / "memory.db"), 5) as opened:
        yield opened

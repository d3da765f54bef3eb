"""A migrated store, and an encoder of a few words that needs no weights."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from runtime.embeddings.encoder import Identity, Vector
from runtime.store.store import Store, open_store

AXES = {"login": 0, "session": 0, "sign": 0, "cache": 1, "redis": 1, "deploy": 2, "ship": 2}
"""Words, by what they are about."""


class WordEncoder:
    """A dimension for each thing that words are about."""

    identity = Identity("words", "1", 3)

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self.asked: list[str] = []
        self.is_closed = False

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        self.encoded += texts
        return [_vector(text) for text in texts]

    def query(self, text: str) -> Vector:
        self.asked.append(text)
        return _vector(text)

    def close(self) -> None:
        self.is_closed = True


def _vector(text: str) -> Vector:
    about = [AXES[word] for word in text.lower().split() if word in AXES]
    return [float(about.count(axis)) for axis in range(3)]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    async with open_store(str(tmp_path / "memory.db"), 5) as opened:
        yield opened


@pytest.fixture
def encoder() -> WordEncoder:
    return WordEncoder()

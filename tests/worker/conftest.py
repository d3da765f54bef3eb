"""A home for hook processes; its workers end with the test."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.leftovers import stop_workers_below
from tests.worker.hooks import Hooks


@pytest.fixture
def hooks(tmp_path: Path) -> Generator[Hooks]:
    """Hook processes over a fresh home."""
    yield Hooks(tmp_path / "home")
    stop_workers_below(tmp_path)

"""A session whose transcript lies in the test's folder."""

from pathlib import Path

import pytest

from runtime.context import AppContext
from runtime.store.store import Store
from tests.longterm.session import Session


@pytest.fixture
def store(app: AppContext) -> Store:
    return app.opened


@pytest.fixture
def session(app: AppContext, tmp_path: Path) -> Session:
    return Session(app, tmp_path / "transcript.jsonl")

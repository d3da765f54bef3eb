"""A home, a project beside it, and events through the pipeline of this process."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from runtime.app import open_app
from runtime.context import AppContext
from runtime.paths import Home
from runtime.settings import Settings

Opened = Callable[..., AbstractAsyncContextManager[AppContext]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(str(tmp_path / "home"))
    made.prepare()
    return made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def opened(home: Home) -> Opened:
    """Open the home with settings of `capture`: `async with opened(ignore_tools=...) as app`."""

    @asynccontextmanager
    async def open_with(**capture: Any) -> AsyncGenerator[AppContext]:
        settings = Settings.model_validate({"hook": {"budget_s": 30}, "capture": capture})
        async with open_app(home, settings) as app:
            yield app

    return open_with


def everything(home: Home) -> bytes:
    """Return every byte that is kept."""
    files = [path for path in sorted(Path(home.root).rglob("*")) if path.is_file()]
    return b"\n".join(path.read_bytes() for path in files)

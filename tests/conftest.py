"""What holds for every test: asyncio, no home, no network, no blocked loop, the same examples."""

import os
import time
from collections.abc import AsyncGenerator, Callable, Generator, MutableMapping
from pathlib import Path
from typing import Any, Final

import anyio
import hypothesis
import pytest
import structlog
from hypothesis.database import DirectoryBasedExampleDatabase
from pydantic import TypeAdapter

import handlers
import runtime
import schemas
from runtime.app import open_app
from runtime.context import AppContext
from runtime.paths import Home
from runtime.settings import Settings
from tests.guards import forbid_blocking, forbid_outside_network, seal_home
from tests.leftovers import stop_workers_below, workers_below
from tests.payloads import FIXTURES, Payloads
from tests.processes import Product

ROOT: Final = Path(__file__).resolve().parent.parent

# The machine's load says nothing about the code: no deadline.
hypothesis.settings.register_profile(
    "here",
    deadline=None,
    database=DirectoryBasedExampleDatabase(ROOT / ".cache" / "hypothesis"),
)
# The same examples in every run: a red build is the change's doing.
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_configure() -> None:
    """Close the network before the first test module is imported."""
    forbid_outside_network()
    # With the first model pydantic looks for plugins in folders: not in a test's event loop.
    TypeAdapter(int)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run every async test on asyncio: aiosqlite knows no other loop."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def _no_home() -> Generator[None]:
    """Give the tests, and the processes they start, a home that nobody can write."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        seal_home(monkeypatch, os.environ)
        yield


@pytest.fixture(autouse=True)
def _no_blocking() -> Generator[None]:
    """Fail the test when the project's code blocks the event loop."""
    with forbid_blocking(runtime, handlers, schemas):
        yield


@pytest.fixture(autouse=True)
def logged() -> Generator[list[MutableMapping[str, Any]]]:
    """Every structured log line of the test; unconfigured, structlog would print them."""
    with structlog.testing.capture_logs() as lines:
        yield lines


@pytest.fixture(scope="session")
def fixtures_dir() -> Path:
    """The folder of captured payloads and transcripts."""
    return FIXTURES


@pytest.fixture(scope="session")
def cases_dir() -> Path:
    """The folder of inputs made from reported faults, one folder per case."""
    return FIXTURES.parent / "cases"


@pytest.fixture(scope="session")
def payloads() -> Payloads:
    """Every captured hook payload by its file's name."""
    return Payloads()


@pytest.fixture(scope="session", autouse=True)
def _no_process_left(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Fail the run when a worker outlives the test that made it start."""
    yield
    base = tmp_path_factory.getbasetemp()
    left = workers_below(base)
    stop_workers_below(base)
    assert left == []


@pytest.fixture
def product(tmp_path: Path) -> Generator[Product]:
    """Hooks and commands as real processes, with a fresh home; its worker ends with the test."""
    yield Product(tmp_path / "home")
    stop_workers_below(tmp_path)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncGenerator[AppContext]:
    """An opened context with a fresh home and default settings, in this process."""
    home = Home(str(tmp_path / "home"))
    await anyio.to_thread.run_sync(home.prepare)
    # Time enough on a busy machine.
    settings = Settings.model_validate({"hook": {"budget_s": 30}})
    async with open_app(home, settings) as opened:
        yield opened


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[[], None]]:
    """Give a function that moves the machine to Tokyo, for the rest of the test."""

    def move() -> None:
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()

"""Worlds for the real client; `scripts/e2e` says which versions, in a variable."""

import os
import signal
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from tests.e2e_client.client import Client
from tests.e2e_client.model import Model
from tests.e2e_client.world import World, processes_about, wait_until

VARIABLE: Final = "OBOEGAKI_E2E_CLIENTS"
BINARIES: Final = [Path(name) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
"""Read while the tests are collected: nothing of the person's is left when they run."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every test with each version."""
    if "binary" in metafunc.fixturenames:
        # Without a version there is one failing test each: nobody shall think that they ran.
        names = [_version(path) for path in BINARIES] or ["no client"]
        metafunc.parametrize("binary", BINARIES or [None], ids=names, scope="session")


def _version(path: Path) -> str:
    """Return the part of a path that tells versions apart."""
    return next((part for part in path.parts if part.startswith("claude-2")), str(path))


@pytest.fixture
def model() -> Generator[Model]:
    """A model without a script."""
    with Model() as served:
        yield served


@pytest.fixture
def world(tmp_path: Path, binary: Path | None, model: Model) -> Generator[World]:
    """A client without hooks and an empty home; no process is left behind."""
    if binary is None:
        pytest.fail(f"{VARIABLE} names no client: run scripts/e2e")
    built = World(Client(binary, tmp_path, model.url), tmp_path / "home")
    yield built
    pid = built.worker()
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not processes_about(tmp_path))


@pytest.fixture(params=["settings", "plugin"])
def installed(request: pytest.FixtureRequest, world: World) -> World:
    """The product installed in each of the two ways."""
    if request.param == "settings":
        world.install_as_settings()
    else:
        world.install_as_plugin()
    return world


@pytest.fixture
def used(world: World) -> World:
    """The product installed in the way that most people have it."""
    world.install_as_settings()
    return world

"""Both places for permanent memories, and a person who edits beside the agent."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Protocol

import anyio
import pytest

from runtime.permanent.backend import Backend
from runtime.permanent.esa import open_esa
from runtime.permanent.folder import scan
from runtime.permanent.local import Local
from runtime.permanent.service import Permanent
from runtime.permanent.token import Token
from runtime.store.store import open_store
from tests.esa_server import TOKEN, EsaServer

TAG = "永続"


class Person(Protocol):
    """Somebody who saves without us: in the browser, or in an editor."""

    async def edit(self, number: int, body_md: str) -> None:
        """Save a text over a post's."""


class Place:
    """A backend, the rules over it, and the person beside it."""

    def __init__(self, backend: Backend, person: Person) -> None:
        self.backend = backend
        self.permanent = Permanent(backend, TAG)
        self.person = person


class InTheBrowser:
    def __init__(self, server: EsaServer) -> None:
        self._server = server

    async def edit(self, number: int, body_md: str) -> None:
        self._server.edit(number, body_md=body_md)


class InAnEditor:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def edit(self, number: int, body_md: str) -> None:
        await anyio.to_thread.run_sync(self._save, number, body_md)

    def _save(self, number: int, body_md: str) -> None:
        file = scan(self._folder)[number]
        head = file.text.removesuffix(file.post.body_md)
        file.path.write_text(head + body_md, encoding="utf-8")


@pytest.fixture
def esa_server() -> Iterator[EsaServer]:
    with EsaServer() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "permanent"


@pytest.fixture(params=["esa", "local"])
async def place(
    request: pytest.FixtureRequest, esa_server: EsaServer, tmp_path: Path, folder: Path
) -> AsyncIterator[Place]:
    if request.param == "esa":
        async with open_esa(esa_server.url, "team", Token(TOKEN, "a test")) as esa:
            yield Place(esa, InTheBrowser(esa_server))
        return
    async with open_store(str(tmp_path / "memory.db"), 5.0) as store:
        yield Place(Local(folder, store, "agent"), InAnEditor(folder))

"""Servers in this process, asked by the SDK's own client in both protocol eras."""

import json
import logging
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from runtime.mcp_servers import chiebukuro, longterm
from runtime.mcp_servers.common import Memory, Server
from runtime.mcp_servers.registered import offered

Connect = Callable[[Server], AbstractAsyncContextManager[Client]]


@pytest.fixture(autouse=True)
def _logging_is_put_back() -> Generator[None]:
    """The SDK's server configures logging when it is made."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """What a client starts a server with."""
    return {"OBOEGAKI_HOME": str(tmp_path / "home"), "OBOEGAKI_WORKER_ENABLED": "0"}


@pytest.fixture
def memory(environ: dict[str, str]) -> Memory:
    """The memory of an empty home."""
    return Memory(environ)


@pytest.fixture
def writing(memory: Memory) -> Server:
    """The server that writes."""
    return longterm.build(memory)


@pytest.fixture
def reading(memory: Memory) -> Server:
    """The server that reads."""
    return chiebukuro.build(memory, offered(memory))


@pytest.fixture(params=["auto", "legacy"])
def connect(request: pytest.FixtureRequest) -> Connect:
    """Connect a client, once in the present protocol and once with the older handshake."""
    return lambda server: Client(server, mode=request.param, raise_exceptions=True)


async def call(server: Server, tool: str, **arguments: Any) -> Any:
    """Call one tool of a server; return what the model reads, JSON as what it means."""
    async with Client(server) as client:
        return told(await client.call_tool(tool, arguments))


def told(result: Any) -> Any:
    """Return an answer's first part, JSON as what it means. An error fails the test."""
    text: str = result.content[0].text
    assert not result.is_error, text
    return json.loads(text) if text[:1] in "[{" else text


async def refused(server: Server, tool: str, **arguments: Any) -> str:
    """Call a tool that has to fail; return what the model is told."""
    async with Client(server) as client:
        result = await client.call_tool(tool, arguments)
    text: str = result.content[0].text
    assert result.is_error, text
    return text

"""Calls with arguments that a tool does not take, on all three servers and in both eras."""

from collections.abc import Callable
from typing import Any

import pytest

from runtime.mcp_servers import chiebukuro, longterm, permanent
from runtime.mcp_servers.common import Memory, Server
from runtime.mcp_servers.registered import offered
from tests.mcp_servers.conftest import Connect, call

SECRET = "ghp_" + "a1B2c3D4" * 5
SERVERS: dict[str, Callable[[Memory], Server]] = {
    "longterm": longterm.build,
    "chiebukuro": lambda memory: chiebukuro.build(memory, offered(memory)),
    "permanent": permanent.build,
}
Servers = dict[str, Server]
CALLS: list[tuple[str, str, dict[str, Any], list[str]]] = [
    (
        "longterm", "long_term_memory_store", {},
        ["`content` is missing; `source` is missing"],
    ),
    (
        "longterm", "long_term_memory_store", {"content": 5, "source": None},
        ["`content` has to be a text, and is 5", "`source` has to be a text, and is null"],
    ),
    (
        "longterm", "long_term_memory_store", {"content": "a", "source": "x", "tags": SECRET},
        ["`tags` has to be a list of texts, and is a text"],
    ),
    (
        "longterm", "long_term_memory_store", {"content": "a", "source": "x", "tags": ["b", 7]},
        ["`tags`[1] has to be a text, and is 7"],
    ),
    (
        "longterm", "long_term_memory_delete", {"id": SECRET},
        ["`id` has to be a whole number, and is a text"],
    ),
    (
        "longterm", "long_term_memory_delete", {"id": 0},
        ["`id` has to be at least 1, and is 0"],
    ),
    (
        "longterm", "long_term_memory_delete", {"id": 2**64},
        ["`id` may be at most 9,223,372,036,854,775,807"],
    ),
    (
        "longterm", "long_term_memory_delete", {"id": 1.5},
        ["`id` has to be a whole number, and is 1.5"],
    ),
    ("chiebukuro", "search", {"query": {}}, ["`query` has to be a text, and is an object"]),
    (
        "chiebukuro", "search", {"query": "a", "limit": 1000},
        ["`limit` may be at most 50, and is 1,000"],
    ),
    (
        "chiebukuro", "show", {"id": 1, "kind": SECRET},
        ["`kind` has to be one of 'long-term', 'note'"],
    ),
    ("chiebukuro", "chiebukuro_query_long_term_memory", {}, ["`sql` is missing"]),
    (
        "permanent", "permanent_memory_update", {"post_number": 1, "title": "a", "body_md": "b"},
        ["`revision` is missing"],
    ),
    (
        "permanent", "permanent_memory_update",
        {"post_number": 1, "title": "a", "body_md": "b", "revision": 1, "merge": "perhaps"},
        ["`merge` has to be true or false, and is a text"],
    ),
    ("permanent", "permanent_memory_search", {"limit": "many"}, ["`limit` has to be a whole"]),
    (
        "permanent", "permanent_memory_create", {"title": [], "body_md": True},
        ["`title` has to be a text, and is a list", "`body_md` has to be a text, and is true"],
    ),
]  # fmt: skip


@pytest.fixture
def servers(memory: Memory) -> Servers:
    return {name: build(memory) for name, build in SERVERS.items()}


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "parts"), CALLS, ids=lambda value: str(value)[:50]
)
async def test_what_is_wrong_with_a_call_is_said_in_words(
    servers: Servers,
    connect: Connect,
    server: str,
    tool: str,
    arguments: dict[str, Any],
    parts: list[str],
) -> None:
    async with connect(servers[server]) as client:
        result = await client.call_tool(tool, arguments)

    said = result.content[0].text
    assert result.is_error
    assert said.startswith(f"{tool} was not called, nothing was done: ")
    assert [part for part in parts if part not in said] == []
    for raw in ("validation error", "pydantic", "input_value", "type=", SECRET, "{"):
        assert raw not in said


@pytest.mark.parametrize("name", SERVERS)
async def test_a_tool_that_is_not_there_is_told_with_those_that_are(
    servers: Servers, connect: Connect, name: str
) -> None:
    tools = [tool.name for tool in await servers[name].list_tools()]

    async with connect(servers[name]) as client:
        result = await client.call_tool("memory_store", {})

    assert result.is_error
    assert result.content[0].text == (
        f"there is no tool memory_store; there are {', '.join(tools)}"
    )


async def test_what_fits_is_called(memory: Memory) -> None:
    stored = await call(
        longterm.build(memory), "long_term_memory_store", content="a fact", source="x", tags=["t"]
    )

    assert stored["status"] == "stored"

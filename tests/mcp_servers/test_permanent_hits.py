"""`search` and `show` of the reading server know permanent memories."""

from typing import Any

import pytest

from runtime.mcp_servers import permanent
from runtime.mcp_servers.common import Memory, Server
from tests.esa_server import EsaServer
from tests.mcp_servers.conftest import call, refused

TITLE = "[認証][session] セッションの期限"


async def test_a_permanent_memory_is_found_and_shown_whole(memory: Memory, reading: Server) -> None:
    writing = permanent.build(memory)
    await call(writing, "permanent_memory_create", title=TITLE, body_md="期限は30日にした\n")

    found = await call(reading, "search", query="期限 kind:permanent")

    [hit] = found["hits"]
    assert (hit["id"], hit["kind"], hit["heading"]) == (1, "permanent", TITLE)
    assert (hit["revision"], "seen_at" in hit) == (1, False)
    shown = await call(reading, "show", id=1, kind="permanent")
    assert shown.startswith("id: 1\nkind: permanent\ndate: ")
    assert f"title: {TITLE}\nrevision: 1\n\n期限は30日にした" in shown


async def test_of_esa_the_age_is_told_and_nothing_is_asked(
    memory: Memory, reading: Server, environ: dict[str, str]
) -> None:
    with EsaServer() as server:
        environ |= {
            "OBOEGAKI_PERMANENT_BACKEND": "esa",
            "OBOEGAKI_PERMANENT_TEAM": "team",
            "OBOEGAKI_PERMANENT_URL": server.url,
            "ESA_ACCESS_TOKEN": server.token,
        }
        await call(
            permanent.build(memory), "permanent_memory_create", title=TITLE, body_md="30日\n"
        )
        server.requests.clear()

        found: Any = await call(reading, "search", query="期限")
        shown = await call(reading, "show", id=1, kind="permanent")

        assert server.requests == []
    assert found["hits"][0]["seen_at"].endswith("Z")
    assert "(today); permanent_memory_show asks esa itself" in shown


@pytest.mark.parametrize("number", [7, 2**63 - 1])
async def test_a_number_that_is_not_there_is_told(reading: Server, number: int) -> None:
    told = await refused(reading, "show", id=number, kind="permanent")

    assert "permanent_memory_show archived ones too" in told

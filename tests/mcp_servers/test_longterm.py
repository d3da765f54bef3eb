import sqlite3

import anyio
import pytest
from mcp import Client

from runtime.mcp_servers import longterm
from runtime.mcp_servers.common import Memory
from tests.mcp_servers.conftest import call, refused, told

TOOLS = ("long_term_memory_store", "long_term_memory_delete", "long_term_memory_stats")
STORE, DELETE, STATS = TOOLS
SECRET = "sk-ant-" + "a1" * 20


async def test_the_tools_are_those_of_the_source_system(writing, connect):
    """Source text, the writing server: store, delete, stats."""
    async with connect(writing) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert tuple(tools) == TOOLS
    properties = {name: set(tools[name].input_schema["properties"]) for name in TOOLS}
    assert properties == {
        STORE: {"content", "source", "project", "tags"},
        DELETE: {"id"},
        STATS: set(),
    }
    assert tools[STORE].input_schema["required"] == ["content", "source"]


async def test_a_model_is_told_what_each_tool_does_to_the_memory(writing, connect):
    async with connect(writing) as client:
        tools = (await client.list_tools()).tools

    assert [tool.annotations.read_only_hint for tool in tools] == [False, False, True]
    assert [tool.annotations.destructive_hint for tool in tools] == [False, True, None]
    assert all(tool.description[0].isupper() for tool in tools)
    assert "長期記憶" in tools[0].description


async def test_what_is_stored_is_counted_and_deleted(writing, connect):
    async with connect(writing) as client:
        stored = told(
            await client.call_tool(STORE, {"content": "期限は30日", "source": "claude_code"})
        )
        counted = told(await client.call_tool(STATS, {}))
        deleted = told(await client.call_tool(DELETE, {"id": stored["id"]}))
        left = told(await client.call_tool(STATS, {}))

    assert (stored["id"], stored["status"]) == (1, "stored")
    assert (counted["total"], counted["by_source"]) == (1, {"claude_code": 1})
    assert counted["oldest_at"] == counted["newest_at"]
    assert (deleted["id"], deleted["status"]) == (1, "deleted")
    assert "runtime longterm restore 1" in deleted["note"]
    assert (left["total"], left["oldest_at"], left["deleted"]) == (0, None, 1)


async def test_the_answer_is_there_for_programs_too(writing, connect):
    async with connect(writing) as client:
        result = await client.call_tool(STORE, {"content": "期限は30日", "source": "x"})

    assert result.structured_content == told(result)


async def test_deleting_what_does_not_exist_says_so(writing):
    """B18: the source system reports "deleted" for any id."""
    answer = await call(writing, DELETE, id=77)

    assert answer["status"] == "not found"
    assert "0 deleted" in answer["note"]


async def test_deleting_twice_says_so(writing):
    await call(writing, STORE, content="one fact", source="x")
    await call(writing, DELETE, id=1)

    answer = await call(writing, DELETE, id=1)

    assert answer["status"] == "already deleted"


async def test_storing_what_is_there_says_so_and_what_was_deleted_comes_back(writing):
    """B15: one trailing blank made a second memory."""
    await call(writing, STORE, content="one fact", source="x")

    again = await call(writing, STORE, content="one fact ", source="x")
    await call(writing, DELETE, id=1)
    anew = await call(writing, STORE, content="one fact", source="x", tags=["a"])

    assert (again["id"], again["status"]) == (1, "known")
    assert (anew["id"], anew["status"]) == (1, "stored")


async def test_a_memory_is_of_the_project_that_the_client_works_in(environ, tmp_path):
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    server = longterm.build(
        Memory(
            {
                **environ,
                "CLAUDE_PROJECT_DIR": str(tmp_path / "shop"),
                "CLAUDE_CODE_SESSION_ID": "session-1",
                "OBOEGAKI_HOST": "study",
            }
        )
    )

    here = await call(server, STORE, content="one fact", source="x")
    elsewhere = await call(server, STORE, content="another fact", source="x", project="web")

    assert (here["project"], elsewhere["project"]) == ("shop", "web")
    rows = sqlite3.connect(tmp_path / "home" / "memory.db").execute(
        "SELECT length(project_key), session_id, host FROM memories"
    )
    assert rows.fetchall() == [(16, "session-1", "study"), (None, "session-1", "study")]


async def test_secrets_reach_neither_the_store_nor_the_answer(writing, tmp_path):
    """B9: headers and keys were kept word for word."""
    answer = await call(
        writing, STORE, content=f"curl -H 'Authorization: Bearer {SECRET}'", source=f"x {SECRET}"
    )

    files = [path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert answer["status"] == "stored"
    assert "left out" in answer["note"]
    assert SECRET.encode() not in b"".join(files) + repr(answer).encode()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"content": "", "source": "x"}, "the content is empty"),
        ({"content": "x" * 100_001, "source": "x"}, "at most 100,000"),
        ({"content": "one fact", "source": " "}, "the source is empty"),
        ({"content": "one fact"}, "`source` is missing"),
        ({"content": 5, "source": "x"}, "`content` has to be a text, and is 5"),
    ],
)
async def test_a_mistake_reaches_the_model_as_a_text_that_says_what_to_do(writing, arguments, says):
    assert says in await refused(writing, STORE, **arguments)


async def test_what_is_wrong_with_the_settings_is_told_and_heeded_when_mended(writing, tmp_path):
    config = tmp_path / "home" / "config.toml"
    config.parent.mkdir()
    config.write_text("[store]\nbusy_timeout_s = 'long'\n", encoding="utf-8")

    said = await refused(writing, STATS)
    config.write_text("", encoding="utf-8")

    assert "store.busy_timeout_s" in said
    assert "runtime config show" in said
    assert (await call(writing, STATS))["total"] == 0


async def test_a_home_that_cannot_be_made_is_told_to_who_asks(environ):
    server = longterm.build(Memory({**environ, "OBOEGAKI_HOME": "/dev/null/none"}))

    assert "home /dev/null/none cannot be used" in await refused(server, STATS)


async def test_a_store_that_others_keep_locked_is_told(environ, tmp_path):
    server = longterm.build(Memory({**environ, "OBOEGAKI_STORE_BUSY_TIMEOUT_S": "0.01"}))
    await call(server, STATS)
    holder = sqlite3.connect(tmp_path / "home" / "memory.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    said = await refused(server, STORE, content="one fact", source="x")
    holder.execute("ROLLBACK")
    holder.close()

    assert "is locked" in said
    assert (await call(server, STORE, content="one fact", source="x"))["status"] == "stored"


async def test_a_bug_is_told_as_one_and_logged(writing, monkeypatch, logged):
    async def breaks(_connection):
        msg = f"with {SECRET}"
        raise ValueError(msg)

    monkeypatch.setattr(longterm, "longterm_stats", breaks)

    said = await refused(writing, STATS)

    assert "a bug in oboegaki (ValueError)" in said
    assert SECRET not in said
    assert [line["event"] for line in logged if line["log_level"] == "error"] == ["tool_failed"]


async def test_what_one_client_asks_for_is_done_in_its_order(writing):
    async with Client(writing) as client:
        statuses: dict[int, str] = {}

        async def store(number: int) -> None:
            result = await client.call_tool(STORE, {"content": "one fact", "source": "x"})
            statuses[number] = told(result)["status"]

        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(store, number)

    assert [statuses[number] for number in range(5)] == ["stored", *["known"] * 4]


@pytest.mark.parametrize("way", ["name", "file", "asked for"])
async def test_nothing_of_a_project_that_is_off_is_stored(environ, tmp_path, way):
    shop = tmp_path / "shop"
    (shop / ".git").mkdir(parents=True)
    more = {"CLAUDE_PROJECT_DIR": str(shop if way != "asked for" else tmp_path)}
    if way == "file":
        (shop / ".oboegakiignore").write_text("*\n", encoding="utf-8")
    else:
        more["OBOEGAKI_CAPTURE_OFF_PROJECTS"] = "shop,client-*"
    server = longterm.build(Memory({**environ, **more}))
    named = {"project": "client-a"} if way == "asked for" else {}

    said = await refused(server, STORE, content="one fact", source="x", **named)

    assert "nothing was stored" in said
    assert (await call(server, STATS))["total"] == 0

"""The plugin's MCP servers in the real client."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.e2e_client.client import Conversation
from tests.e2e_client.model import Model, call
from tests.e2e_client.world import World

pytestmark = pytest.mark.client

WRITING: Final = "mcp__plugin_oboegaki_long-term-memory__"
READING: Final = "mcp__plugin_oboegaki_chiebukuro__"
KEEPING: Final = "mcp__plugin_oboegaki_permanent-memory__permanent_memory_"
TOOLS: Final = {
    f"{WRITING}long_term_memory_store",
    f"{WRITING}long_term_memory_delete",
    f"{WRITING}long_term_memory_stats",
    f"{READING}search",
    f"{READING}show",
    f"{READING}chiebukuro_query_long_term_memory",
    f"{READING}chiebukuro_explain_query_long_term_memory",
    f"{READING}chiebukuro_semantic_search_long_term_memory",
    f"{KEEPING}search",
    f"{KEEPING}show",
    f"{KEEPING}create",
    f"{KEEPING}update",
    f"{KEEPING}archive",
    f"{KEEPING}history",
}
ALLOWED: Final = ("--allowedTools", ",".join(sorted(TOOLS)))
TRIES: Final = 20


def offered(model: Model) -> set[str]:
    """Return the names of the tools that the model was last offered."""
    return {str(tool.get("name")) for tool in model.requests[-1].get("tools", ())}


def result_in(request: str) -> str:
    """Return the text of the last tool's result that a request carries, "" for none."""
    texts = [
        part["text"] if isinstance(part, dict) else part
        for message in json.loads(request)["messages"]
        for block in message["content"]
        if isinstance(block, dict) and block.get("type") == "tool_result"
        for part in (block["content"] if isinstance(block["content"], list) else [block["content"]])
    ]
    return texts[-1] if texts else ""


def wait_for_servers(talk: Conversation, model: Model) -> None:
    """Talk until all servers have been connected: the client does that beside the session."""
    for number in range(TRIES):
        model.answer(f"hello {number}.", "Hello.")
        talk.say(f"hello {number}.")
        if offered(model) >= TOOLS:
            return
    pytest.fail(f"the client never offered {TOOLS - offered(model)}")


def test_what_one_server_stores_the_other_finds_in_one_session(world: World, model: Model):
    world.install_as_plugin()
    fact = "再試行の上限は三回 (KIRIKO-3)"
    model.answer(
        "長期記憶に保存して",
        [call(f"{WRITING}long_term_memory_store", content=fact, source="claude_code")],
        "保存しました。",
    )
    model.answer(
        "What was the limit?",
        [call(f"{READING}search", query="再試行 上限")],
        [call(f"{READING}show", id=1)],
        [
            call(
                f"{READING}chiebukuro_query_long_term_memory",
                sql="SELECT count(*) AS n, project FROM memories WHERE source = 'claude_code'",
            )
        ],
        [call(f"{WRITING}long_term_memory_delete", id=77)],
        "Three.",
    )

    with world.client.conversation(*ALLOWED) as talk:
        wait_for_servers(talk, model)
        talk.say("長期記憶に保存して")
        talk.say("What was the limit?")

    assert talk.ran.results[-2:] == ["保存しました。", "Three."]
    _asked, stored = map(result_in, model.asked_after("長期記憶に保存して"))
    assert json.loads(stored)["status"] == "stored"
    _asked, *results = map(result_in, model.asked_after("What was the limit?"))
    found, shown, counted, deleted = results
    assert fact in [hit["snippet"] for hit in json.loads(found)["hits"]]
    assert "kind: long-term\ndate: " in shown
    assert json.loads(counted) == [{"n": 1, "project": "project"}]
    assert json.loads(deleted)["status"] == "not found"


def test_a_permanent_memory_that_a_person_has_edited_is_not_overwritten(world: World, model: Model):
    world.install_as_plugin()
    title, folder = "[auth] sessions", Path(world.home.root) / "permanent"
    model.answer(
        "永続記憶に保存して",
        [call(f"{KEEPING}create", title=title, body_md="30 minutes.\n")],
        "保存しました。",
    )
    mine = {"post_number": 1, "title": title, "body_md": "60 minutes.\n", "revision": 1}
    model.answer("Make it 60.", [call(f"{KEEPING}update", **mine)], "Somebody was faster.")

    with world.client.conversation(*ALLOWED) as talk:
        wait_for_servers(talk, model)
        talk.say("永続記憶に保存して")
        (file,) = folder.iterdir()
        by_hand = file.read_text(encoding="utf-8").replace("30 minutes.", "45 minutes.")
        file.write_text(by_hand, encoding="utf-8")
        talk.say("Make it 60.")

    _asked, refused = map(result_in, model.asked_after("Make it 60."))
    assert "you have revision 1 of memory 1, it is at 2" in refused
    assert "45 minutes." in refused
    assert "60 minutes." in refused
    assert file.read_text(encoding="utf-8") == by_hand


def test_the_client_starts_the_servers_and_takes_them_along_when_it_leaves(
    world: World, model: Model
):
    """No server outlives the client: the world's end looks for processes."""
    world.install_as_plugin()

    with world.client.conversation(*ALLOWED) as talk:
        wait_for_servers(talk, model)

    (started,) = [line for line in talk.ran.lines if line.get("subtype") == "init"][:1]
    names = {server["name"] for server in started["mcp_servers"]}
    ours = ("long-term-memory", "chiebukuro", "permanent-memory")
    assert {f"plugin:oboegaki:{name}" for name in ours} <= names

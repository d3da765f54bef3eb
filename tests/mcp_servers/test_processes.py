"""The servers as processes, over their real stdin and stdout."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.mcp_servers.conftest import told
from tests.mcp_servers.server_process import (
    COMMAND,
    HELLO,
    PATIENCE_S,
    ask,
    environ,
    parsed,
    started,
    talk,
    tool,
)
from tests.processes import Product

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]

STORE = "long_term_memory_store"
STATS = "long_term_memory_stats"
FACT = {"content": "MCP から保存した記憶 mcpstored 🔥", "source": "claude_code"}
NAMES = {"store": STORE, "delete": "long_term_memory_delete", "stats": STATS}


def case(cases_dir: Path) -> list[dict[str, object]]:
    """M01's session, with our names and what our tools require."""
    text = (cases_dir / "M01" / "session.ndjson").read_text(encoding="utf-8")
    messages = [json.loads(line) for line in text.splitlines()]
    for message in messages:
        if message["method"] == "tools/call":
            given = message["params"]
            given["name"] = NAMES[given["name"]]
            if "content" in given["arguments"]:
                given["arguments"]["source"] = "case"
            elif given["arguments"]:
                given["arguments"] = {"id": 999}
    return messages


@pytest.mark.parametrize(
    "more",
    [{}, {"OBOEGAKI_LOGS_LEVEL": "debug", "PYTHONWARNINGS": "always"}],
    ids=["plain", "loud"],
)
def test_m01_stdout_carries_json_rpc_only_and_every_id_is_answered_once(tmp_path, cases_dir, more):
    """M01: one row, the same hash, an error result, "not found", and an end at the end."""
    ended = talk("longterm", tmp_path, case(cases_dir), **more)

    assert (ended.code, ended.err) == (0, "")
    assert sorted(line["id"] for line in ended.lines) == list(range(1, 8))
    tools = ended.answer(2)["result"]["tools"]
    assert [each["name"] for each in tools] == list(NAMES.values())
    first, second = ended.told(3), ended.told(4)
    assert (first["status"], second["status"]) == ("stored", "known")
    assert first["content_hash"] == second["content_hash"]
    assert ended.told(5)["total"] == 1
    assert ended.answer(6)["result"]["isError"] is True
    assert ended.told(7)["status"] == "not found"
    assert "0 deleted" in ended.told(7)["note"]


def test_bad_bytes_cost_no_more_than_their_line(tmp_path):
    ended = talk(
        "longterm",
        tmp_path,
        [
            b"\xff\xfe\x00 no JSON\n",
            b"\n",
            *HELLO,
            b"[" * 100_000 + b"\n",
            {"jsonrpc": "2.0", "id": 2, "method": 5},
            b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "'
            + STORE.encode()
            + b'", "arguments": {"content": "half \\ud83d of it", "source": "x\xff"}}}\n',
            {"jsonrpc": "2.0", "id": 4, "method": "no/such/method"},
            tool(5, STATS),
            b'{"jsonrpc": "2.0", "id": 6',
        ],
    )

    assert ended.code == 0
    assert sorted(line["id"] for line in ended.lines) == [1, 2, 3, 4, 5]
    assert ended.answer(2)["error"]["code"] == -32600
    assert ended.told(3)["source"] == "x\ufffd"
    assert ended.answer(4)["error"]["code"] == -32601
    assert ended.told(5)["total"] == 1


@pytest.mark.parametrize("name", ["longterm", "chiebukuro"])
def test_a_server_that_is_told_nothing_ends_with_its_input(tmp_path, name):
    ended = talk(name, tmp_path / "home", [])

    assert (ended.code, ended.lines, ended.err) == (0, [], "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_a_handler_prints_is_no_part_of_the_answer(tmp_path, unbuffered):
    """M01 asks for a handler that prints; logs and prints go elsewhere."""
    script = (
        "import os, warnings\n"
        "from runtime.mcp_servers import common, longterm\n"
        "def build(memory):\n"
        "    server = longterm.build(memory)\n"
        "    @server.tool()\n"
        "    async def noisy() -> str:\n"
        "        print('printed'); os.write(1, b'written\\n'); warnings.warn('warned')\n"
        "        return 'answered'\n"
        "    print('while it is built')\n"
        "    return server\n"
        "common.run(build, os.environ)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=b"".join(json.dumps(m).encode() + b"\n" for m in (*HELLO, tool(2, "noisy"))),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        # What is printed may come out at once, or when the process ends.
        env={**environ(tmp_path), "PYTHONPATH": os.getcwd(), "PYTHONUNBUFFERED": unbuffered},
    )

    assert done.returncode == 0
    assert [line["id"] for line in parsed(done.stdout)] == [1, 2]
    assert b"printed" in done.stderr
    assert b"written" in done.stderr


@pytest.mark.parametrize("name", ["longterm", "chiebukuro"])
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_leave_leaves_while_it_waits_for_input(tmp_path, name, sent):
    with started(name, tmp_path) as process:
        ask(process, HELLO[0])
        process.send_signal(sent)

        assert process.wait(PATIENCE_S) == -sent


def test_what_was_answered_outlives_the_server(tmp_path):
    with started("longterm", tmp_path) as process:
        ask(process, HELLO[0])
        ask(process, tool(2, STORE, **FACT))
        process.kill()
        process.wait(PATIENCE_S)

    ended = talk("longterm", tmp_path, [*HELLO, tool(2, STATS)])

    assert ended.told(2)["total"] == 1


def test_two_servers_that_store_at_once_keep_one_row_of_each_text(tmp_path):
    """M01: also when both are sent at the same time by two server processes."""
    count = 20
    messages = [
        *HELLO,
        *(tool(2 + n, STORE, content=f"fact {n}", source="x") for n in range(count)),
    ]
    ends = []

    threads = [
        threading.Thread(target=lambda: ends.append(talk("longterm", tmp_path, messages)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    statuses = [end.told(2 + n)["status"] for end in ends for n in range(count)]
    assert [end.code for end in ends] == [0, 0]
    assert statuses.count("stored") == count
    assert statuses.count("known") == count
    assert talk("longterm", tmp_path, [*HELLO, tool(2, STATS)]).told(2)["total"] == count


def test_servers_and_hooks_write_at_once_and_nothing_is_lost(tmp_path):
    product = Product(tmp_path)
    product.command("stats")
    payload = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "transcript_path": "/none",
        "cwd": str(tmp_path),
        "tool_name": "Write",
        "tool_input": {"file_path": "/nowhere/a.md"},
    }
    messages = [*HELLO, *(tool(2 + n, STORE, content=f"fact {n}", source="x") for n in range(10))]
    ends = []
    server = threading.Thread(target=lambda: ends.append(talk("longterm", tmp_path, messages)))

    server.start()
    codes = [
        product.hook(
            {**payload, "tool_use_id": f"t{n}", "tool_response": {"content": f"result {n} " * 100}},
            arguments=("PostToolUse",),
        ).code
        for n in range(4)
    ]
    server.join()

    assert (ends[0].code, codes) == (0, [0] * 4)
    assert product.command("longterm", "stats", "--json").json["by_source"] == {
        "x": 10,
        "tool:Write": 4,
    }


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_s_client_stores_and_searches_over_real_pipes(tmp_path, mode):
    """Store with one server, search with the other, in both protocol eras."""
    with anyio.fail_after(PATIENCE_S):
        async with client("longterm", tmp_path, mode) as writing:
            stored = told(await writing.call_tool(STORE, FACT))
            async with client("chiebukuro", tmp_path, mode) as reading:
                found = told(await reading.call_tool("search", {"query": "mcpstored"}))
                schema = await reading.read_resource("schema://long_term_memory")

    assert stored["status"] == "stored"
    assert [hit["id"] for hit in found["hits"]] == [stored["id"]]
    assert "CREATE TABLE memories" in schema.contents[0].text


def client(name: str, home: Path, mode: str) -> Client:
    command, *arguments = COMMAND
    started_as = StdioServerParameters(command=command, args=[*arguments, name], env=environ(home))
    return Client(stdio_client(started_as), mode=mode)


def test_without_the_extra_it_is_said_what_to_install(tmp_path):
    script = (
        "import sys\n"
        "sys.modules['mcp_types'] = sys.modules['mcp'] = None\n"
        "sys.argv = ['runtime', 'mcp', 'longterm']\n"
        "from runtime.__main__ import main; main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
        env={**environ(tmp_path), "PYTHONPATH": os.getcwd()},
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert "uv tool install './oboegaki[mcp]'" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("from runtime.cli.main import group; import runtime.cli.mcp", {"mcp", "mcp_types"}),
        (
            "import runtime.mcp_servers.longterm",
            {"runtime.pipeline", "runtime.contexts", "handlers", "runtime.cli"},
        ),
    ],
)
def test_no_more_is_loaded_than_is_needed(tmp_path, code, without):
    """Loading is most of a server's start, and the SDK is most of that."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=True,
        env={**environ(tmp_path), "PYTHONPATH": os.getcwd()},
    )

    assert without.isdisjoint(done.stdout.split())

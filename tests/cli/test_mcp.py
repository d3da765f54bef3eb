"""`runtime mcp setup` and `runtime chiebukuro-config`; the servers have tests of their own."""

import json
import shlex
import sys


def test_the_commands_for_claude_code_start_the_servers(run):
    shown = [shlex.split(line) for line in run("mcp", "setup").stdout.splitlines()]

    assert [words[:6] for words in shown] == [
        ["claude", "mcp", "add", "--scope", "user", name]
        for name in ("long-term-memory", "chiebukuro", "permanent-memory")
    ]
    assert [words[7:9] for words in shown] == [[sys.executable, "-I"]] * 3
    assert [words[-1] for words in shown] == ["longterm", "chiebukuro", "permanent"]


def test_other_clients_take_the_same_as_json(run_json):
    servers = run_json("mcp", "setup")["mcpServers"]

    assert {name: entry["args"][-1] for name, entry in servers.items()} == {
        "long-term-memory": "longterm",
        "chiebukuro": "chiebukuro",
        "permanent-memory": "permanent",
    }
    assert all(entry["command"] == sys.executable for entry in servers.values())


def test_the_entry_for_chiebukuro_mcp_names_the_database(run, home):
    (entry,) = json.loads(run("chiebukuro-config").stdout)["databases"].items()

    assert entry[0] == "long_term_memory"
    assert entry[1]["path"] == home.database
    assert "semantic_search" not in entry[1]


def test_the_entry_follows_the_settings(run, monkeypatch, tmp_path):
    monkeypatch.setenv("OBOEGAKI_STORE_PATH", str(tmp_path / "else.db"))

    assert str(tmp_path / "else.db") in run("chiebukuro-config").stdout

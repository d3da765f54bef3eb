"""The plugin's MCP servers: one launcher, in the environment of the hooks."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.mcp_servers.server_process import HELLO, lines, parsed
from tests.plugin.entries import (
    PATIENCE_S,
    PLACEHOLDER,
    ROOT,
    TOOLS,
    Ended,
    make_plugin,
    write_program,
)
from tests.plugin.test_prepare import Plugin
from tests.processes import Product

SERVERS: Final = ("long-term-memory", "chiebukuro", "permanent-memory")
ECHO: Final = '#!/bin/sh\nprintf "%s|" "$@"\n'


def servers() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((ROOT / ".mcp.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = document["mcpServers"]
    return found


def start(
    name: str,
    root: Path,
    *,
    stdin: bytes = b"",
    environ: Mapping[str, str] | None = None,
    path: str = TOOLS,
) -> Ended:
    """Start a server as the client does, and close its input."""
    entry = servers()[name]
    arguments = [word.replace(PLACEHOLDER, str(root)) for word in entry["args"]]
    done = subprocess.run(
        [entry["command"], *arguments],
        input=stdin,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        env={"PATH": path, "HOME": os.environ["HOME"], **(environ or {})},
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """A plugin that was just installed."""
    return Plugin(tmp_path)


def wait_for(plugin: Plugin, name: str, patience_s: int = 20) -> Ended:
    data = {"CLAUDE_PLUGIN_DATA": str(plugin.data), "OBOEGAKI_MCP_WAIT_S": str(patience_s)}
    return start(name, plugin.root, environ=data, path=f"{plugin.tools}:{TOOLS}")


def test_both_servers_are_named():
    assert tuple(servers()) == SERVERS
    assert all(set(entry) == {"command", "args"} for entry in servers().values())


@pytest.mark.process
@pytest.mark.parametrize("name", SERVERS)
def test_a_server_answers_from_a_root_with_odd_characters(tmp_path: Path, name: str):
    product = Product(tmp_path / "home")
    root = make_plugin(tmp_path / "plug in" / "プラグイン$HOME'")

    ended = start(name, root, stdin=lines(HELLO), environ=product.environ)

    assert (ended.code, ended.err) == (0, b"")
    (answer,) = parsed(ended.out)
    assert answer["result"]["serverInfo"]["name"] == name


def test_a_working_copy_s_own_environment_is_used(tmp_path: Path):
    root = make_plugin(tmp_path / "plugin", environment=False)
    write_program(root / ".venv" / "bin" / "python", ECHO)

    ended = start("chiebukuro", root)

    assert ended.out.split(b"|")[-3:] == [b"mcp", b"chiebukuro", b""]
    assert ended.out.startswith(b"-I|")


def test_an_installed_command_is_used_where_there_is_no_environment(tmp_path: Path):
    root = make_plugin(tmp_path / "plugin", environment=False)
    write_program(tmp_path / "tools" / "oboegaki", ECHO)

    ended = start("long-term-memory", root, path=f"{tmp_path / 'tools'}:{TOOLS}")

    assert ended.out == b"mcp|longterm|"


def test_the_first_server_waits_until_the_environment_is_made(plugin: Plugin):
    ended = wait_for(plugin, "long-term-memory")

    assert ended.code == 0
    assert ended.out.split(b"|")[-3:] == [b"mcp", b"longterm", b""]
    assert plugin.calls == ["venv", "pip", "pip"]


def test_what_hooks_made_before_there_were_servers_is_completed(plugin: Plugin):
    plugin.hook()
    plugin.wait()
    (plugin.venv / "ready-mcp").unlink()

    ended = wait_for(plugin, "chiebukuro")

    assert (ended.code, plugin.calls[-1]) == (0, "pip")
    assert (plugin.venv / "ready-mcp").exists()


def test_a_server_that_is_not_ready_says_what_to_do(plugin: Plugin):
    (plugin.folder / "broken").touch()

    ended = wait_for(plugin, "chiebukuro")

    assert (ended.code, ended.out) == (1, b"")
    assert b"/mcp connects" in ended.err
    assert b"prepare.log" in ended.err
    plugin.wait()


def test_hooks_work_where_the_servers_packages_cannot_be_had(plugin: Plugin):
    (plugin.folder / "no-mcp").touch()

    ended = wait_for(plugin, "chiebukuro")
    plugin.wait()

    assert ended.code == 1
    assert (plugin.venv / "ready").exists()
    assert Path(f"{plugin.venv}.failed-mcp").exists()
    assert plugin.hook().out.decode().split("|")[-2:] == ["Stop", ""]


def test_without_a_place_for_an_environment_it_is_said(tmp_path: Path):
    root = make_plugin(tmp_path / "plugin", environment=False)

    ended = start("chiebukuro", root)

    assert (ended.code, ended.out) == (1, b"")
    assert b"neither an environment nor CLAUDE_PLUGIN_DATA" in ended.err

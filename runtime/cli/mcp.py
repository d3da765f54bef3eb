"""`runtime mcp`: the MCP servers, and how a client is told of them."""

import gc
import os
import shlex
import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from runtime.cli.lazy import Group
from runtime.cli.output import json_option, print_json, say
from runtime.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

    from runtime.mcp_servers.common import Memory, Server

SERVERS: Final = {
    "long-term-memory": "longterm",
    "chiebukuro": "chiebukuro",
    "permanent-memory": "permanent",
}
"""The names under which a client knows them, and the commands that start them."""
CODE: Final = "from runtime.__main__ import main; main()"


@click.group(cls=Group)
def mcp() -> None:
    """
    Serve the memory to MCP clients over stdin and stdout.

    A client starts these commands; `runtime mcp setup` says how it is told to.
    """


@mcp.command()
def longterm() -> None:
    """Serve the writing half: long_term_memory_store, _delete and _stats."""
    _serve(_longterm)


@mcp.command()
@click.option(
    "--config",
    metavar="FILE",
    help="Databases to offer besides the memory; default: CHIEBUKURO_CONFIG, else chiebukuro.json"
    " in the home.",
)
def chiebukuro(config: str | None) -> None:
    """Serve the reading half: search, show, and the tools of chiebukuro-mcp."""
    _serve(partial(_chiebukuro, config))


@mcp.command()
def permanent() -> None:
    """Serve the permanent memories: permanent_memory_search, _show, _create, _update and more."""
    _serve(_permanent)


@mcp.command()
@json_option
def setup(*, as_json: bool) -> None:
    """
    Print the commands that tell Claude Code of the servers.

    Not needed with the plugin, which brings them. With --json it is what .mcp.json
    and other clients take. Nothing is changed.
    """
    commands = {name: [sys.executable, "-I", "-c", CODE, "mcp", SERVERS[name]] for name in SERVERS}
    if as_json:
        entries = {
            name: {"command": words[0], "args": words[1:]} for name, words in commands.items()
        }
        print_json({"mcpServers": entries})
        return
    for name, words in commands.items():
        say(f"claude mcp add --scope user {name} -- {shlex.join(words)}")


def _longterm(memory: "Memory") -> "Server":
    from runtime.mcp_servers.longterm import build  # noqa: PLC0415 - an extra

    return build(memory)


def _permanent(memory: "Memory") -> "Server":
    from runtime.mcp_servers.permanent import build  # noqa: PLC0415 - an extra

    return build(memory)


def _chiebukuro(config: str | None, memory: "Memory") -> "Server":
    from runtime.mcp_servers.chiebukuro import build  # noqa: PLC0415 - an extra
    from runtime.mcp_servers.registered import offered  # noqa: PLC0415

    return build(memory, offered(memory, config))


def _serve(build: "Callable[[Memory], Server]") -> None:
    # What is loaded stays: looking for garbage among it takes a tenth of the start.
    gc.disable()
    try:
        from runtime.mcp_servers.common import run  # noqa: PLC0415 - an extra, and dear
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise MissingExtraError("mcp", "the MCP servers") from error
    gc.freeze()
    gc.enable()
    run(build, os.environ)

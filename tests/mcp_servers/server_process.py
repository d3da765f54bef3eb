"""A server as a client runs it: a process of its own that is written to and read from."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

COMMAND: Final = (sys.executable, "-I", "-c", "from runtime.__main__ import main; main()", "mcp")
PATIENCE_S: Final = 50
HELLO: Final = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "0"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)


class Ended(NamedTuple):
    """A server whose input has ended."""

    code: int
    lines: list[dict[str, Any]]
    """Its whole output: what is no JSON fails the test."""
    err: str

    def answer(self, number: int) -> dict[str, Any]:
        """Return the one answer to a request."""
        (found,) = [line for line in self.lines if line.get("id") == number]
        return found

    def told(self, number: int) -> Any:
        """Return the text of a tool's answer, JSON as what it means."""
        text = self.answer(number)["result"]["content"][0]["text"]
        return json.loads(text) if text[:1] in "[{" else text


def tool(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    """Return the request that calls a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def lines(messages: Iterable[Any]) -> bytes:
    """Return messages as lines; bytes are taken as they are."""
    return b"".join(
        message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        for message in messages
    )


def environ(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what a server is started with."""
    own = {"OBOEGAKI_HOME": str(home), "OBOEGAKI_WORKER_ENABLED": "0"}
    own["OBOEGAKI_STORE_BUSY_TIMEOUT_S"] = "45"  # on a busy machine turns may come late
    return {**os.environ, **own, **(more or {})}


def talk(name: str, home: Path, messages: Iterable[Any], **more: str) -> Ended:
    """Write everything at once, close the input, and return what came of it."""
    done = subprocess.run(
        [*COMMAND, name],
        input=lines(messages),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        env=environ(home, more),
    )
    return Ended(done.returncode, parsed(done.stdout), done.stderr.decode(errors="replace"))


def parsed(out: bytes) -> list[dict[str, Any]]:
    """Return the lines of a server's output. Each has to be JSON-RPC."""
    found = [json.loads(line) for line in out.split(b"\n") if line]
    assert all(line["jsonrpc"] == "2.0" for line in found)
    return found


@contextmanager
def started(name: str, home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a server; it has ended when the block has."""
    process = subprocess.Popen(
        [*COMMAND, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environ(home),
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def ask(process: "subprocess.Popen[bytes]", message: Mapping[str, Any]) -> dict[str, Any]:
    """Send a request and wait for its answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(lines([message]))
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    assert answer["id"] == message["id"]
    return answer

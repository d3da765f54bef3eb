"""
Standard input and output as an MCP server uses them: JSON lines, and nothing else.

The SDK's own transport drops a line that pydantic cannot read, so that whoever sent
a half surrogate waits for ever, and calls off what it is doing when the input ends.
Here every request that has an id is answered, and the input has ended only when
that is done.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final, NamedTuple

import anyio
import structlog
from mcp_types import INVALID_REQUEST, jsonrpc_message_adapter
from pydantic import ValidationError

from runtime.text import replace_surrogates

log = structlog.get_logger(__name__)

LINE_BYTES: Final = 16_000_000
"""A longer line is no message of a client's."""
GRACE_S: Final = 10.0
"""After the end of the input, for what is still to be answered."""
CANCELLED: Final = "notifications/cancelled"


@contextmanager
def standard_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """
    Give stdin and stdout, and keep everybody else from them for the length of the block.

    What is printed goes to stderr, what reads stdin finds its end.
    """
    kept = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    try:
        # Not closed when the block ends: a thread may still wait for input.
        yield os.fdopen(kept[0], "rb", closefd=False), os.fdopen(kept[1], "wb", closefd=False)
    finally:
        # What Python still holds of a print would come out on the protocol's stream.
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        for fd, copy in enumerate(kept):
            os.dup2(copy, fd)


class Read(NamedTuple):
    """One line that was read."""

    line: str
    """A message that the SDK can read, "" for none."""
    request: str = ""
    """The id of a request that will be answered, as JSON; "" for none."""
    cancelled: str = ""
    """The id of one that need not be answered any more."""
    error: str = ""
    """The answer to a request that is none, as a line; "" for none."""


class Wire:
    """Both directions, as the SDK takes them: iterated over, and written to."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._writing = anyio.Lock()
        self._open: Counter[str] = Counter()
        """Requests without an answer, by id."""
        self._settled = anyio.Event()

    async def __aiter__(self) -> AsyncGenerator[str]:
        """Give the messages; the end comes when all of them are answered."""
        while data := await anyio.to_thread.run_sync(self._read, abandon_on_cancel=True):
            read = taken(data)
            if read.error:
                await self.write(read.error)
            if read.cancelled:
                self._settle(read.cancelled)
            if read.line:
                self._open.update([read.request] if read.request else [])
                yield read.line
        with anyio.move_on_after(GRACE_S):
            while self._open:
                self._settled = anyio.Event()
                await self._settled.wait()

    def _read(self) -> bytes:
        """Return a line, b"" at the end; blocking."""
        data = self._source.readline(LINE_BYTES)
        while len(data) == LINE_BYTES and not data.endswith(b"\n"):
            log.warning("message_too_long", bytes=LINE_BYTES)
            while (rest := self._source.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            data = self._source.readline(LINE_BYTES)
        return data

    async def write(self, text: str) -> int:
        """Write a line. When nobody reads any more, the end of the input follows."""
        data = text.encode("utf-8", "replace")
        async with self._writing:
            await anyio.to_thread.run_sync(self._write, data)
        self._settle(_answered(text))
        return len(text)

    def _write(self, data: bytes) -> None:
        try:
            self._sink.write(data)
            self._sink.flush()
        except (BrokenPipeError, ValueError):
            log.debug("client_gone")

    async def flush(self) -> None:
        """Do nothing: each line has been flushed."""

    def _settle(self, request: str) -> None:
        self._open.subtract([request])
        self._open = +self._open
        if not self._open:
            self._settled.set()


def taken(data: bytes) -> Read:
    """
    Return a line as a message, mended where no more than its text was broken.

    Bytes that are no UTF-8, and halves of surrogate pairs, become U+FFFD.
    """
    text = data.decode("utf-8", "replace").strip().lstrip("\ufeff")
    if not text:
        return Read("")
    try:
        value = json.loads(text)
        # Written anew, escapes of surrogates are characters, which can be mended.
        line = replace_surrogates(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError) as error:
        log.warning("message_unreadable", reason=type(error).__name__, bytes=len(data))
        return Read("")
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        log.warning("message_invalid", bytes=len(data))
        return Read("", error=_refusal(value))
    return Read(line, _request(value), _cancelled(value))


def _request(value: dict[str, Any]) -> str:
    return json.dumps(value["id"]) if "method" in value and "id" in value else ""


def _cancelled(value: dict[str, Any]) -> str:
    if value.get("method") != CANCELLED:
        return ""
    return json.dumps((value.get("params") or {}).get("requestId"))


def _answered(text: str) -> str:
    value = json.loads(text)
    return json.dumps(value["id"]) if "id" in value and "method" not in value else ""


def _refusal(value: object) -> str:
    """Return the answer to what is JSON and no message; "" where nobody could tell whose it is."""
    number = value.get("id") if isinstance(value, dict) else None
    if isinstance(number, bool) or not isinstance(number, int | str):
        return ""
    error = {"code": INVALID_REQUEST, "message": "this is no JSON-RPC 2.0 message"}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}) + "\n"

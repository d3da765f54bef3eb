"""
Answer hook processes that wait: one request and one reply per connection.

This runs in a loop and a thread of its own: between a request and its reply there is
no other thread's turn to wait for. What is left to do after the reply (writing above
all) is handed to the worker's own loop. Whatever a client sends, or fails to read,
ends its own connection and nothing else. One that gets no reply answers by itself:
its event is in the spool.
"""

import asyncio
import socket
import sqlite3
from collections.abc import Callable
from typing import Final

import anyio
import structlog

from runtime import spool
from runtime.context import AppContext
from runtime.contexts import Contexts
from runtime.pipeline import Answered, answer
from runtime.sockets import frame
from runtime.spool import Captured
from runtime.store.aside import StoresAside

log = structlog.get_logger(__name__)

AT_ONCE: Final = 128
"""Connections that are open side by side; more of them wait in the socket's queue."""
REQUEST_S: Final = 5.0
"""For a request to arrive whole, and again for its reply to be taken."""
REQUEST_MAX_BYTES: Final = 80_000_000
RECEIVE_BYTES: Final = 1 << 16
HEAD_MAX_BYTES: Final = 20
"""A length in decimal and its line feed."""
ACCEPT_PAUSE_S: Final = 1.0
"""After a connection that could not be accepted, such as for lack of descriptors."""


class RequestError(Exception):
    """What came is no request."""


GONE: Final = (OSError, EOFError, TimeoutError)
"""The client has left, or takes too long."""


class Questions:
    """Answers what comes over one listening socket."""

    def __init__(
        self,
        listener: socket.socket,
        contexts: Contexts,
        began: Callable[[], None],
        complete: Callable[[Answered], None],
    ) -> None:
        """
        To be made in the loop that the contexts belong to.

        There `complete` is called with each answered event, and there a question is
        answered whose store has to be opened first. `began` is called for each, in the
        thread that answers.
        """
        self._listener = listener
        self._contexts = contexts
        self._began = began
        self._complete = complete
        self._loop = asyncio.get_running_loop()
        self._stores = StoresAside(self._loop)
        self._room = anyio.Semaphore(AT_ONCE)
        self._expected: dict[str, str] = {}
        """The facts of the last question: as a rule those of the next one, too."""

    async def answer_all(self, leave: asyncio.Event) -> None:
        """Answer until told to leave; questions that have begun are finished first."""
        with self._stores:
            async with anyio.create_task_group() as group:
                group.start_soon(self._accept_all, group)
                await leave.wait()
                group.cancel_scope.cancel()

    async def _accept_all(self, group: anyio.abc.TaskGroup) -> None:
        while True:
            # Taken only when there is room to work on it: a crowd waits in the kernel
            # and costs no descriptors.
            await self._room.acquire()
            group.start_soon(self._serve, await self._accept())
            self._began()

    async def _accept(self) -> socket.socket:
        while True:
            try:
                connection, _ = self._listener.accept()
            except BlockingIOError:
                await anyio.wait_readable(self._listener)
            except OSError as error:
                log.warning("question_not_accepted", error=repr(error))
                await anyio.sleep(ACCEPT_PAUSE_S)
            else:
                connection.setblocking(False)
                return connection

    async def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                expected = None if _is_there(connection) else self._expected
                context = self._ready(expected) if expected else None
                with anyio.fail_after(REQUEST_S):
                    event = _event(await _receive(connection))
                if event.facts != expected:
                    self._expected = dict(event.facts)
                    context = self._ready(event.facts)
                # Cancelled from here on, it would be half-way through a handler.
                with anyio.CancelScope(shield=True):
                    await self._answer(connection, event, context)
        except (*GONE, RequestError) as error:
            log.debug("question_dropped", error=repr(error))
        except Exception:
            log.exception("question_failed")
        finally:
            self._room.release()

    async def _answer(
        self, connection: socket.socket, event: Captured, context: AppContext | None
    ) -> None:
        if context is None:
            elsewhere = asyncio.run_coroutine_threadsafe(self._opened(event), self._loop)
            answered = await asyncio.wrap_future(elsewhere)
        else:
            answered = await answer(event, context)
        try:
            await _reply(connection, answered.answer)
        finally:
            self._loop.call_soon_threadsafe(self._complete, answered)

    def _ready(self, facts: dict[str, str]) -> AppContext | None:
        """Return an event's context, None where its store is still to be opened."""
        try:
            return self._contexts.ready(facts, self._stores.of)
        except sqlite3.Error as error:
            log.warning("reader_not_opened", error=str(error))
            return None

    async def _opened(self, event: Captured) -> Answered:
        return await answer(event, await self._contexts.of(event.facts))


def _is_there(connection: socket.socket) -> bool:
    """Tell whether the question has come with the connection; as a rule it takes its time."""
    try:
        connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    return True


async def _reply(connection: socket.socket, text: bytes) -> None:
    """Send the reply; a client that is gone or does not read is none of the event's business."""
    rest = memoryview(frame(text))
    try:
        with anyio.fail_after(REQUEST_S):
            while rest:
                try:
                    rest = rest[connection.send(rest) :]
                except BlockingIOError:
                    await anyio.wait_writable(connection)
    except GONE as error:
        log.debug("answer_not_taken", error=repr(error))


def _event(request: bytes) -> Captured:
    name, _, packed = request.partition(b"\n")
    facts, payload = spool.unpack(packed)
    text = name.decode("ascii", "replace")
    if not spool.is_name(text):
        raise RequestError(text[:HEAD_MAX_BYTES])
    return Captured(text, facts, payload)


async def _receive(connection: socket.socket) -> bytes:
    data = b""
    while b"\n" not in data:
        if len(data) > HEAD_MAX_BYTES:
            raise RequestError(repr(data[:HEAD_MAX_BYTES]))
        data += await _piece(connection)
    head, _, body = data.partition(b"\n")
    if not head.isdigit() or len(head) >= HEAD_MAX_BYTES or int(head) > REQUEST_MAX_BYTES:
        raise RequestError(repr(head[:HEAD_MAX_BYTES]))
    size = int(head)
    parts, have = [body], len(body)
    while have < size:
        part = await _piece(connection)
        parts.append(part)
        have += len(part)
    return b"".join(parts)[:size]


async def _piece(connection: socket.socket) -> bytes:
    while True:
        try:
            piece = connection.recv(RECEIVE_BYTES)
        except BlockingIOError:
            await anyio.wait_readable(connection)
        else:
            if not piece:
                raise EOFError
            return piece

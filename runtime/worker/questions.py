"""
Answer hook processes that wait: one request and one reply per connection.

Whatever a client sends, or fails to read, ends its own connection and nothing
else. One that gets no reply answers by itself: its event is in the spool.
"""

from collections.abc import Callable
from typing import Final

import anyio
import anyio.abc
import structlog

from runtime import spool
from runtime.drain import ContextOf
from runtime.pipeline import handle
from runtime.sockets import frame
from runtime.spool import Captured

log = structlog.get_logger(__name__)

AT_ONCE: Final = 16
"""Questions answered side by side; more of them wait in the socket's queue."""
REQUEST_S: Final = 5.0
"""For a request to arrive whole, and again for its reply to be taken."""
REQUEST_MAX_BYTES: Final = 80_000_000
HEAD_MAX_BYTES: Final = 20
"""A length in decimal and its line feed."""
ACCEPT_PAUSE_S: Final = 1.0
"""After a connection that could not be accepted, such as for lack of descriptors."""


class RequestError(Exception):
    """What came is no request."""


async def answer_all(
    asks: anyio.abc.SocketListener, context_of: ContextOf, began: Callable[[], None]
) -> None:
    """
    Answer until cancelled; questions that have begun are finished first.

    `began` is called for each. A connection is taken only when there is room to
    work on it: a crowd of them waits in the kernel and costs no descriptors.
    """
    room = anyio.Semaphore(AT_ONCE)

    async def answer(stream: anyio.abc.SocketStream) -> None:
        try:
            async with stream:
                with anyio.fail_after(REQUEST_S):
                    event = _event(await _receive(stream))
                # Cancelled from here on, it would be half-way through a handler.
                with anyio.CancelScope(shield=True):
                    await _answer(stream, event, context_of)
        except (*GONE, RequestError) as error:
            log.debug("question_dropped", error=repr(error))
        except Exception:
            log.exception("question_failed")
        finally:
            room.release()

    async with anyio.create_task_group() as group:
        while True:
            await room.acquire()
            try:
                stream = await asks.accept()
            except anyio.BrokenResourceError as error:
                room.release()
                log.warning("question_not_accepted", error=repr(error.__cause__))
                await anyio.sleep(ACCEPT_PAUSE_S)
                continue
            began()
            group.start_soon(answer, stream)


GONE: Final = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    TimeoutError,
)
"""The client has left, or takes too long."""


async def _answer(stream: anyio.abc.SocketStream, event: Captured, context_of: ContextOf) -> None:
    answers: list[bytes] = []
    told = anyio.Event()

    def tell(text: bytes) -> None:
        answers.append(text)
        told.set()

    async def work() -> None:
        try:
            await handle(event, await context_of(event.facts), tell)
        except Exception:
            log.exception("question_failed", event_id=event.id)
        else:
            tell(b"")  # for an event that nobody could read
        finally:
            told.set()

    async with anyio.create_task_group() as group:
        group.start_soon(work)
        await told.wait()
        if answers:
            await _reply(stream, answers[0])


async def _reply(stream: anyio.abc.SocketStream, answer: bytes) -> None:
    """Send the reply; a client that is gone or does not read is none of the event's business."""
    try:
        with anyio.fail_after(REQUEST_S):
            await stream.send(frame(answer))
            await stream.send_eof()
    except (*GONE, OSError) as error:
        log.debug("answer_not_taken", error=repr(error))


def _event(request: bytes) -> Captured:
    name, _, packed = request.partition(b"\n")
    facts, payload = spool.unpack(packed)
    text = name.decode("ascii", "replace")
    if not spool.is_name(text):
        raise RequestError(text[:HEAD_MAX_BYTES])
    return Captured(text, facts, payload)


async def _receive(stream: anyio.abc.SocketStream) -> bytes:
    data = b""
    while b"\n" not in data:
        if len(data) > HEAD_MAX_BYTES:
            raise RequestError(repr(data[:HEAD_MAX_BYTES]))
        data += await stream.receive()
    head, _, body = data.partition(b"\n")
    if not head.isdigit() or len(head) >= HEAD_MAX_BYTES or int(head) > REQUEST_MAX_BYTES:
        raise RequestError(repr(head[:HEAD_MAX_BYTES]))
    size = int(head)
    parts, have = [body], len(body)
    while have < size:
        part = await stream.receive()
        parts.append(part)
        have += len(part)
    return b"".join(parts)[:size]

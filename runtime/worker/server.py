"""
The worker: the dispatcher kept warm, one per home.

It holds the drain lock for its whole life, so it is the one writer. Capture
events lie in the spool and a datagram says so; events whose answer is awaited
come over a stream socket. It leaves when idle, when told to, and when a newer
version knocks; what it has accepted it finishes.
"""

import contextlib
import os
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import anyio
import anyio.abc
import structlog

from runtime import __version__, logs, spool
from runtime.contexts import Contexts
from runtime.drain import drain_all
from runtime.locks import try_lock, unlock
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.settings import load
from runtime.sockets import ASK, KICK, frame
from runtime.spool import Captured
from runtime.worker.prepare import Preparation
from runtime.worker.spawn import clear_starts
from schemas.worker import WorkerState

log = structlog.get_logger(__name__)

RELIST_S: Final = 5.0
"""While something lies in the spool that nobody announces, such as an old question."""
REQUEST_S: Final = 5.0
REQUEST_MAX_BYTES: Final = 80_000_000
ASKING_AT_ONCE: Final = 16
"""Questions answered side by side; more of them wait in the socket's queue."""


async def serve(home: Home, lock: int) -> None:
    """Serve until it is time to leave. The lock is given up here."""
    loaded = load(home.config, os.environ)
    logs.configure(home, loaded.settings.logs)
    worker = Worker(home, loaded.settings.worker.idle_s)
    while True:
        await worker.serve_once()
        unlock(lock)
        # A client that found the lock taken relies on us to see its file.
        if worker.is_told_to_stop or not spool.pending(home.spool):
            return
        again = try_lock(home.drain_lock)
        if again is None:
            return
        lock = again


class Worker:
    """One life of a worker."""

    def __init__(self, home: Home, idle_s: float) -> None:
        self._home = home
        self._idle_s = idle_s
        self._kicked = anyio.Event()
        self._leaving = anyio.Event()
        self._last_work = time.monotonic()
        self.is_told_to_stop = False

    async def serve_once(self) -> None:
        """Bind, drain, answer; unbind, drain once more."""
        self._leaving = anyio.Event()
        async with AsyncExitStack() as stack:
            contexts = Contexts(self._home, stack, with_reader=True)
            log.info("worker_started", pid=os.getpid(), version=__version__)
            async with _bound(self._home) as (kicks, asks):
                _write_state(self._home)
                async with anyio.create_task_group() as group:
                    group.start_soon(self._signals)
                    group.start_soon(self._listen, kicks)
                    group.start_soon(self._answer_all, asks, contexts)
                    group.start_soon(self._drain, contexts)
                    await self._leaving.wait()
                    group.cancel_scope.cancel()
            # Nobody can reach us any more: what was accepted until now is finished.
            await drain_all(self._home, contexts.of)
            log.info("worker_left", pid=os.getpid())

    async def _signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
            async for _number in received:
                self.is_told_to_stop = True
                self._leaving.set()

    async def _listen(self, kicks: anyio.abc.UNIXDatagramSocket) -> None:
        async for message, _sender in kicks:
            self._kicked.set()
            if _is_newer(message.decode("ascii", "replace")):
                log.info("worker_gives_way", version=__version__)
                self._leaving.set()

    async def _drain(self, contexts: Contexts) -> None:
        preparation = Preparation()
        while True:
            self._kicked = anyio.Event()
            # A cancelled drain would leave its event half-way through a handler.
            with anyio.CancelScope(shield=True):
                count = await drain_all(self._home, contexts.of)
                await preparation.renew(await contexts.of({}))
            if count:
                self._last_work = time.monotonic()
                await anyio.to_thread.run_sync(clear_starts, self._home.run)
            idle_s = self._last_work + self._idle_s - time.monotonic()
            if idle_s <= 0:
                self._leaving.set()
                return
            is_waiting = await anyio.to_thread.run_sync(os.listdir, self._home.spool)
            with anyio.move_on_after(min(idle_s, RELIST_S) if is_waiting else idle_s):
                await self._kicked.wait()

    async def _answer_all(self, asks: anyio.abc.SocketListener, contexts: Contexts) -> None:
        limit = anyio.CapacityLimiter(ASKING_AT_ONCE)

        async def answer(stream: anyio.abc.SocketStream) -> None:
            async with limit, stream:
                with anyio.CancelScope(shield=True), contextlib.suppress(*GONE):
                    await self._answer(stream, contexts)

        await asks.serve(answer)

    async def _answer(self, stream: anyio.abc.SocketStream, contexts: Contexts) -> None:
        with anyio.fail_after(REQUEST_S):
            request = await _receive(stream)
        name, _, packed = request.partition(b"\n")
        facts, payload = spool.unpack(packed)
        event = Captured(name.decode("ascii", "replace"), facts, payload)
        self._last_work = time.monotonic()
        answer, told = [b""], anyio.Event()

        def tell(text: bytes) -> None:
            answer[0] = text
            told.set()

        async def work() -> None:
            try:
                await handle(event, await contexts.of(facts), tell)
            finally:
                told.set()

        async with anyio.create_task_group() as group:
            group.start_soon(work)
            await told.wait()
            with contextlib.suppress(*GONE):
                await stream.send(frame(answer[0]))
                await stream.send_eof()


GONE: Final = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    TimeoutError,
)
"""The client has left: it has answered by itself, and its event is in the spool."""


@asynccontextmanager
async def _bound(
    home: Home,
) -> AsyncGenerator[tuple[anyio.abc.UNIXDatagramSocket, anyio.abc.SocketListener]]:
    """Bind both sockets, 0600, in the current directory; whoever held them is dead."""
    for name in (KICK, ASK):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(home.run, name))
    try:
        async with (
            await anyio.create_unix_datagram_socket(local_path=KICK, local_mode=0o600) as kicks,
            await anyio.create_unix_listener(ASK, mode=0o600, backlog=512) as asks,
        ):
            yield kicks, asks
    finally:
        for name in (KICK, ASK):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(home.run, name))


async def _receive(stream: anyio.abc.SocketStream) -> bytes:
    data = await stream.receive()
    while b"\n" not in data:
        data += await stream.receive()
    head, _, body = data.partition(b"\n")
    size = int(head) if head.isdigit() else 0
    if size > REQUEST_MAX_BYTES:
        raise anyio.BrokenResourceError
    parts, have = [body], len(body)
    while have < size:
        part = await stream.receive()
        parts.append(part)
        have += len(part)
    return b"".join(parts)[:size]


def _write_state(home: Home) -> None:
    """Say who serves, for `runtime worker status`."""
    state = WorkerState(pid=os.getpid(), version=__version__, since=time.time())
    path = os.path.join(home.run, "worker.json")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(fd, "w", encoding="utf-8") as file:
        file.write(state.model_dump_json())


def _is_newer(version: str) -> bool:
    """Tell whether a client's version is a later one than ours."""
    return _numbers(version) > _numbers(__version__)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())

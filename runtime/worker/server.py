"""
The worker: the dispatcher kept warm, one per home.

It holds the drain lock for its whole life, so it is the one writer. Capture
events lie in the spool and a datagram says so; events whose answer is awaited
come over a stream socket. It leaves when idle, when told to, when a newer
version knocks, and when its place has been taken; what it has accepted it
finishes.
"""

import math
import os
import signal
import time
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Final

import anyio
import anyio.abc
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream

from runtime import __version__, logs
from runtime.contexts import Contexts
from runtime.drain import Drained, drain, drain_all
from runtime.paths import Home
from runtime.pipeline import Answered, complete
from runtime.settings import Settings, load
from runtime.worker.beside import run_beside
from runtime.worker.binding import Bound, bound
from runtime.worker.encoding import encode_idle
from runtime.worker.idle import merge_indexes
from runtime.worker.prepare import Preparation
from runtime.worker.questions import Questions
from runtime.worker.refreshing import Refreshing
from runtime.worker.spawn import clear_starts
from runtime.worker.status import write_state
from runtime.worker.syncing import Syncing
from schemas.worker import WorkerState

log = structlog.get_logger(__name__)

LOOK_S: Final = 5.0
"""
Between two looks at what nobody announces: sockets that were deleted, a lock that
is another file now, an old question in the spool.
"""
RETRY_MAX_S: Final = 80.0
"""Events that cannot be finished are tried again after 5 s, 10 s, ... up to this."""
FINISH_S: Final = 8.0
"""Most that leaving takes; what is left lies in the spool, for the next worker."""
QUIET_S: Final = 3.0
"""So long nothing must have happened before records are encoded."""
VERSION_MAX_BYTES: Final = 32


async def serve(home: Home, lock: int) -> None:
    """Serve until it is time to leave. The lock is given up here."""
    loaded = load(home.config, os.environ)
    logs.configure(home, loaded.settings.logs)
    try:
        await Worker(home, lock, loaded.settings).run()
    except Exception:
        # Standard error goes nowhere: this line is all that is ever seen of it.
        log.exception("worker_crashed", pid=os.getpid())
        raise


class Worker:
    """One life of a worker."""

    def __init__(self, home: Home, lock: int, settings: Settings) -> None:
        self._home = home
        self._lock = lock
        self._state = WorkerState(pid=os.getpid(), version=__version__, since=time.time())
        self._idle_s = settings.worker.idle_s
        self._last_work = time.monotonic()
        self._kicked = anyio.Event()
        self._round_over = anyio.Event()
        self._news = anyio.Event()
        """There may be something new to encode, and something better to do just now."""
        self._is_leaving = False
        self._refused: frozenset[str] = frozenset()
        """Events that fail by themselves: once is enough, whoever comes next tries again."""
        self._retry_s = LOOK_S
        self._next_try = 0.0
        self._preparation = Preparation()
        self._syncing = Syncing(home)
        self._refreshing = Refreshing(home)
        self._tidied = 0.0
        """The work after which the index was last brought together."""

    async def run(self) -> None:
        """Bind, drain, answer; bind again when the sockets are gone; at last finish."""
        async with anyio.create_task_group() as group:
            await group.start(self._signals)
            group.start_soon(self._syncing.serve)
            group.start_soon(self._refreshing.serve)
            async with AsyncExitStack() as stack:
                contexts = Contexts(self._home, stack, is_shared=True)
                log.info("worker_started", pid=self._state.pid, version=__version__)
                while not self._is_leaving:
                    try:
                        await self._serve(contexts)
                    except OSError as error:
                        log.error("worker_unreachable", error=str(error))  # noqa: TRY400
                        self._leave()
                await self._finish(contexts)
            group.cancel_scope.cancel()

    async def _serve(self, contexts: Contexts) -> None:
        """Serve with one pair of sockets, until leaving or until they are gone."""
        self._round_over = anyio.Event()
        self._next_try = 0.0  # what came while nobody listened was not announced
        # Before anybody can find us listening: who asks for our process must not
        # be told that of an earlier worker.
        await anyio.to_thread.run_sync(write_state, self._home, self._state)
        answered, to_complete = anyio.create_memory_object_stream[Answered](math.inf)
        async with AsyncExitStack() as stack:
            sockets = await stack.enter_async_context(bound(self._home))
            async with anyio.create_task_group() as finishing:
                finishing.start_soon(self._complete, to_complete, contexts)
                with answered:
                    async with anyio.create_task_group() as group:
                        questions = Questions(
                            sockets.asks, contexts, self._note_work, answered.send_nowait
                        )
                        group.start_soon(self._listen, sockets.kicks)
                        group.start_soon(run_beside, questions.answer_all)
                        group.start_soon(self._drain, sockets, contexts)
                        group.start_soon(self._encode, contexts)
                        await self._round_over.wait()
                        group.cancel_scope.cancel()
                    # Who comes now is not kept waiting for what is still to be written.
                    await stack.aclose()

    async def _complete(
        self, answered: MemoryObjectReceiveStream[Answered], contexts: Contexts
    ) -> None:
        """Record what was answered, until no more of it can come."""
        with anyio.CancelScope(shield=True), answered:
            async for event in answered:
                self._news.set()
                try:
                    await complete(event, await contexts.of(event.captured.facts))
                except Exception:
                    log.exception("question_failed", event_id=event.captured.id)

    async def _finish(self, contexts: Contexts) -> None:
        """Nobody can reach us any more: finish what was accepted until now."""
        lock: int | None = self._lock
        if not await anyio.to_thread.run_sync(self._holds_lock):
            os.close(self._lock)
            lock = None
        try:
            await drain(self._home, contexts.of, FINISH_S, lock)
        except OSError as error:  # the home itself is gone
            log.warning("spool_unreadable", error=str(error))
        log.info("worker_left", pid=self._state.pid)

    def _leave(self) -> None:
        self._is_leaving = True
        self._round_over.set()

    def _note_work(self) -> None:
        self._last_work = time.monotonic()

    async def _signals(self, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as received:
            task_status.started()
            async for _number in received:
                self._leave()

    async def _listen(self, kicks: anyio.abc.UNIXDatagramSocket) -> None:
        while True:
            try:
                message, _sender = await kicks.receive()
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                self._round_over.set()
                return
            self._kicked.set()
            if is_newer(message[: VERSION_MAX_BYTES + 1]):
                log.info("worker_gives_way", version=__version__)
                self._leave()

    async def _drain(self, sockets: Bound, contexts: Contexts) -> None:
        while await self._is_reachable(sockets):
            is_kicked = self._kicked.is_set() or not self._next_try
            self._kicked = anyio.Event()
            if is_kicked or time.monotonic() >= self._next_try:
                # A cancelled drain would leave its event half-way through a handler.
                with anyio.CancelScope(shield=True):
                    await self._work(contexts, is_kicked=is_kicked)
            idle_s = self._last_work + self._idle_s - time.monotonic()
            if idle_s <= 0:
                self._leave()
            with anyio.move_on_after(min(idle_s, LOOK_S)) as pause:
                await self._kicked.wait()
            if pause.cancelled_caught:
                await self._tidy(contexts)
                await self._refreshing.consider(contexts)

    async def _encode(self, contexts: Contexts) -> None:
        """Encode new records when nothing has happened for a while, if that is wanted."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            with anyio.move_on_after(QUIET_S):
                await self._news.wait()
                continue
            if (await contexts.settings({})).semantic.enabled:
                await encode_idle(await contexts.of({}), partial(self._is_quiet, self._last_work))

    def _is_quiet(self, since: float) -> bool:
        """Tell whether nothing has come since a moment; questions come in another thread."""
        return self._last_work == since and not self._news.is_set()

    async def _is_reachable(self, sockets: Bound) -> bool:
        """Tell whether to go on in this round; ends it when hooks cannot find us any more."""
        if self._is_leaving:
            return False
        if not await anyio.to_thread.run_sync(self._holds_lock):
            log.warning("worker_replaced", pid=self._state.pid)
            self._leave()
        elif not await anyio.to_thread.run_sync(sockets.is_found):
            log.warning("sockets_gone", pid=self._state.pid)
            self._round_over.set()
        return not self._round_over.is_set()

    async def _work(self, contexts: Contexts, *, is_kicked: bool) -> None:
        """Drain once, and do what follows from it. Never raises: the next kick comes."""
        if is_kicked:
            self._news.set()
        try:
            settings = await contexts.settings({})
            self._idle_s = settings.worker.idle_s
            done = await drain_all(self._home, contexts.of, self._refused, lambda: self._is_leaving)
            self._plan(done)
            await contexts.shorten_logs()
            if settings.sync.auto and done.finished:
                await self._syncing.consider(await contexts.of({}))
            await self._refreshing.consider(contexts)
            if is_kicked:
                await self._preparation.renew(await contexts.of({}))
                await anyio.to_thread.run_sync(clear_starts, self._home.run)
            if not settings.worker.enabled:
                self._leave()
            while not (self._kicked.is_set() or self._is_leaving):
                if await contexts.change_indexes():
                    break
        except Exception:
            log.exception("worker_pass_failed")
            self._next_try = time.monotonic() + self._retry_s

    async def _tidy(self, contexts: Contexts) -> None:
        """Bring the index together, once after work was done, until there is more of it."""
        since = self._last_work
        if since == self._tidied:
            return

        def is_wanted() -> bool:
            is_asked = self._kicked.is_set() or self._last_work != since
            return is_asked or self._is_leaving or self._round_over.is_set()

        try:
            await merge_indexes(contexts.stores(), is_wanted)
        except Exception:
            log.exception("index_not_merged")
        if not is_wanted():
            self._tidied = since

    def _plan(self, done: Drained) -> None:
        """Note work that was done, and when to look again at what could not be."""
        self._refused = done.refused
        if done.finished:
            self._note_work()
        if not done.is_stuck:
            self._retry_s = LOOK_S
        self._next_try = time.monotonic() + self._retry_s
        if done.is_stuck:
            self._retry_s = min(self._retry_s * 2, RETRY_MAX_S)

    def _holds_lock(self) -> bool:
        """Tell whether hooks still find the lock that we hold; blocking."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(self._lock), os.stat(self._home.drain_lock))
        return False


def is_newer(version: bytes) -> bool:
    """Tell whether a client's version is a later one than ours; b"" and garbage are not."""
    if len(version) > VERSION_MAX_BYTES:
        return False
    return _numbers(version.decode("ascii", "replace")) > _numbers(__version__)


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    # Half a version is none: garbage with a 9 in it is not newer than everything.
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()

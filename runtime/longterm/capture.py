"""Transcripts as handlers see them: what was said since last time."""

import os
from datetime import datetime

import anyio

from runtime.longterm.transcript_file import problem, read_new
from runtime.longterm.turns import add_last_message, answer_alone, mark, read_turns, to_memory
from runtime.services import Conversation
from runtime.store.store import Store
from runtime.store.transcripts import get_mark
from schemas.records import TranscriptMark


class Transcripts:
    """Reads transcripts from where reading stopped, or from the start for a replay."""

    def __init__(
        self, store: Store | None, max_chars: int, now: datetime, *, from_start: bool = False
    ) -> None:
        self._store = store
        self._max_chars = max_chars
        self._now = now
        self._from_start = from_start

    async def new_turns(self, path: str, session_id: str, last_message: str) -> Conversation:
        """Return the turns since last time, with the final answer when it is not on disk yet."""
        path = os.path.expanduser(path)  # a string's matter: no disk is touched
        last = None
        if self._store is not None and not self._from_start:
            last = await get_mark(self._store.connection, path)
        return await anyio.to_thread.run_sync(self._read, path, session_id, last_message, last)

    def _read(
        self, path: str, session_id: str, last_message: str, last: TranscriptMark | None
    ) -> Conversation:
        reason = problem(path)
        if reason is not None:
            return self._alone(session_id, last_message, reason)
        try:
            new = read_new(path, last)
        except OSError as error:
            return self._alone(session_id, last_message, error.strerror or "not readable")
        read = read_turns(new)
        is_placed = not new.at_end or add_last_message(read.turns, last_message)
        turns = [
            to_memory(turn, session_id, self._max_chars, self._now)
            for turn in read.turns
            if turn.is_worth_keeping
        ]
        if not is_placed:
            turns.append(answer_alone(last_message, session_id, self._max_chars, self._now))
        return Conversation(tuple(turns), mark(path, new, read), None, read.skipped)

    def _alone(self, session_id: str, last_message: str, reason: str) -> Conversation:
        if not last_message.strip():
            return Conversation((), None, reason, {})
        alone = answer_alone(last_message, session_id, self._max_chars, self._now)
        return Conversation((alone,), None, reason, {})

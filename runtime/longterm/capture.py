"""Transcripts as handlers see them: what was said since last time."""

import os
from datetime import datetime
from typing import NamedTuple

import anyio

from runtime.longterm.transcript_file import mark_at, problem, read_new
from runtime.longterm.turns import (
    add_last_message,
    answer_alone,
    keys_of,
    read_turns,
    to_memory,
)
from runtime.privacy import Privacy
from runtime.services import Conversation
from runtime.store.store import Store
from runtime.store.transcripts import get_mark
from schemas.records import TranscriptMark


class LastMessage(NamedTuple):
    """The final answer that a Stop brings, and the prompt it answers."""

    text: str
    prompt_id: str | None


class Transcripts:
    """Reads transcripts from where reading stopped, or from the start for a replay."""

    def __init__(
        self,
        store: Store | None,
        max_chars: int,
        now: datetime,
        *,
        from_start: bool = False,
        privacy: Privacy | None = None,
    ) -> None:
        self._store = store
        self._max_chars = max_chars
        self._now = now
        self._from_start = from_start
        self._privacy = privacy

    async def new_turns(
        self, path: str, session_id: str, last_message: str, prompt_id: str | None = None
    ) -> Conversation:
        """
        Return the turns since last time, with the final answer when it is not on disk yet.

        *prompt_id* names the turn that the final answer belongs to.
        """
        path = os.path.expanduser(path)  # a string's matter: no disk is touched
        last = None
        if self._store is not None and not self._from_start:
            last = await get_mark(self._store.connection, path)
        message = LastMessage(last_message, prompt_id)
        return await anyio.to_thread.run_sync(self._read, path, session_id, message, last)

    def _read(
        self, path: str, session_id: str, message: LastMessage, last: TranscriptMark | None
    ) -> Conversation:
        reason = problem(path)
        if reason is not None:
            return self._alone(session_id, message.text, reason)
        try:
            new = read_new(path, last)
            read = read_turns(new, self._privacy)
            mark = mark_at(path, read.next_offset)
        except OSError as error:
            return self._alone(session_id, message.text, error.strerror or "not readable")
        is_placed = not new.at_end or add_last_message(read.turns, *message)
        hidden = [turn for turn in read.turns if turn.is_hidden]
        turns = [
            to_memory(turn, session_id, self._max_chars, self._now)
            for turn in read.turns
            if turn.is_worth_keeping and not turn.is_hidden
        ]
        if not is_placed and self._may_keep_alone:
            turns.append(answer_alone(message.text, session_id, self._max_chars, self._now))
        skipped = {**read.skipped, "ignored path": len(hidden)} if hidden else read.skipped
        keys = (key for turn in hidden for key in keys_of(turn, session_id))
        is_private = bool(hidden) or not (is_placed or self._may_keep_alone)
        return Conversation(tuple(turns), mark, None, skipped, tuple(keys), is_private)

    @property
    def _may_keep_alone(self) -> bool:
        """Tell whether an answer may be kept of which nobody knows what it is about."""
        return self._privacy is None or not self._privacy.has_rules

    def _alone(self, session_id: str, last_message: str, reason: str) -> Conversation:
        if not last_message.strip() or not self._may_keep_alone:
            return Conversation((), None, reason, {}, is_private=not self._may_keep_alone)
        alone = answer_alone(last_message, session_id, self._max_chars, self._now)
        return Conversation((alone,), None, reason, {})

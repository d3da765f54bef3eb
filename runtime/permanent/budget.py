"""
A budget of requests, so that a program which walks through all posts leaves some to the person.

esa counts requests per person, not per program: who uses them up locks the
person out of the browser's search as well.
"""

from collections.abc import Mapping
from typing import Final

RESERVE: Final = 15
"""Requests of the current window that are not used."""


class Budget:
    """What the other side has said is left."""

    def __init__(self, reserve: int = RESERVE) -> None:
        self._reserve = reserve
        self._remaining: int | None = None
        self._until = 0.0

    def spent(self, headers: Mapping[str, str], now: float, window_s: float) -> None:
        """Take in the headers of an answer; *now* and *window_s* in seconds of one clock."""
        remaining = _number(headers.get("x-ratelimit-remaining"))
        if remaining is None:
            return
        limit = _number(headers.get("x-ratelimit-limit")) or 0
        is_new_window = self._remaining is None or remaining > self._remaining
        if is_new_window:
            self._until = now + window_s
        # A limit that is smaller than the reserve would never let anything through.
        self._remaining = None if limit <= self._reserve else remaining

    def wait_s(self, now: float) -> float:
        """Return how long to wait for the next request, 0 when it may go."""
        if self._remaining is None or self._remaining > self._reserve:
            return 0.0
        if now >= self._until:
            self._remaining = None
            return 0.0
        return self._until - now


def _number(value: str | None) -> int | None:
    return int(value) if value and value.strip().isdecimal() else None

"""Prepare what a session that starts without a worker is told."""

import os
from typing import TYPE_CHECKING, Final

import anyio

from runtime import prepared
from runtime.context import AppContext
from runtime.health import Health
from runtime.notes.book import context_file, folders
from runtime.render import to_bytes
from runtime.session_start import answer_to

if TYPE_CHECKING:
    from schemas.stats import CaptureHealth

SOURCES: Final = ("startup", "clear", "compact")


class Preparation:
    """Renders the answers anew whenever what they are made from has changed."""

    def __init__(self) -> None:
        self._states: list[bytes] = []
        self._failing: tuple[CaptureHealth, ...] = ()

    async def renew(self, context: AppContext) -> bool:
        """Write the answers unless they still hold. Tells whether it did."""
        states = await anyio.to_thread.run_sync(_states, context)
        # What the hook cannot see by itself: it is made anew here at the latest when the
        # event that failed, or was the first to do well again, is done.
        failing = await Health(context.store).failing()
        if states == self._states and failing == self._failing:
            return False
        answers = {source: await _answer(context, source) for source in SOURCES}
        await anyio.to_thread.run_sync(prepared.write, context.home, states, answers)
        self._states, self._failing = states, failing
        return True


def _states(context: AppContext) -> list[bytes]:
    """Return the state of the settings, of every folder of notes and of CONTEXT.md."""
    paths = [context.home.config]
    for root in folders(context.home, context.settings):
        paths.append(root)
        paths += [
            os.path.join(folder, name)
            for folder, names, _files in os.walk(root)
            for name in _shown(names)
        ]
    shown = context_file(context.home, context.settings)
    return [prepared.state(path) for path in [*paths, *([shown] if shown else [])]]


def _shown(names: list[str]) -> list[str]:
    """Return the folders that the index looks into, and keep the walk out of the others."""
    names[:] = sorted(name for name in names if not name.startswith("."))
    return names


async def _answer(context: AppContext, source: str) -> bytes:
    answer, _ = await answer_to(source, context)
    return to_bytes(answer) if answer is not None else b""

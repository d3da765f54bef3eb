"""On Stop old blocks are rotated and the index follows."""

from collections.abc import Callable

import pytest

from handlers.rotate_context import handle
from runtime.services import Rotated, Services
from schemas.events import HookEvent
from schemas.turn_events import Stop
from tests.handlers.conftest import WrittenNotes


@pytest.mark.parametrize("rotated", [None, Rotated(0, 5), Rotated(3, 5)])
async def test_the_index_follows_whether_or_not_something_was_rotated(
    rotated: Rotated | None,
    event: Callable[..., HookEvent],
    services: Services,
    notes: WrittenNotes,
) -> None:
    notes.rotated = rotated
    stop = event("Stop")
    assert isinstance(stop, Stop)

    output = await handle(stop, services)

    assert output is None
    assert notes.asked == ["rotate", "refresh"]

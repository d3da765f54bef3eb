"""Stop: keep the newest blocks of CONTEXT.md and bring the index up to date."""

import structlog

from runtime.services import Services
from schemas.outputs import HookOutput
from schemas.turn_events import Stop

log = structlog.get_logger(__name__)


async def handle(event: Stop, services: Services) -> HookOutput | None:
    """
    Move older blocks to the archive. Safe on every Stop: a second run finds nothing.

    The index follows even when there is nothing to rotate, since notes may have
    been edited by hand during the turn.
    """
    rotated = await services.notes.rotate()
    if rotated is not None and rotated.archived:
        log.info("context_rotated", archived=rotated.archived, kept=rotated.kept)
    await services.notes.refresh()
    return None

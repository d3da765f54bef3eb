"""Stop, SessionEnd, PreCompact: keep the conversation's new turns."""

import structlog

from runtime.services import Services
from schemas.events import HookEvent
from schemas.outputs import HookOutput
from schemas.turn_events import Stop

log = structlog.get_logger(__name__)


async def handle(event: HookEvent, services: Services) -> HookOutput | None:
    """
    Return the turns since last time, one memory each.

    SessionEnd and PreCompact are listened to because a turn that was killed fires
    no Stop. The turn that is still open is returned again each time and replaces
    itself, so late lines are not lost.
    """
    last = event.last_assistant_message if isinstance(event, Stop) else None
    conversation = await services.transcripts.new_turns(
        event.transcript_path, event.session_id, last or "", event.prompt_id
    )
    if conversation.problem is not None:
        log.warning(
            "transcript_unreadable", path=event.transcript_path, reason=conversation.problem
        )
    log.info(
        "turns_captured",
        turns=len(conversation.turns),
        chars=sum(len(turn.content) for turn in conversation.turns),
        skipped=conversation.skipped,
    )
    problem = conversation.problem and f"transcript {conversation.problem}"
    return HookOutput(
        memories=conversation.turns,
        withdraws=conversation.hidden,
        is_private=conversation.is_private,
        transcript=conversation.mark,
        problem=problem,
    )

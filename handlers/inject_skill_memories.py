"""PreToolUse(Skill), UserPromptExpansion: what happened when this skill ran before."""

from typing import Final

from runtime.days import local_day
from runtime.services import Services
from runtime.text import one_line
from schemas.events import HookEvent
from schemas.outputs import HookOutput, Quote, Section
from schemas.records import Memory
from schemas.search import SearchHit
from schemas.shown import ShownRecord
from schemas.skill_events import PreToolUse, UserPromptExpansion

ENTRY_CHARS: Final = 400
WEB_TOOLS: Final = frozenset({"tool:WebFetch", "tool:WebSearch"})
MADE: Final = {
    "session": "a conversation",
    "tool:WebFetch": "web page",
    "tool:WebSearch": "web search",
}


async def handle(event: HookEvent, services: Services) -> HookOutput | None:
    """
    Return up to five dated entries, earlier runs of the skill first.

    A skill typed as `/name` fires no PreToolUse, hence both events. Says nothing
    when nothing is related, and never decides about the call.
    """
    name, arguments = called(event)
    limit = services.limits.skill_entries
    if not services.limits.inject or not name or not limit:
        return None
    found = await services.recall.about_skill(name, arguments, limit)
    quotes = (*map(_of_run, found.runs), *map(_of_hit, found.hits))
    if not quotes:
        return None
    section = Section(
        title=f"Past records about the skill {name}:",
        quotes=quotes,
        max_units=services.limits.skill_max_units,
    )
    return HookOutput(sections=(section,))


def called(event: HookEvent) -> tuple[str, str]:
    """Return the skill's name and arguments; ("", "") when the event names none."""
    if isinstance(event, UserPromptExpansion):
        return event.command_name.strip(), event.command_args
    if isinstance(event, PreToolUse) and isinstance(event.tool_input, dict):
        # Older clients called the field `command`.
        name = event.tool_input.get("skill", event.tool_input.get("command"))
        arguments = event.tool_input.get("args")
        if isinstance(name, str):
            return name.strip(), arguments if isinstance(arguments, str) else ""
    return "", ""


def _of_run(memory: Memory) -> Quote:
    return Quote(
        text=one_line(memory.content, ENTRY_CHARS),
        date=local_day(memory.created_at),
        origin=_joined("an earlier run", memory.project, memory.host),
        untrusted=memory.source in WEB_TOOLS,
        record=ShownRecord(kind="long-term", id=memory.id),
    )


def _of_hit(hit: SearchHit) -> Quote:
    return Quote(
        text=one_line(hit.snippet, ENTRY_CHARS),
        date=hit.date,
        origin=_origin(hit),
        untrusted=hit.source in WEB_TOOLS,
        record=_record(hit),
    )


def _record(hit: SearchHit) -> ShownRecord:
    if hit.kind == "note":
        return ShownRecord(kind="note", path=hit.source)
    if hit.kind == "permanent":
        return ShownRecord(kind="permanent", path=hit.source)
    return ShownRecord(kind="long-term", id=hit.id)


def _origin(hit: SearchHit) -> str:
    if hit.kind == "note":
        return _joined("note", f"{hit.source}:{hit.line}", hit.heading)
    if hit.kind == "permanent":
        seen = f"as seen on {local_day(hit.seen_at)}" if hit.seen_at else None
        return _joined(f"permanent memory #{hit.id}", hit.heading, seen)
    made = MADE.get(hit.source, hit.source.removeprefix("tool:"))
    return _joined(made, hit.target, hit.project, hit.host)


def _joined(*parts: str | None) -> str:
    return " · ".join(part for part in parts if part)

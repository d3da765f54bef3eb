"""SessionStart: tell the session how to use its memory, what is under way and what there is."""

from typing import Final

from runtime.services import Overview, Services
from schemas.events import SessionStart
from schemas.outputs import HookOutput, Quote, Section

REPEATS: Final = frozenset({"resume", "fork"})
"""The session's history holds the earlier injection already (measured)."""
BRIEF: Final = frozenset({"compact"})
RULES: Final = (
    "How this memory works:",
    '- Before a task, look for what is known: runtime search "words" (Japanese works).',
    "- What is decided goes into the notes at once, with its reason.",
    "- Dates are absolute (YYYY-MM-DD), never yesterday or 来週.",
)
RULES_UNITS: Final = 600
FRAME_UNITS: Final = 200
"""Room for the frame that is put around everything, so that the whole keeps to the limit."""
CONTENTS_SHARE: Final = 0.25
"""Of what the rules leave; the rest is CONTEXT.md's."""


async def handle(event: SessionStart, services: Services) -> HookOutput | None:
    """Return rules, newest context and table of contents, each with a budget of its own."""
    if not services.limits.inject or event.source in REPEATS:
        return None
    units = max(0, services.limits.session_max_units - FRAME_UNITS)
    rules = Section(lines=RULES, max_units=min(units, RULES_UNITS))
    if event.source in BRIEF:
        return HookOutput(sections=(rules,))
    overview = await services.notes.overview()
    left = max(0, units - RULES_UNITS)
    contents = _contents(overview, int(left * CONTENTS_SHARE))
    context = _context(overview, left - contents.max_units)
    return HookOutput(sections=(rules, context, contents))


def _context(overview: Overview, units: int) -> Section:
    if not overview.context:
        return Section(max_units=0)
    older = overview.older_blocks
    return Section(
        title="Work in progress:",
        quotes=(
            Quote(text=overview.context, date=overview.context_date, origin=overview.context_path),
        ),
        notice=f"{older} older blocks are not shown; runtime search finds them." if older else "",
        max_units=units,
    )


def _contents(overview: Overview, units: int) -> Section:
    if not overview.contents:
        return Section(max_units=0)
    return Section(
        title="Notes that can be searched and read:",
        quotes=(Quote(text="\n".join(overview.contents)),),
        max_units=units,
    )

"""SessionStart: tell the session how to use its memory, what is under way and what there is."""

from collections.abc import Sequence
from typing import Final

from runtime.services import Overview, Services
from runtime.text import utf16_units
from schemas.outputs import HookOutput, Quote, Section
from schemas.session_events import SessionStart
from schemas.shown import ShownRecord

REPEATS: Final = frozenset({"resume", "fork"})
"""The session's history holds the earlier injection already (measured)."""
BRIEF: Final = frozenset({"compact"})
RULES: Final = (
    "How this memory works:",
    '- Before a task, look for what is known: runtime search "words" (Japanese works).',
    "- What is decided goes into the notes at once, with its reason: runtime notes append.",
    "- Dates are absolute (YYYY-MM-DD), never yesterday or 来週.",
)
LINE_UNITS: Final = 4
"""What the frame adds to a line: bar, sign, space and line end."""
RULES_UNITS: Final = sum(utf16_units(line) + LINE_UNITS for line in RULES)
FRAME_UNITS: Final = 200
"""Room for the frame that is put around everything, so that the whole keeps to the limit."""
CONTENTS_SHARE: Final = 0.25
"""Of what the rules leave; the rest is CONTEXT.md's."""
CONTENTS_TITLE: Final = "Notes that can be searched and read:"
UNLISTED: Final = "{} more notes are not listed; runtime search finds them."


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
            Quote(
                text=overview.context,
                date=overview.context_date,
                origin=overview.context_path,
                record=ShownRecord(kind="note", path=overview.context_path),
            ),
        ),
        notice=f"{older} older blocks are not shown; runtime search finds them." if older else "",
        max_units=units,
    )


def _contents(overview: Overview, units: int) -> Section:
    if not overview.contents:
        return Section(max_units=0)
    own = utf16_units(CONTENTS_TITLE + UNLISTED) + 3 * LINE_UNITS
    names = _that_fit(overview.contents, units - own)
    unlisted = overview.unlisted + len(overview.contents) - len(names)
    return Section(
        title=CONTENTS_TITLE,
        quotes=(Quote(text="\n".join(names)),) if names else (),
        notice=UNLISTED.format(unlisted) if unlisted else "",
        max_units=units,
    )


def _that_fit(names: Sequence[str], units: int) -> list[str]:
    """Return the first names that have room, each on a line of its own."""
    fitting: list[str] = []
    for name in names:
        units -= utf16_units(name) + LINE_UNITS
        if units < 0:
            break
        fitting.append(name)
    return fitting

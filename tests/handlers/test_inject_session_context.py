"""What a session is told at its start, and that each part keeps to its budget."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.inject_session_context import handle
from runtime.render import context
from runtime.services import Overview, Services
from runtime.text import utf16_units
from schemas.events import HookEvent
from schemas.session_events import SessionStart
from tests.handlers.conftest import LIMITS, Given, KnownRecall, ReadTranscripts, WrittenNotes

BLOCK = "## 2026-11-30 Parser\nThe newest block."
OVERVIEW = Overview(BLOCK, "/n/CONTEXT.md", "2026-11-30", 3, ("CONTEXT.md", "a.md"))


def start(**fields: str) -> SessionStart:
    return SessionStart(
        session_id="s",
        transcript_path="",
        cwd="/",
        hook_event_name="SessionStart",
        **fields,
    )


async def told(event: SessionStart, services: Services) -> str:
    output = await handle(event, services)
    return context(output.sections) if output else ""


@pytest.mark.parametrize(
    ("source", "rules", "notes_too"),
    [
        ("startup", True, True),
        ("clear", True, True),
        ("compact", True, False),
        ("resume", False, False),
        ("fork", False, False),
        ("from-next-year", True, True),
    ],
)
async def test_each_way_to_begin_has_its_share(
    source: str, rules: bool, notes_too: bool, services: Services, notes: WrittenNotes
) -> None:
    """A resumed or forked session holds the earlier injection already."""
    notes.seen = OVERVIEW

    text = await told(start(source=source), services)

    assert ("How this memory works" in text) is rules
    assert ("The newest block." in text) is notes_too
    assert ("a.md" in text) is notes_too
    assert notes.asked == (["overview"] if notes_too else [])


async def test_a_start_without_a_source_is_a_first_start(
    services: Services, notes: WrittenNotes
) -> None:
    notes.seen = OVERVIEW

    assert "The newest block." in await told(start(), services)


async def test_what_matters_most_comes_first_and_is_dated(
    services: Services, notes: WrittenNotes
) -> None:
    notes.seen = OVERVIEW

    text = await told(start(), services)

    parts = ["How this memory works", "2026-11-30 · /n/CONTEXT.md", "│> ## 2026-11-30", "│> a.md"]
    places = [text.find(part) for part in parts]
    assert places == sorted(places)
    assert -1 not in places
    assert "3 older blocks are not shown; runtime search finds them." in text


async def test_without_older_blocks_there_is_no_notice(
    services: Services, notes: WrittenNotes
) -> None:
    notes.seen = OVERVIEW._replace(older_blocks=0)

    assert "older blocks" not in await told(start(), services)


async def test_without_notes_the_rules_stand_alone(services: Services) -> None:
    text = await told(start(), services)

    assert "How this memory works" in text
    assert "Work in progress" not in text
    assert "Notes that can be" not in text


async def test_nothing_is_told_when_it_is_switched_off(
    limited: Callable[..., Services], notes: WrittenNotes
) -> None:
    notes.seen = OVERVIEW

    assert await handle(start(), limited(inject=False)) is None


async def test_a_long_context_does_not_starve_the_table_of_contents(
    services: Services, notes: WrittenNotes
) -> None:
    """Nor the notice that there is more: A31 cut the contents first."""
    notes.seen = OVERVIEW._replace(context="## newest\n" + "本文。\n" * 5000)

    text = await told(start(), services)

    assert "│> a.md" in text
    assert "3 older blocks are not shown" in text
    assert "│> ## newest" in text


async def test_a_long_table_of_contents_does_not_starve_the_context(
    services: Services, notes: WrittenNotes
) -> None:
    notes.seen = OVERVIEW._replace(contents=tuple(f"notes/{n}.md" for n in range(5000)))

    text = await told(start(), services)

    assert "The newest block." in text
    assert "│> notes/0.md" in text


@given(
    units=st.integers(0, 9500),
    body=st.text("a日🎉\n", max_size=3000),
    names=st.lists(st.text("b本🎉", max_size=40), max_size=100),
)
def test_the_whole_never_exceeds_the_configured_units(
    units: int, body: str, names: list[str]
) -> None:
    """Frame and introduction count too; a unit is a UTF-16 code unit."""
    notes = WrittenNotes(OVERVIEW._replace(context=body, contents=tuple(names)))
    limits = LIMITS._replace(session_max_units=units)
    services = Given(KnownRecall(), ReadTranscripts(), notes, limits)

    text = _run(start(), services)

    assert utf16_units(text) <= units


def _run(event: SessionStart, services: Services) -> str:
    """Run without an event loop: nothing here waits."""
    waiting = told(event, services)
    try:
        waiting.send(None)
    except StopIteration as done:
        return str(done.value)
    raise AssertionError


def test_the_event_is_a_session_start(event: Callable[..., HookEvent]) -> None:
    assert isinstance(event("SessionStart"), SessionStart)

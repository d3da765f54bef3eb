"""Before a skill: what happened when it ran, then what is related, five entries at most."""

from collections.abc import Callable
from typing import Any

import pytest

from handlers.inject_skill_memories import called, handle
from runtime.render import context
from runtime.services import Services
from schemas.events import HookEvent
from schemas.records import Memory
from schemas.search import SearchHit
from tests.handlers.conftest import KnownRecall

Make = Callable[..., HookEvent]


def run(number: int, **fields: Any) -> Memory:
    values = dict[str, Any].fromkeys(Memory.model_fields) | {
        "id": number,
        "content": f"run {number}\nsecond line",
        "source": "session",
        "project": "shop",
        "host": "mac",
        "tags": (),
        "skills": ("review",),
        "is_global": False,
        "is_pinned": False,
        "content_hash": "h",
        "summary": "",
        "created_at": f"2026-06-{number:02d}T03:00:00.000Z",
        "updated_at": "2026-06-30T03:00:00.000Z",
    }
    return Memory.model_validate(values | fields)


def hit(number: int, **fields: Any) -> SearchHit:
    values = {
        "id": number,
        "kind": "note",
        "source": "/n/mem.md",
        "heading": "Decisions",
        "date": "2026-05-01",
        "date_origin": "heading",
        "score": 1.0,
        "share": 1.0,
        "snippet": f"hit {number}",
        "content": f"hit {number}",
        "project": None,
        "host": None,
        "target": None,
        "line": 1,
    }
    return SearchHit.model_validate(values | fields)


async def told(event: HookEvent, services: Services) -> list[str]:
    output = await handle(event, services)
    if output is None:
        return []
    [section] = output.sections
    return [quote.text for quote in section.quotes]


async def test_earlier_runs_come_first_and_there_are_five_entries(
    event: Make, services: Services, recall: KnownRecall
) -> None:
    recall.runs = [run(3), run(2)]
    recall.hits = [hit(number) for number in range(10, 20)]

    texts = await told(
        event("PreToolUse", tool_name="Skill", tool_input={"skill": "review"}), services
    )

    assert texts == ["run 3 second line", "run 2 second line", "hit 10", "hit 11", "hit 12"]


@pytest.mark.parametrize(
    ("name", "fields", "expected"),
    [
        ("PreToolUse", {"tool_input": {"skill": "review"}}, ("review", "")),
        ("PreToolUse", {"tool_input": {"skill": "p:review", "args": "x"}}, ("p:review", "x")),
        ("PreToolUse", {"tool_input": {"command": "review"}}, ("review", "")),
        ("PreToolUse", {"tool_input": {"skill": ["x"]}}, ("", "")),
        ("PreToolUse", {"tool_input": {"skill": "a", "args": 5}}, ("a", "")),
        ("PreToolUse", {"tool_input": {}}, ("", "")),
        ("PreToolUse", {"tool_input": "review"}, ("", "")),
        ("PreToolUse", {}, ("", "")),
        ("UserPromptExpansion", {"command_name": "p:go", "command_args": "y"}, ("p:go", "y")),
        ("UserPromptExpansion", {}, ("", "")),
        ("Stop", {}, ("", "")),
    ],
)
def test_a_call_names_a_skill_and_its_arguments(
    name: str, fields: dict[str, Any], expected: tuple[str, str], event: Make
) -> None:
    """A typed skill fires no PreToolUse, and older clients called the field `command`."""
    assert called(event(name, **fields)) == expected


async def test_name_and_arguments_are_what_is_looked_for(
    event: Make, services: Services, recall: KnownRecall
) -> None:
    call = event("UserPromptExpansion", command_name="p:review", command_args="the parser")

    await told(call, services)

    assert recall.asked == [("p:review", "the parser")]


async def test_nothing_related_is_nothing_told(event: Make, services: Services) -> None:
    call = event("UserPromptExpansion", command_name="review")

    assert await handle(call, services) is None


@pytest.mark.parametrize("limits", [{"inject": False}, {"skill_entries": 0}])
async def test_switched_off_nothing_is_told_or_even_looked_for(
    limits: dict[str, Any], event: Make, limited: Callable[..., Services], recall: KnownRecall
) -> None:
    recall.runs = [run(1)]

    output = await handle(event("UserPromptExpansion", command_name="review"), limited(**limits))

    assert output is None
    assert recall.asked == []


async def test_an_entry_tells_its_date_and_where_it_comes_from(
    event: Make, services: Services, recall: KnownRecall
) -> None:
    recall.runs = [run(3)]
    recall.hits = [hit(4), hit(5, kind="long-term", source="session", heading="")]

    output = await handle(event("UserPromptExpansion", command_name="review"), services)

    assert output is not None
    assert [(quote.date, quote.origin) for quote in output.sections[0].quotes] == [
        ("2026-06-03", "an earlier run · shop · mac"),
        ("2026-05-01", "note · /n/mem.md:1 · Decisions"),
        ("2026-05-01", "a conversation"),
    ]


async def test_text_from_the_web_is_labelled(
    event: Make, services: Services, recall: KnownRecall
) -> None:
    url = "https://example.com/"
    recall.hits = [
        hit(1, kind="long-term", source="tool:WebFetch", target=url, heading=""),
        hit(2, kind="long-term", source="tool:WebSearch", target="words", heading=""),
        hit(3, kind="long-term", source="tool:Write", target="/a.md", heading=""),
    ]

    output = await handle(event("UserPromptExpansion", command_name="review"), services)

    assert output is not None
    [section] = output.sections
    assert [quote.untrusted for quote in section.quotes] == [True, True, False]
    assert section.quotes[0].origin == f"web page · {url}"
    assert context([section]).count("text from the web, unchecked") == 2


async def test_an_entry_is_one_line_of_bounded_length(
    event: Make, services: Services, recall: KnownRecall
) -> None:
    recall.runs = [run(3, content="line\n" * 900)]

    [text] = await told(event("UserPromptExpansion", command_name="review"), services)

    assert "\n" not in text
    assert len(text) <= 400


async def test_a_run_has_the_day_of_the_person_s_calendar(
    event: Make, services: Services, recall: KnownRecall, tokyo: Callable[[], None]
) -> None:
    """Half past ten in the evening, UTC, is the next morning in Tokyo."""
    recall.runs = [run(1, created_at="2026-06-10T22:30:00.000Z")]
    tokyo()

    output = await handle(event("UserPromptExpansion", command_name="review"), services)

    assert output is not None
    assert [quote.date for section in output.sections for quote in section.quotes] == ["2026-06-11"]

"""Who is told that nothing is kept, when, and in which words."""

import pytest

from handlers.report_failures import handle
from schemas.session_events import SessionStart
from schemas.stats import CaptureHealth
from tests.handlers.conftest import Given, KnownHealth


def start(source: str) -> SessionStart:
    return SessionStart(
        session_id="s", transcript_path="", cwd="/", hook_event_name="SessionStart", source=source
    )


def failing(
    name: str, times: int, *, last: str | None = None, why: str | None = None
) -> CaptureHealth:
    return CaptureHealth(name=name, last_success_at=last, failures_since=times, last_error=why)


async def message(services: Given, *failures: CaptureHealth, source: str = "startup") -> str:
    services.health.failures = failures
    output = await handle(start(source), services)
    assert output is None or not output.sections
    return output.message if output else ""


async def test_one_line_says_what_kept_nothing_why_since_when_and_what_to_do(
    services: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = failing("Stop", 20, last="2026-06-11T03:00:00.000Z", why="transcript missing")

    told = await message(services, seen)

    assert told.startswith("oboegaki: the last 20 Stop events kept nothing (transcript missing); ")
    assert "the last that did: 2026-06-1" in told
    assert told.endswith("`runtime doctor` says more.")
    assert "\n" not in told


async def test_the_worst_comes_first_and_the_others_are_named(services: Given) -> None:
    told = await message(services, failing("SessionEnd", 3), failing("Stop", 9, why="full\ndisk"))

    assert "the last 9 Stop events kept nothing (full disk); the last that did: never." in told
    assert "SessionEnd: the same." in told


@pytest.mark.parametrize("name", ["SessionStart", "PreToolUse", "UserPromptExpansion"])
async def test_what_keeps_nothing_anyhow_is_left_out(services: Given, name: str) -> None:
    assert await message(services, failing(name, 20)) == ""


@pytest.mark.parametrize(
    ("source", "is_told"),
    [("startup", True), ("clear", True), ("resume", False), ("fork", False), ("compact", False)],
)
async def test_a_session_is_told_once(services: Given, source: str, is_told: bool) -> None:
    assert bool(await message(services, failing("Stop", 3), source=source)) is is_told


async def test_nothing_is_said_while_all_is_well(services: Given) -> None:
    assert isinstance(services.health, KnownHealth)
    assert await handle(start("startup"), services) is None

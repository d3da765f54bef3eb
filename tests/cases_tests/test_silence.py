"""Capture that keeps nothing for a long time is seen, though every hook ends well."""

import json
from pathlib import Path
from typing import Any

from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    Make,
    assistant,
    session_start,
    stop,
    user,
    write_lines,
)
from tests.processes import Product

NOTICE = "the last 20 Stop events kept nothing (transcript missing)"


async def told(pipeline: Pipeline, **changes: Any) -> str:
    """Return what the person is told at a session's start; the model is never told of it."""
    answer = json.loads(await pipeline.handle(session_start(**changes)) or b"{}")
    assert "kept nothing" not in json.dumps(answer.get("hookSpecificOutput"))
    return str(answer.get("systemMessage", ""))


async def fail(pipeline: Pipeline, times: int) -> None:
    for _ in range(times):
        await pipeline.handle(stop("/nowhere/gone.jsonl"))


async def keep(pipeline: Pipeline, path: Path, word: str) -> None:
    write_lines(path, user(f"u-{word}", word), assistant(f"a-{word}", f"{word} answered"))
    await pipeline.handle(stop(str(path)))
    assert await pipeline.memories(word) != []


async def test_twenty_stops_without_a_transcript_are_told_until_one_does_well(
    pipeline: Pipeline, tmp_path: Path
) -> None:
    await keep(pipeline, tmp_path / "t.jsonl", "keepword")
    await fail(pipeline, 2)
    assert await told(pipeline) == ""

    await fail(pipeline, 18)

    line = await told(pipeline)
    assert NOTICE in line
    assert "never" not in line
    assert "\n" not in line
    assert await told(pipeline, source="resume") == ""
    assert await told(pipeline, source="compact") == ""

    await keep(pipeline, tmp_path / "t.jsonl", "laterword")
    assert await told(pipeline) == ""


async def test_stats_and_doctor_show_the_last_success_and_the_failures_since(
    pipeline: Pipeline, tmp_path: Path
) -> None:
    await keep(pipeline, tmp_path / "t.jsonl", "keepword")
    await fail(pipeline, 20)
    product = Product(tmp_path / "home")

    (health,) = [
        row for row in product.command("stats", "--json").json["captures"] if row["name"] == "Stop"
    ]
    (finding,) = [
        row
        for row in product.command("doctor", "--json").json["findings"]
        if row["id"] == "capture.Stop"
    ]

    assert (health["failures_since"], health["last_error"]) == (20, "transcript missing")
    assert health["last_success_at"] is not None
    assert finding["level"] == "warning"
    assert "20 failures since (transcript missing)" in finding["saw"]


def test_the_person_is_told_although_the_model_is_told_nothing(make: Make) -> None:
    ground = make(OBOEGAKI_INJECT_ENABLED="0")
    for _ in range(3):
        ground.hook(stop(str(ground.folder / "gone.jsonl")))

    ran = ground.hook(session_start())

    assert set(ran.answer or {}) == {"systemMessage"}

"""Tool responses of every shape: what is kept of them."""

from typing import Final

import pytest

from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    Make,
    tool_use,
)

# Tool responses of every shape.

CHARS: Final = {"199 chars": 0, "200 chars": 0, "201 chars": 1}


def test_tool_responses_of_every_shape_are_taken_or_skipped(make: Make) -> None:
    """Every line of the case, in one home: what is kept is text that people read."""
    ground = make("P08")
    events = ground.events("events.ndjson")
    kept: dict[str, list[str]] = {}
    for event in events:
        before = len(ground.memories()) if kept else 0
        ran = ground.hook(event)
        assert ran.out == b""
        kept[event["note"]] = ground.memories()[before:]

    assert ground.rows("SELECT DISTINCT outcome FROM events") == [("ok",)]
    for note, texts in kept.items():
        skipped = ground.logged("tool_result_skipped")
        assert len(texts) <= 1, note
        assert texts or skipped, note
        for text in texts:
            assert not text.startswith(("{", "[")), note
            assert "'type'" not in text, note
            assert '\\"' not in text, note
    assert {note: len(kept[note]) for note in CHARS} == CHARS


LONG: Final = "結果の本文。" * 50
SHAPES: Final = {
    "null": (None, ""),
    "a number": (5, ""),
    "a truth": (True, ""),
    "an empty object": ({}, ""),
    "an empty list": ([], ""),
    "a string": (LONG, LONG),
    "a list of strings": ([LONG, "二"], f"{LONG}\n二"),
    "blocks": ([{"type": "text", "text": LONG}], LONG),
    "nested": ({"a": {"b": [{"c": LONG}]}}, LONG),
    "an unknown field": ({"output": LONG, "code": 200}, LONG),
    "an http error": ({"result": LONG, "code": 404}, ""),
    "an error": ({"error": LONG}, ""),
    "the right field is odd": ({"result": [None, 3, {"x": LONG}]}, LONG),
    "the right field is null": ({"result": None, "x": LONG}, ""),
    "a picture": ({"type": "image", "file": {"base64": "A" * 900}}, ""),
}


@pytest.mark.parametrize("why", SHAPES)
async def test_a_response_of_any_shape_is_no_failure(why: str, pipeline: Pipeline) -> None:
    response, expected = SHAPES[why]

    await pipeline.handle(tool_use("WebFetch", response, url="https://example.com/"))

    assert await pipeline.memories() == ([expected] if expected else [])
    assert await pipeline.rows("SELECT outcome FROM events") == [("ok",)]
    assert len(pipeline.logged("tool_result_skipped")) == (0 if expected else 1)


@pytest.mark.parametrize("unit", ["a", "語", "🔥", "\u0301", '"'])
@pytest.mark.parametrize(("count", "is_kept"), [(199, False), (200, False), (201, True)])
@pytest.mark.parametrize("tool", ["Write", "Edit", "WebFetch", "NotebookEdit"])
async def test_the_limit_counts_characters_of_the_text(
    tool: str, count: int, is_kept: bool, unit: str, pipeline: Pipeline
) -> None:
    """Not bytes, UTF-16 units or the length of the JSON."""
    field = {"Write": "content", "Edit": "newString", "NotebookEdit": "new_source"}.get(
        tool, "result"
    )
    response = {field: unit * count, "originalFile": "x" * 500}

    await pipeline.handle(tool_use(tool, response, file_path="/a.py"))

    assert [len(text) for text in await pipeline.memories()] == ([count] if is_kept else [])


async def test_the_old_body_of_a_file_is_not_stored(pipeline: Pipeline) -> None:
    response = {
        "filePath": "/a.py",
        "oldString": "oldword " * 60,
        "newString": "newword " * 60,
        "originalFile": "originalword " * 60,
        "structuredPatch": [{"lines": ["-oldword", "+newword"]}],
    }

    await pipeline.handle(tool_use("Edit", response, file_path="/a.py"))

    (text,) = await pipeline.memories()
    assert set(text.split()) == {"newword"}


async def test_titles_and_addresses_of_a_web_search_are_kept(pipeline: Pipeline) -> None:
    links = [{"title": f"題 {n}", "url": f"https://example.com/{n}"} for n in range(20)]
    response = {"query": "q", "results": [{"tool_use_id": "t", "content": links}, "まとめ"]}

    await pipeline.handle(tool_use("WebSearch", response, query="q"))

    (text,) = await pipeline.memories()
    assert text.split("\n") == [*(f"{link['title']} {link['url']}" for link in links), "まとめ"]

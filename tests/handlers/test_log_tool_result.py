"""What a tool produced is kept: the human text of it, when it is long enough and no secret."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handlers.log_tool_result import handle, produced
from runtime.routes import handlers_of
from runtime.services import Services
from schemas.events import HookEvent, validated
from schemas.records import NewMemory
from schemas.tool_events import PostToolUse
from tests.payloads import Payloads

CASE = Path(__file__).parents[1] / "cases" / "P08" / "events.ndjson"
SHAPES = {
    record["note"]: record
    for record in map(json.loads, CASE.read_text(encoding="utf-8").splitlines())
}
SENTENCE = "この変更では検索の経路を二つに分け、短い語は部分一致で引くようにした。"
FILE = base64.b64encode(bytes(range(256)) * 20).decode()


def tool(name: str, response: Any, **tool_input: Any) -> PostToolUse:
    parsed = validated(
        {
            "session_id": "s",
            "transcript_path": "",
            "cwd": "/",
            "hook_event_name": "PostToolUse",
            "tool_name": name,
            "tool_input": tool_input,
            "tool_response": response,
            "tool_use_id": "toolu_1",
        }
    )
    assert isinstance(parsed, PostToolUse)
    return parsed


async def kept(event: HookEvent, services: Services) -> NewMemory | None:
    assert isinstance(event, PostToolUse)
    output = await handle(event, services)
    if output is None:
        return None
    [memory] = output.memories
    return memory


@pytest.mark.parametrize(
    ("note", "content"),
    [
        ("null", None),
        ("string", SENTENCE * 8),
        ("empty string", None),
        ("list of blocks", SENTENCE * 8),
        ("object bash", SENTENCE * 8),
        ("object webfetch", SENTENCE * 8),
        ("object websearch", f"題名 https://example.com/1\n{SENTENCE * 8}"),
        ("object write", SENTENCE * 8),
        ("object edit", SENTENCE * 8),
        ("number", None),
        ("bool", None),
        ("nested strings only", SENTENCE * 8),
        ("199 chars", None),
        ("200 chars", None),
        ("201 chars", "あ" * 201),
        ("key absent", None),
    ],
)
async def test_of_every_shape_of_response_the_human_text_is_kept(
    note: str, content: str | None, services: Services
) -> None:
    """Over 200 characters means 201 of them, not bytes and not JSON."""
    memory = await kept(validated(SHAPES[note]), services)

    assert (memory and memory.content) == content


def test_the_case_has_no_other_shapes() -> None:
    assert len(SHAPES) == 16


@pytest.mark.parametrize(
    ("name", "target", "begin"),
    [
        ("Write-create", "/home/user/project/src/app.py", "def main():\n    print('hello')"),
        ("WebFetch-200", "https://docs.example.test/docs", "The page documents the widget API."),
        (
            "WebSearch",
            "anyio task groups",
            (
                "AnyIO documentation https://anyio.readthedocs.io/\n"
                "Tasks https://anyio.readthedocs.io/en/stable/tasks.html\n"
                "AnyIO task groups start child tasks"
            ),
        ),
        ("Edit", None, None),
        ("NotebookEdit", None, None),
        ("Write-update", None, None),
        ("WebFetch-404", None, None),
    ],
)
async def test_of_a_captured_response_what_the_tool_produced_is_kept(
    name: str, target: str | None, begin: str | None, payloads: Payloads, services: Services
) -> None:
    """None: shorter than the limit, or a page that was not there."""
    memory = await kept(validated(payloads[f"PostToolUse-{name}"]), services)

    assert (memory and memory.target) == target
    assert memory is None or memory.content.startswith(begin or "")


async def test_only_the_tools_that_produce_something_are_routed(payloads: Payloads) -> None:
    names = [name for name in payloads if name.startswith("PostToolUse-")]

    routed = {
        payloads[name]["tool_name"] for name in names if handlers_of(validated(payloads[name]))
    }

    assert routed == {"Edit", "Write", "NotebookEdit", "WebFetch", "WebSearch"}


@pytest.mark.parametrize("name", ["mcp__notes__Write", "write", "MultiEdit", "Bash", ""])
def test_no_other_tool_is_routed_whatever_it_is_called(name: str) -> None:
    assert handlers_of(tool(name, "x" * 500)) == ()


@pytest.mark.parametrize(
    "response",
    [
        {"newString": "new", "oldString": "OLD" * 100, "originalFile": "OLD" * 100},
        {"filePath": "/a", "oldString": "OLD" * 100, "structuredPatch": [{"lines": ["OLD" * 99]}]},
        {"content": "", "originalFile": "OLD" * 100},
        {"new_source": "b", "old_source": "OLD" * 100, "original_file": "OLD" * 100},
    ],
)
@pytest.mark.parametrize("name", ["Edit", "Write", "NotebookEdit"])
async def test_what_was_there_before_is_never_kept(
    name: str, response: Any, services: Services
) -> None:
    assert await kept(tool(name, response, file_path="/a"), services) is None


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ([{"type": "image", "source": {"type": "base64", "data": FILE}}], "an image block"),
        ({"result": f"![logo](data:image/png;base64,{FILE})"}, "a data URI"),
        ({"result": f"data:font/woff2;charset=utf-8;base64,{FILE}"}, "with a parameter"),
        ({"image": FILE}, "an unknown field"),
        ({"result": FILE.replace("+", "-").replace("/", "_")}, "the form for URLs"),
        ({"result": base64.encodebytes(bytes(range(256)) * 20).decode()}, "in lines of 76"),
    ],
)
async def test_an_encoded_file_is_no_text(response: Any, why: str, services: Services) -> None:
    assert await kept(tool("WebFetch", response, url="https://example.com/"), services) is None, why


async def test_text_around_an_encoded_file_is_kept(services: Services) -> None:
    page = f"<p>{SENTENCE * 8}</p><img src='data:image/png;base64,{FILE}'><p>end</p>"

    memory = await kept(tool("Write", {"content": page}, file_path="/a.html"), services)

    assert memory is not None
    assert FILE[:100] not in memory.content
    assert memory.content.startswith(f"<p>{SENTENCE}")
    assert memory.content.endswith("characters of base64 left out]'><p>end</p>")


@pytest.mark.parametrize(
    "text", ["x" * 300, "0123456789abcdef" * 30, "-" * 300, "a/b-c_" * 60, "AbC1 " * 60]
)
async def test_long_words_that_are_no_encoded_file_stay(text: str, services: Services) -> None:
    memory = await kept(tool("Write", {"content": text}, file_path="/a"), services)

    assert memory is not None
    assert memory.content == text.strip()


@pytest.mark.parametrize(
    ("response", "target", "why"),
    [
        ({"code": 404, "result": "x" * 300}, "https://example.com/", "not found"),
        ({"code": 503, "result": "x" * 300}, "https://example.com/", "server error"),
        ({"error": "failed", "content": "x" * 300}, "/a", "the tool says so"),
        *(
            ({"content": "x" * 300}, path, "a file of secrets")
            for path in (
                "/p/.env", "/p/.env.production", "/p/prod.env", "/home/u/.ssh/id_rsa", "/p/tls.KEY",
                "/p/a.pem", "/home/u/.netrc", "/home/u/.aws/credentials", "C:\\p\\.env",
                "/p/.npmrc",
            )
        ),
    ],
)  # fmt: skip
async def test_failures_and_files_of_secrets_are_not_kept(
    response: Any, target: str, why: str, services: Services
) -> None:
    field = "url" if target.startswith("http") else "file_path"

    assert await kept(tool("Write", response, **{field: target}), services) is None, why


@pytest.mark.parametrize("path", ["/p/environment.md", "/p/keyboard.py", "/p/id_rsa.pub"])
async def test_files_with_similar_names_are_kept(path: str, services: Services) -> None:
    assert await kept(tool("Write", {"content": "x" * 300}, file_path=path), services)


async def test_a_long_result_keeps_head_and_tail_around_a_note(services: Services) -> None:
    body = "begin " + "x" * 500_000 + " end"

    memory = await kept(tool("Write", {"content": body}, file_path="/a"), services)

    assert memory is not None
    assert len(memory.content) <= 4000
    assert memory.content.startswith("begin ")
    assert memory.content.endswith(" end")
    assert "characters left out" in memory.content


async def test_a_memory_names_tool_target_session_and_time(services: Services) -> None:
    memory = await kept(tool("Write", {"content": "x" * 300}, file_path="/a"), services)

    assert memory is not None
    assert memory.model_dump(exclude={"key", "content"}, exclude_defaults=True) == {
        "source": "tool:Write",
        "created_at": services.now(),
        "tags": ("tool_use", "write"),
        "tool": "Write",
        "target": "/a",
        "session_id": "s",
        "message_id": "toolu_1",
    }


async def test_the_same_result_has_the_same_key_in_one_project_only(
    services: Services, limited: Callable[..., Services]
) -> None:
    """Equal long ones too, though what is stored of them is cut."""
    event = tool("Write", {"content": "x" * 300}, file_path="/a")
    longer = tool("Write", {"content": "x" * 9000 + "1" + "x" * 9000}, file_path="/a")
    other = tool("Write", {"content": "x" * 9000 + "2" + "x" * 9000}, file_path="/a")
    elsewhere = replace(services, project_key="other")

    memories = [
        await kept(event, services),
        await kept(event, limited(tool_max_chars=250)),
        await kept(event, elsewhere),
        await kept(tool("Edit", {"newString": "x" * 300}, file_path="/a"), services),
        await kept(tool("Write", {"content": "x" * 300}, file_path="/b"), services),
        await kept(longer, services),
        await kept(other, services),
    ]

    keys = [memory.key for memory in memories if memory]
    assert keys[0] == keys[1]
    assert len(set(keys[1:])) == 6


def test_an_unknown_shape_of_a_known_tool_gives_its_texts() -> None:
    response = {"newShape": {"text": "new"}, "originalFile": "old"}

    assert produced(tool("Write", response)) == ["new"]

"""Credentials in prompts, results, pages and notes are never stored."""

import json
import os
import re
from typing import Any, Final

import pytest

from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    Make,
    Playground,
    assistant,
    session_start,
    skill,
    stop,
    tool_use,
    user,
)
from tests.cases_tests.six_secrets import NEEDLES, PRIVATE, SECRETS, TEXT, leaks


def exported(ground: Playground) -> str:
    """Return all that commands tell about what was captured."""
    commands = (
        ("replay", "--last", "3", "--json"),
        ("replay", "--last", "3"),
        ("events", "export"),
        ("events", "--json"),
        ("events", "--dead", "--json"),
        ("logs", "--json"),
        ("search", "keepthistext", "-n", "50", "--json"),
        ("stats", "--json"),
    )
    told = []
    for command in commands:
        ran = ground.product.command(*command)
        assert ran.code == 0, ran.err
        told.append(ran.out.decode() + ran.err)
    dead = ground.product.home / "dead"
    for path in dead.iterdir():
        ran = ground.product.command("replay", path.name, "--json")
        told.append(ran.out.decode() + ran.err)
    return "\n".join(told)


def in_write(path: str) -> dict[str, Any]:
    """Return the event of a file that was written."""
    response = {"type": "create", "filePath": path, "content": TEXT}
    return tool_use("Write", response, file_path=path, content=TEXT)


EVENTS: Final = {
    "a written file of keys": in_write("/home/user/proj/.env"),
    "an ordinary file": in_write("/home/user/proj/notes.md"),
    "an edit": tool_use("Edit", {"newString": TEXT, "oldString": TEXT}, file_path="/a.py"),
    "a page": tool_use("WebFetch", {"result": TEXT}, url="https://example.com/"),
    "an address": tool_use(
        "WebFetch", {"result": "本文" * 150}, url=f"https://example.com/?token={NEEDLES[1]}"
    ),
    "another tool": tool_use("Bash", {"stdout": TEXT}, command=f"echo '{TEXT}'"),
    "a skill's arguments": skill("review", args=TEXT),
    "a skill's name": skill(SECRETS["github-token"]),
    "a typed command": {
        **session_start(),
        "hook_event_name": "UserPromptExpansion",
        "command_name": "review",
        "command_args": TEXT,
        "prompt": f"/review {TEXT}",
    },
    "a final answer without a transcript": stop(
        "/nonexistent/t.jsonl", last_assistant_message=TEXT
    ),
    "a subagent": {**stop("/nonexistent/t.jsonl"), "hook_event_name": "SubagentStop", "x": TEXT},
    "an unrouted event": {**session_start(), "hook_event_name": "Notification", "message": TEXT},
    "an event's name": {**session_start(), "hook_event_name": SECRETS["github-token"]},
    "a session's id": {**stop("/nonexistent/t.jsonl"), "session_id": SECRETS["github-token"]},
    "a transcript's path": stop(f"/nonexistent/{SECRETS['github-token']}.jsonl"),
    "a key": tool_use("WebFetch", {SECRETS["aws-key"]: TEXT}, url="https://example.com/"),
}


@pytest.mark.parametrize("place", EVENTS)
async def test_six_kinds_of_secret_reach_no_file(place: str, pipeline: Pipeline) -> None:
    """Neither the store nor its log, a log file or the model gets one."""
    printed = await pipeline.handle(EVENTS[place])

    assert await pipeline.rows("SELECT count(*) FROM events") == [(1,)]
    assert not leaks(printed)
    assert not leaks(pipeline.everything())


def test_six_kinds_of_secret_reach_no_output_of_any_command(make: Make) -> None:
    """Replay, export, listings, logs and search tell none, nor do the hooks themselves."""
    ground = make()

    for event in EVENTS.values():
        ran = ground.hook(event)
        assert not leaks(ran.out)
        assert not leaks(ran.err)

    assert not leaks(exported(ground))
    assert not leaks(ground.product.everything())


def test_six_kinds_of_secret_in_a_prompt_and_an_answer_are_taken_out(make: Make) -> None:
    """What stands beside them stays findable; marks name their kinds."""
    ground = make()
    tool = {"type": "tool_use", "name": "Bash", "input": {"command": TEXT}}
    calling = assistant("a2", "")
    calling["message"]["content"] = [tool]
    ground.write_transcript(user("u1", TEXT), assistant("a1", TEXT + " answertext"), calling)

    ground.stop(last_assistant_message=TEXT + " answertext")

    assert ground.product.finds("keepthistext")
    assert ground.product.finds("answertext")
    assert not leaks(ground.product.command("replay", "--json").out)
    assert not leaks(ground.product.everything())
    (memory,) = ground.memories()
    assert set(re.findall(r"\[redacted:([a-z-]+)\]", memory)) == set(SECRETS)


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(json.dumps(in_write("/a.md"))[:-3].encode(), id="cut off"),
        pytest.param(
            json.dumps(in_write("/a.md"), ensure_ascii=False)[:-3].encode(), id="cut off, raw"
        ),
        pytest.param(TEXT.encode(), id="no JSON"),
        pytest.param(json.dumps([TEXT]).encode(), id="an array"),
        pytest.param(json.dumps({"text": TEXT}).encode(), id="no event name"),
        pytest.param(json.dumps({"text": TEXT}).encode("utf-16")[:-4], id="UTF-16"),
        pytest.param(b"\xff" + TEXT.encode(), id="a bad byte"),
        pytest.param(
            json.dumps({"hook_event_name": [], "DB_PASSWORD": "hunter2-FAKE-Passw0rd"}).encode(),
            id="a name's value",
        ),
    ],
)
async def test_secrets_in_unreadable_input_are_not_kept_with_it(
    payload: bytes, pipeline: Pipeline
) -> None:
    await pipeline.handle(payload)

    assert len(os.listdir(pipeline.app.home.dead)) == 1
    assert os.listdir(pipeline.app.home.spool) == []
    everything = pipeline.everything()
    assert not leaks(everything)
    # Interleaved NUL bytes hide nothing from a reader who knows UTF-16.
    assert not leaks(everything.replace(b"\0", b""))


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("", id="in the newest block"),
        pytest.param("あ" * 900 + "\n", id="near the cut"),
        pytest.param("あ" * 2300 + "\n", id="at the cut"),
    ],
)
def test_secrets_in_context_are_not_injected(before: str, make: Make) -> None:
    """The file keeps them, byte for byte: it is the person's own. The index does not."""
    ground = make()
    context = ground.notes / "CONTEXT.md"
    context.write_text(f"# CONTEXT\n\n## 2026-06-11 鍵\n{before}{TEXT}\n", encoding="utf-8")

    ran = ground.hook(session_start())
    ground.hook(skill("鍵"))

    assert "2026-06-11" in ran.context
    assert not leaks(ran.out)
    assert not leaks(ground.product.command("replay", "--last", "3", "--json").out)
    assert not leaks(ground.product.everything())


async def test_no_part_of_a_secret_at_the_border_of_a_cut_is_injected(pipeline: Pipeline) -> None:
    """A secret is taken out before the text is shortened: half a key has no shape."""
    key = SECRETS["github-token"]
    for length in range(2000, 3300, 7):
        context = pipeline.notes / "CONTEXT.md"
        context.write_text(f"## 2026-06-11 x\n{'あ' * length}\n{key}", encoding="utf-8")
        assert key[:10] not in await pipeline.context(session_start())


PEM_BODY: Final = ["RkFLRUZBS0VG" + f"{number:04d}" + "QUtF" * 12 for number in range(60)]
SPREAD: Final = {
    "a private part over two headings": (
        (f"# A\n<private>\n## 2026-06-01 B\nx {PRIVATE}1\n## 2026-06-02 C\ny {PRIVATE}2\n"
        f"</private>\n## 2026-06-03 D\nafterword\n"),
        [PRIVATE],
    ),
    "a private part that begins above the first block": (
        f"<private>\n## 2026-06-01 B\n{PRIVATE}\n</private>\n## 2026-06-03 D\nafterword\n",
        [PRIVATE],
    ),
    "a key block longer than a section": (
        "## 2026-06-01 B\n-----BEGIN " + "PRIVATE KEY-----\n" + "\n".join(PEM_BODY)
        + "\n-----END " + "PRIVATE KEY-----\n## 2026-06-03 D\nafterword\n",
        PEM_BODY,
    ),
}  # fmt: skip


@pytest.mark.parametrize("why", SPREAD)
def test_a_secret_that_is_spread_over_sections_of_a_note_is_not_indexed(
    why: str, make: Make
) -> None:
    ground = make()
    text, needles = SPREAD[why]
    (ground.notes / "CONTEXT.md").write_text(text, encoding="utf-8")

    told = ground.hook(session_start()).context
    hits = ground.product.search("afterword")

    assert [hit["line"] for hit in hits] == [text[: text.index("## 2026-06-03")].count("\n") + 1]
    assert not leaks(told, needles)
    assert not leaks(ground.product.everything(), needles)


@pytest.fixture
def keys(make: Make) -> Playground:
    """The twelve kinds of key, made by the case's own script."""
    ground = make("X01")
    ground.run_make()
    return ground


def needles_of(ground: Playground) -> list[str]:
    """Return the case's needles."""
    return (ground.folder / "needles.txt").read_text(encoding="utf-8").split()


def test_no_key_of_a_prompt_a_result_or_a_failing_event_is_kept(keys: Playground) -> None:
    needles = needles_of(keys)
    text = json.loads((keys.folder / "store.json").read_bytes())["content"]

    keys.hook(keys.payload("stop.json"))
    keys.hook(keys.payload("payload.json"))
    written = {**keys.payload("payload.json"), "tool_input": {"file_path": "/home/user/a.md"}}
    keys.hook(written)
    keys.hook(json.dumps(written).encode()[:-2])

    told = exported(keys)
    assert not leaks(told, needles)
    assert not leaks(keys.product.everything(), needles)
    assert keys.product.finds("secretlist")
    assert keys.product.finds("keepthistext")
    assert len(needles) > 12
    (turn,) = (text for text in keys.memories() if text.startswith("[user]"))
    assert turn.count("[redacted:") >= len(needles)
    assert "@db.example.invalid:3306/books" in turn
    assert text.split("\n")[0] in turn


def test_a_written_file_of_keys_is_no_memory_at_all(keys: Playground) -> None:
    keys.hook(keys.payload("payload.json"))

    assert keys.memories() == []
    (line,) = keys.logged("tool_result_skipped")
    assert line["reason"] == "file of secrets"


FAILING: Final = """
import sys
from types import ModuleType
from runtime import routes
from runtime.routes import Route

async def handle(event, services):
    raise ValueError(str(event.model_dump()))

module = ModuleType("failing")
module.handle = handle
sys.modules["failing"] = module
for name in list(routes.ROUTES):
    routes.ROUTES[name] = (Route("failing"),)
from runtime.client import main
main([])
"""


def test_a_failure_that_quotes_the_event_does_not_carry_its_secrets_into_logs_and_rows(
    make: Make, run_script: Any
) -> None:
    ground = make()

    run_script(ground, FAILING, EVENTS["an ordinary file"])

    assert ground.logged("handler_failed")
    assert ground.rows("SELECT outcome FROM events") == [("failed",)]
    assert not leaks(ground.product.command("events", "export").out)
    assert not leaks(ground.product.everything())


def test_an_event_that_waits_for_a_broken_store_waits_without_its_secrets(make: Make) -> None:
    """The spool may have to hold it for weeks."""
    ground = make()
    config = ground.product.home / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[store]\npath = "/dev/null/memory.db"\n', encoding="utf-8")
    ground.write_transcript(user("u1", TEXT))

    ground.hook(EVENTS["an ordinary file"])
    ground.hook(EVENTS["a final answer without a transcript"])

    assert len(list((ground.product.home / "spool").iterdir())) == 2
    assert not leaks(ground.product.everything())

    config.unlink()
    assert ground.product.finds("keepthistext")
    assert list((ground.product.home / "spool").iterdir()) == []


def test_the_helper_that_looks_for_leaks_finds_one() -> None:
    assert leaks(f"x{SECRETS['jwt']}y") == [SECRETS["jwt"]]

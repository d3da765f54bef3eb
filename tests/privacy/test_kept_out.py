"""What is kept out is in no file of the home: looked for in all their bytes."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import anyio
import pytest

from runtime import reader
from runtime.app import build
from runtime.aside import Fate
from runtime.drain import drain_all
from runtime.events.query import Selection, select
from runtime.ignore_files import NAME
from runtime.paths import Home
from runtime.pipeline import handle
from runtime.spool import TRIES_MAX, Captured
from runtime.store.connection import fetch_all
from tests.longterm.session import Session, answer, prompt, tool_use
from tests.privacy.conftest import Opened, everything
from tests.spooled import put

MARK = "zanzibarquux"
TEXT = f"the {MARK} factory opens in the spring, as was decided by everybody\n" * 9
FIELDS = {
    "Edit": ("file_path", "newString"),
    "Write": ("file_path", "content"),
    "NotebookEdit": ("notebook_path", "new_source"),
    "WebFetch": ("url", "result"),
}


def used(tool: str, target: str, cwd: Path | str, name: str = "PostToolUse") -> dict[str, Any]:
    field, produced = FIELDS[tool]
    return {
        "hook_event_name": name,
        "cwd": str(cwd),
        "tool_name": tool,
        "tool_input": {field: target, "content": TEXT, "prompt": TEXT},
        "tool_response": {produced: TEXT, "filePath": target},
    }


def of(project: Path) -> dict[str, str]:
    return {"project": str(project), "event": "PostToolUse"}


@pytest.mark.parametrize("tool", ["Edit", "Write", "NotebookEdit"])
@pytest.mark.parametrize("target", ["{}/secrets/plan.md", "secrets/plan.md", "{}/x/../secrets/a"])
@pytest.mark.parametrize("name", ["PostToolUse", "PreToolUse"])
async def test_nothing_of_an_ignored_file_is_kept(
    tool: str, target: str, name: str, home: Home, project: Path, opened: Opened
) -> None:
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    event = used(tool, target.format(project), project, name)

    async with opened() as app:
        fate = await handle(put(home, event, facts=of(project)), app)
        (stored,) = await select(app.opened.connection, Selection())

    assert fate is Fate.DONE
    assert MARK.encode() not in everything(home)
    assert b"secrets" not in everything(home)
    assert (stored.event.outcome, stored.event.reason) == ("ignored", "an ignored path")
    assert stored.payload is None


@pytest.mark.parametrize(
    ("patterns", "address"),
    [
        (["wiki.corp.example"], "https://wiki.corp.example/plan?x=1"),
        (["*.corp.example"], "https://me:pw@Wiki.Corp.Example:8443/plan"),
        (["corp.example/private/"], "https://corp.example/private/plan#top"),
    ],
)
async def test_nothing_of_an_ignored_address_is_kept(
    patterns: list[str], address: str, home: Home, project: Path, opened: Opened
) -> None:
    async with opened(ignore_paths=patterns) as app:
        await handle(put(home, used("WebFetch", address, project), facts=of(project)), app)

    assert MARK.encode() not in everything(home)
    assert b"corp.example" not in everything(home).lower()


async def test_what_is_not_ignored_is_kept(home: Home, project: Path, opened: Opened) -> None:
    (project / NAME).write_text("secrets/\n!secrets.md\n", encoding="utf-8")

    async with opened(ignore_paths=["*.pem"], ignore_tools=["Bash"]) as app:
        event = used("Write", str(project / "secrets.md"), project)
        await handle(put(home, event, facts=of(project)), app)
        rows = await fetch_all(app.opened.connection, "SELECT target FROM memories")

    assert [row["target"] for row in rows] == [str(project / "secrets.md")]


@pytest.mark.parametrize("patterns", [["Write"], ["W*"], ["mcp__*", "*rite"]])
async def test_nothing_of_an_ignored_tool_is_kept(
    patterns: list[str], home: Home, project: Path, opened: Opened
) -> None:
    async with opened(ignore_tools=patterns) as app:
        await handle(put(home, used("Write", "a.md", project), facts=of(project)), app)
        (stored,) = await select(app.opened.connection, Selection())

    assert MARK.encode() not in everything(home)
    assert stored.event.reason == "an ignored tool"


async def test_a_batch_of_calls_is_kept_only_when_each_may_be(
    home: Home, project: Path, opened: Opened
) -> None:
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    calls = [
        {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "a"},
        {
            "tool_name": "Bash",
            "tool_input": {"command": "cat 'secrets/plan.md' | head"},
            "tool_response": TEXT,
        },
    ]
    event = {"hook_event_name": "PostToolBatch", "cwd": str(project), "tool_calls": calls}

    async with opened() as app:
        await handle(put(home, event, facts=of(project)), app)

    assert MARK.encode() not in everything(home)


@pytest.mark.parametrize(("is_there", "kept"), [(True, False), (False, True)])
async def test_a_bare_word_of_a_command_counts_when_it_names_something(
    is_there: bool, kept: bool, home: Home, project: Path, opened: Opened
) -> None:
    """`make build` is no reason to drop a turn where there is no such folder."""
    (project / NAME).write_text("build/\n", encoding="utf-8")
    if is_there:
        (project / "build").mkdir()
    event = {
        "hook_event_name": "PostToolUse",
        "cwd": str(project),
        "tool_name": "Bash",
        "tool_input": {"command": "make build"},
        "tool_response": {"stdout": TEXT},
    }

    async with opened() as app:
        await handle(put(home, event, facts=of(project)), app)
        (stored,) = await select(app.opened.connection, Selection())

    assert (stored.payload is not None) is kept


OFF = [
    {"off_projects": ["shop"]},
    {"off_projects": ["sh*"]},
    {"off_projects": ["{}"]},
    {"ignore_paths": ["{}/"]},
]


@pytest.mark.parametrize("capture", OFF)
async def test_of_a_project_that_is_off_nothing_is_kept_at_all(
    capture: dict[str, list[str]], home: Home, project: Path, opened: Opened
) -> None:
    """Not even a row: the project's name is its owner's too."""
    given = {key: [item.format(project) for item in value] for key, value in capture.items()}
    told: list[bytes] = []

    async with opened(**given) as app:
        event = used("Write", "a.md", project)
        fate = await handle(put(home, event, facts=of(project)), app, told.append)
        start = {"hook_event_name": "SessionStart", "cwd": str(project)}
        await handle(put(home, start, number=18), app, told.append)
        rows = await select(app.opened.connection, Selection())

    assert (fate, told, rows) == (Fate.DONE, [b"", b""], [])
    assert MARK.encode() not in everything(home)
    assert b"shop" not in everything(home)


@pytest.mark.parametrize("text", ["*", "# all of it\n*\n", "**\n", "/*"])
async def test_a_file_that_ignores_everything_turns_the_project_off(
    text: str, home: Home, project: Path, opened: Opened
) -> None:
    (project / NAME).write_text(text, encoding="utf-8")

    async with opened() as app:
        await handle(put(home, used("Write", "a.md", project), facts=of(project)), app)
        rows = await select(app.opened.connection, Selection())

    assert rows == []
    assert MARK.encode() not in everything(home)


async def test_a_file_above_the_project_holds_too(
    home: Home, project: Path, opened: Opened
) -> None:
    (project.parent / NAME).write_text("shop/\n", encoding="utf-8")

    async with opened() as app:
        await handle(put(home, used("Write", "a.md", project), facts=of(project)), app)
        rows = await select(app.opened.connection, Selection())

    assert rows == []


async def test_a_linked_worktree_has_the_rules_of_the_main_one(
    home: Home, project: Path, opened: Opened, tmp_path: Path
) -> None:
    """The file need not be tracked, so the worktree may have none of its own."""
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    git = project / ".git" / "worktrees" / "w"
    git.mkdir(parents=True)
    (git / "commondir").write_text("../..\n", encoding="utf-8")
    tree = tmp_path / "elsewhere"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {git}\n", encoding="utf-8")

    async with opened() as app:
        event = used("Write", f"{tree}/secrets/plan.md", tree)
        await handle(put(home, event, facts=of(tree)), app)

    assert MARK.encode() not in everything(home)


async def test_a_file_reached_by_a_link_is_ignored(
    home: Home, project: Path, opened: Opened, tmp_path: Path
) -> None:
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    (project / "secrets").mkdir()
    (tmp_path / "link").symlink_to(project / "secrets")

    async with opened() as app:
        event = used("Write", f"{tmp_path}/link/plan.md", tmp_path)
        await handle(put(home, event, facts=of(tmp_path)), app)

    assert MARK.encode() not in everything(home)


@pytest.mark.parametrize("is_off", [True, False])
async def test_input_that_cannot_be_read_is_not_put_aside(
    is_off: bool, home: Home, project: Path, opened: Opened
) -> None:
    """It may be about an ignored file: that is what cannot be read."""
    capture = {"off_projects": ["shop"]} if is_off else {"ignore_paths": ["secrets/"]}

    async with opened(**capture) as app:
        await handle(put(home, f'{{"x": "{MARK}'.encode(), facts=of(project)), app)

    assert MARK.encode() not in everything(home)
    assert list(Path(home.dead).iterdir()) == []


async def test_what_is_given_up_is_not_put_aside(home: Home, project: Path, opened: Opened) -> None:
    suffix = f".try{TRIES_MAX}"
    put(home, used("Write", "a.md", project), suffix=suffix, facts=of(project))

    async with opened(ignore_paths=["secrets/"]) as app:

        async def context_of(_facts: dict[str, str]) -> Any:
            return app

        await drain_all(home, context_of)

    assert MARK.encode() not in everything(home)
    assert list(Path(home.spool).iterdir()) == []


async def test_what_has_to_wait_waits_without_its_content(
    home: Home, project: Path, opened: Opened
) -> None:
    """A store that is away for weeks must not leave it in the spool for weeks."""
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    event = put(home, used("Write", f"{project}/secrets/a.md", project), facts=of(project))

    async with opened() as app:
        fate = await handle(event, build(home, app.settings, None))
        waiting = everything(home)
        (name,) = [path.name for path in Path(home.spool).iterdir()]

        async def context_of(_facts: dict[str, str]) -> Any:
            return app

        await drain_all(home, context_of)
        (stored,) = await select(app.opened.connection, Selection())

    assert (fate, name) == (Fate.WAITS, event.id)
    assert MARK.encode() not in waiting
    assert stored.event.reason == "an ignored path"


async def in_session(app: Any, path: Path, *lines: bytes, last: str) -> list[str]:
    session = Session(app, path)
    await session.write(*lines)
    await session.fire("Stop", last=last)
    return await session.stored()


HIDDEN_CALLS = [
    tool_use("a1", "Read", file_path="{}/secrets/plan.md"),
    tool_use("a1", "Bash", command="cat {}/secrets/plan.md"),
    tool_use("a1", "Grep", pattern="x", path="{}/secrets"),
]


@pytest.mark.parametrize("call", HIDDEN_CALLS)
async def test_a_turn_that_touched_an_ignored_file_is_not_kept(
    call: bytes, home: Home, project: Path, opened: Opened, tmp_path: Path
) -> None:
    """Its answer may quote the file in any of its words; the turns around it are kept."""
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    lines = [
        prompt("u0", "What is the retry policy?"),
        answer("a0", "Three attempts."),
        prompt("u1", "And when does it open?"),
        call.replace(b"{}", str(project).encode()),
        answer("a2", TEXT),
    ]

    async with opened() as app:
        stored = await in_session(app, tmp_path / "t.jsonl", *lines, last=TEXT)

    assert ["Three attempts" in text for text in stored] == [True]
    assert MARK.encode() not in everything(home)


async def test_a_prompt_that_brings_in_an_ignored_file_is_not_kept(
    home: Home, project: Path, opened: Opened, tmp_path: Path
) -> None:
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    lines = [prompt("u1", f"Sum up @{project}/secrets/plan.md"), answer("a1", TEXT)]

    async with opened() as app:
        stored = await in_session(app, tmp_path / "t.jsonl", *lines, last=TEXT)

    assert stored == []
    assert MARK.encode() not in everything(home)


async def test_a_turn_that_was_kept_before_it_touched_one_goes(
    home: Home, project: Path, opened: Opened, tmp_path: Path
) -> None:
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    async with opened() as app:
        session = Session(app, tmp_path / "t.jsonl")
        await session.write(prompt("u1", "When does it open?"), answer("a1", "I shall look."))
        await session.fire("Stop", last="I shall look.")
        assert len(await session.stored()) == 1

        await session.write(
            tool_use("a2", "Read", file_path=f"{project}/secrets/plan.md"), answer("a3", TEXT)
        )
        await session.fire("Stop", last=TEXT)

        assert await session.stored() == []


async def test_an_ignored_tool_is_not_named_in_a_turn(
    home: Home, opened: Opened, tmp_path: Path
) -> None:
    lines = [
        prompt("u1", "Look it up."),
        tool_use("a1", "WebFetch", url="https://example.com/plan"),
        tool_use("a2", "Read", file_path="/nowhere/a.md"),
        answer("a3", "Done."),
    ]

    async with opened(ignore_tools=["Web*"]) as app:
        (text,) = await in_session(app, tmp_path / "t.jsonl", *lines, last="Done.")

    assert "[tools] Read /nowhere/a.md" in text
    assert "WebFetch" not in text


async def test_an_answer_without_its_transcript_is_not_kept_where_there_are_rules(
    home: Home, opened: Opened, tmp_path: Path
) -> None:
    async with opened(ignore_paths=["secrets/"]) as app:
        await Session(app, tmp_path / "missing.jsonl").fire("Stop", last=TEXT)

    assert MARK.encode() not in everything(home)


def test_a_hook_that_answers_by_itself_leaves_it_to_the_worker(home: Home, project: Path) -> None:
    """The worker knows whether the project is off."""
    payload = json.dumps({"source": "resume", "cwd": str(project)}).encode()
    event = Captured("1-1", {"event": "SessionStart", "project": str(project)}, payload)
    before = reader.answer(home, event)
    (project / NAME).write_text("*\n", encoding="utf-8")

    assert (before, reader.answer(home, event)) == (b"", None)


async def test_the_dump_of_the_database_holds_nothing_of_it(
    home: Home, project: Path, opened: Opened
) -> None:
    (project / NAME).write_text("secrets/\n", encoding="utf-8")
    async with opened() as app:
        event = used("Write", f"{project}/secrets/a.md", project)
        await handle(put(home, event, facts=of(project)), app)

    def dump() -> str:
        with sqlite3.connect(home.database) as connection:
            return "\n".join(connection.iterdump())

    assert MARK not in await anyio.to_thread.run_sync(dump)

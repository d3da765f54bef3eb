"""What a hook process tells while the worker is away: never more than the dispatcher would."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest

from runtime import reader
from runtime.notes.indexer import reindex
from runtime.paths import Home
from runtime.project import identify
from runtime.spool import Captured
from runtime.store.longterm import Origin, keep
from runtime.store.store import open_store
from schemas.records import NewMemory

AT = datetime(2026, 6, 11, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(str(tmp_path / "home?#%41"))
    made.prepare()
    return made


def fill(home: Home, project: Path, *memories: NewMemory, notes: tuple[str, ...] = ()) -> None:
    origin = Origin(project.name, identify(str(project)).key, None, "machine")

    async def run() -> None:
        async with open_store(home.database, 5) as store:
            async with store.transaction() as connection:
                for memory in memories:
                    await keep(connection, memory, origin, AT)
            if notes:
                await reindex(store, notes, 10_000)

    anyio.run(run)


def memory(key: str, content: str, **fields: Any) -> NewMemory:
    return NewMemory(key=key, content=content, source="session", created_at=AT, **fields)


def asked(home: Home, project: Path, facts: dict[str, str] | None = None, **own: Any) -> str | None:
    payload = {
        "hook_event_name": "PreToolUse",
        "cwd": str(project),
        "tool_name": "Skill",
        "tool_input": {"skill": "review", **own},
    }
    event = Captured(
        "1-1.ask",
        {"event": "PreToolUse", **(facts or {})},
        json.dumps(payload, ensure_ascii=False).encode(),
    )
    answer = reader.answer(home, event)
    return None if answer is None else answer.decode()


def test_an_earlier_run_is_told_and_keeps_its_place(home: Home, tmp_path: Path) -> None:
    """A run that is also found by its name is not told later for that."""
    runs = [memory(f"k{n}", f"review run{n}", skills=("review",)) for n in range(5)]
    fill(home, tmp_path / "shop", *runs, memory("w", "review review review written"))

    told = asked(home, tmp_path / "shop")

    assert told is not None
    assert [f"run{n}" in told for n in range(5)] == [True] * 5
    assert "written" not in told
    assert json.loads(told)["hookSpecificOutput"]["hookEventName"] == "PreToolUse"


def test_another_projects_memory_is_not_told(home: Home, tmp_path: Path) -> None:
    fill(home, tmp_path / "other", memory("k", "review foreign", skills=("review",)))

    assert asked(home, tmp_path / "shop") == ""


def test_where_another_project_fills_the_page_the_dispatcher_looks(
    home: Home, tmp_path: Path
) -> None:
    many = [memory(f"o{n}", f"review foreign {n}") for n in range(60)]
    fill(home, tmp_path / "other", *many)

    assert asked(home, tmp_path / "shop") is None


def test_a_note_is_told_until_it_changes(home: Home, tmp_path: Path) -> None:
    note = Path(home.notes, "a.md")
    note.write_text("## 2026-06-01 review\nshown\n", encoding="utf-8")
    fill(home, tmp_path / "shop", notes=(home.notes,))
    before = asked(home, tmp_path / "shop")

    note.write_text("## 2026-06-01 review\n<private>shown</private>\n", encoding="utf-8")

    assert before is not None
    assert "shown" in before
    assert asked(home, tmp_path / "shop") is None


def test_notes_of_another_sessions_folder_are_not_told(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "client"
    folder.mkdir()
    (folder / "a.md").write_text("## 2026-06-01 review\nclientword\n", encoding="utf-8")
    fill(home, tmp_path / "shop", notes=(str(folder),))

    assert asked(home, tmp_path / "shop") == ""


@pytest.mark.parametrize(
    "facts",
    [
        {"entrypoint": "sdk-py"},
        {"entrypoint": "sdk-ts"},
        {"nested": "1"},
        {"env.MEMORY_DIRS": "/elsewhere"},
    ],
)
def test_a_session_that_settings_may_treat_otherwise_is_the_dispatchers(
    home: Home, tmp_path: Path, facts: dict[str, str]
) -> None:
    fill(home, tmp_path / "shop", memory("k", "review run", skills=("review",)))

    assert asked(home, tmp_path / "shop", facts) is None


def test_how_an_event_is_kept_changes_no_answer(home: Home, tmp_path: Path) -> None:
    fill(home, tmp_path / "shop", memory("k", "review run", skills=("review",)))

    assert asked(home, tmp_path / "shop", {"env.OBOEGAKI_HOOK_DURABLE": "1"})


@pytest.mark.parametrize("section", ["capture", "inject", "notes", "store"])
def test_so_is_one_whose_settings_are_configured(home: Home, tmp_path: Path, section: str) -> None:
    Path(home.config).write_text(f"[{section}]\n", encoding="utf-8")

    assert asked(home, tmp_path / "shop") is None


@pytest.mark.parametrize("name", ["x" * 101, "ghp_" + "a1B2" * 9, "re\x1bview", "re\u202eview", ""])
def test_a_name_that_may_hold_something_is_the_dispatchers(
    home: Home, tmp_path: Path, name: str
) -> None:
    fill(home, tmp_path / "shop", memory("k", "review run", skills=("review",)))

    assert asked(home, tmp_path / "shop", skill=name) is None


def test_a_long_hostile_target_is_told_short_and_clean(home: Home, tmp_path: Path) -> None:
    target = "https://example.com/\x1b[2J\u202e<system-reminder>/" + "a/" * 9000
    fill(home, tmp_path / "shop", memory("k", "review page", target=target))

    told = asked(home, tmp_path / "shop")

    assert told is not None
    assert len(told) < 1500
    assert [sign for sign in ("\x1b", "\\u001b", "\u202e", "<system") if sign in told] == []


def test_a_value_that_looks_like_the_key_is_passed_over(home: Home, tmp_path: Path) -> None:
    fill(home, tmp_path / "shop", memory("k", "review run", skills=("review",)))
    payload = {"cwd": str(tmp_path / "shop"), "tool_input": {"args": "skill", "skill": "review"}}
    event = Captured("1-1.ask", {"event": "PreToolUse"}, json.dumps(payload).encode())

    assert b"run" in (reader.answer(home, event) or b"")

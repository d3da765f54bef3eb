"""Cleaning up by command: looked at, planned, applied, and taken back."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.paths import Home
from tests.cli.conftest import Run

TEXT = "\n".join(f"line {number} of the account of the retry policy" for number in range(12))


def written(text: str, path: str = "/nowhere/shop/a.md", session: str = "s") -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": session,
        "cwd": "/nowhere/shop",
        "tool_name": "Write",
        "tool_input": {"file_path": path},
        "tool_response": {"content": text},
    }


@pytest.fixture
def filled(home: Home, run: Run, capture: Callable[..., str]) -> Home:
    capture(written(TEXT), number=1)
    capture(written(TEXT + "\nand one line more", "/nowhere/shop/b.md", "other"), number=2)
    capture(written("something else\n" * 30, "/nowhere/shop/c.md"), number=3)
    assert run("stats").exit_code == 0
    return home


def test_without_options_it_only_says_what_could_go(filled: Home, run: Run, run_json: Any) -> None:
    shown = run("longterm", "cleanup")
    report = run_json("longterm", "cleanup")

    assert "3 memories, 0 pinned; 1 could go" in shown.stdout
    assert "near-duplicate: 1\n  #1 " in shown.stdout
    assert "alike, #2 stays" in shown.stdout
    assert [item["id"] for item in report["candidates"]] == [1]
    assert run_json("stats")["memories"] == 3


def test_a_plan_is_applied_and_undone(
    filled: Home, run: Run, run_json: Any, tmp_path: Path
) -> None:
    plan = str(tmp_path / "plan.ndjson")
    made = run("longterm", "cleanup", "--plan", plan, "--take", "near-duplicate")

    applied = run_json("longterm", "cleanup", "--apply", plan)
    after = run_json("stats")["memories"]
    undone = run_json("longterm", "cleanup", "--undo", plan)

    assert "1 memory proposed, 1 of them to go" in made.stderr
    assert (applied["done"], after) == ([1], 2)
    assert (undone["done"], run_json("stats")["memories"]) == ([1], 3)
    assert stat.S_IMODE(Path(plan).stat().st_mode) == 0o600


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_where_nothing_could_go_no_plan_is_written(
    home: Home, run: Run, tmp_path: Path, form: tuple[str, ...]
) -> None:
    plan = tmp_path / "plan.ndjson"

    result = run("longterm", "cleanup", "--plan", str(plan), *form)
    shown = run("longterm", "cleanup", "--plan", "-")

    assert result.exit_code == 0
    assert "nothing to clean up; no plan was written" in result.stderr
    assert not plan.exists()
    assert shown.stdout == ""


def test_a_plan_that_is_there_is_not_overwritten(filled: Home, run: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.ndjson"
    plan.write_text("mine", encoding="utf-8")

    refused = run("longterm", "cleanup", "--plan", str(plan))
    forced = run("longterm", "cleanup", "--plan", str(plan), "--force")

    assert "nothing was written" in str(refused.exception)
    assert forced.exit_code == 0
    assert plan.read_text(encoding="utf-8").startswith("# Memories that could go")


def test_a_plan_that_takes_nothing_says_so(filled: Home, run: Run, tmp_path: Path) -> None:
    plan = str(tmp_path / "plan.ndjson")
    run("longterm", "cleanup", "--plan", plan)

    result = run("longterm", "cleanup", "--apply", plan)

    assert "every one of its 1 lines is still behind #" in str(result.exception)


def test_rules_delete_only_when_asked(filled: Home, run: Run, run_json: Any) -> None:
    rules = '[retention]\nrules = ["kind=tool:Write count=0"]\n'
    Path(filled.config).write_text(rules, encoding="utf-8")

    proposed = run_json("longterm", "cleanup")
    before = run_json("stats")["memories"]
    done = run_json("longterm", "cleanup", "--retention")

    assert "retention" in {item["reason"] for item in proposed["candidates"]}
    assert before == 3
    assert done == {"rules": 1, "deleted": [1, 2, 3]}


def test_a_rule_that_cannot_be_read_is_named(filled: Home, run: Run) -> None:
    Path(filled.config).write_text('[retention]\nrules = ["age=soon"]\n', encoding="utf-8")

    result = run("longterm", "cleanup", "--retention")

    assert "retention.rules" in str(result.exception)
    assert "write it like age=90d" in str(result.exception)


@pytest.mark.parametrize(
    "options", [("--plan", "a", "--apply", "b"), ("--plan", "-", "--json"), ("--take", "whim")]
)
def test_what_does_not_go_together_is_refused(options: tuple[str, ...], run: Run) -> None:
    assert run("longterm", "cleanup", *options).exit_code == 2


def test_a_deleted_memory_is_purged_by_its_id(
    filled: Home, run: Run, run_json: Any, tmp_path: Path
) -> None:
    plan = str(tmp_path / "plan.ndjson")
    run("longterm", "cleanup", "--plan", plan, "--take", "all")
    run("longterm", "cleanup", "--apply", plan)

    shown = run("longterm", "purge")
    kept = run_json("longterm", "purge", "--older-than", "30", "--yes")
    done = run_json("longterm", "purge", "1", "--yes")
    undone = run_json("longterm", "cleanup", "--undo", plan)

    assert "--yes does it" in shown.stderr
    assert kept["memories"] == []
    assert (done["purged"], done["events"]) == (True, 2)
    assert undone["done"] == []


def test_what_was_purged_is_no_memory_any_more(
    filled: Home, run: Run, run_json: Any, tmp_path: Path
) -> None:
    run("longterm", "delete", "1")
    run("longterm", "purge", "1", "--yes")

    results = [run("longterm", command, "1") for command in ("restore", "delete", "show")]

    assert ["no memory 1" in str(result.exception) for result in results] == [True] * 3
    assert run_json("longterm", "stats")["deleted"] == 0
    assert run_json("longterm", "list", "--deleted") == []
    assert run_json("longterm", "stats")["shown"]["total"] == 0

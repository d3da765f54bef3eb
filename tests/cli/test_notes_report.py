"""`runtime notes report` and `runtime notes tidy`."""

import json
import os
import stat
from pathlib import Path

import pytest

from runtime.errors import PlanExistsError, PlanUnwritableError
from runtime.paths import Home
from tests.cli.conftest import WRITE

NOTES = """\
# Decisions

## 2026-11-01 Cache
The cache is kept in memory. It is emptied at night.

## 2020-01-01 Empty

## Undated
something \x1b[2J else
"""


@pytest.fixture
def note(home: Home) -> Path:
    path = Path(home.notes) / "a.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(NOTES, encoding="utf-8")
    return path


def test_a_report_lists_what_was_found_and_changes_nothing(run, run_json, note):
    before = note.stat().st_mtime_ns

    shown = run("notes", "report").stdout
    found = run_json("notes", "report")

    assert shown.startswith("3 blocks in 1 file\n\n")
    assert f"older than 90 days: 1\n  2020-01-01  {note}:6  2020-01-01 Empty\n" in shown
    assert f"without a date: 1\n  undated     {note}:8  Undated\n" in shown
    assert "duplicates" not in shown
    assert [place["line"] for place in found["empty"]] == [6]
    assert (note.read_text(encoding="utf-8"), note.stat().st_mtime_ns) == (NOTES, before)


def test_nothing_to_tidy_is_said(run):
    assert run("notes", "report").stdout == "0 blocks in 0 files\nnothing to tidy\n"


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        ("note", "3 blocks in 1 file"),
        ("notes", "3 blocks in 1 file"),
        ("long-term", "1 long-term memory"),
        ("all", "3 blocks in 1 file, 1 long-term memory"),
    ],
)
def test_only_what_was_looked_at_is_counted(run, note, capture, kind, first):
    capture(WRITE)
    run("stats")

    assert run("notes", "report", "--kind", kind).stdout.split("\n")[0] == first


@pytest.mark.parametrize("command", [("notes", "report"), ("search",)])
def test_the_help_names_each_kind_by_one_word(run, command):
    shown = run(*command, "--help").stdout

    assert "[note|long-term" in shown
    assert "notes|" not in shown
    assert "|notes" not in shown


def test_stale_days_and_the_limit_are_the_reader_s(run_json, note, monkeypatch):
    monkeypatch.setenv("MEMORY_FILE_MAX_CHARS", "150")

    found = run_json("notes", "report", "--stale-days", "100000")

    assert found["stale"] == []
    assert found["oversized"] == [{"file": str(note), "chars": len(NOTES), "limit": 150}]


@pytest.mark.parametrize(
    ("kind", "blocks", "memories"), [("notes", 3, 0), ("long-term", 0, 2), ("all", 3, 2)]
)
def test_memories_are_looked_at_when_they_are_asked_for(
    run, run_json, note, capture, kind, blocks, memories
):
    capture(WRITE)
    other = {**WRITE, "tool_input": {"file_path": "/nowhere/shop/other.md"}}
    capture(other, 2)
    run("stats")

    found = run_json("notes", "report", "--kind", kind)
    shown = run("notes", "report", "--kind", kind).stdout

    assert (found["blocks_total"], found["memories_total"]) == (blocks, memories)
    assert len(found["duplicates"]) == (1 if memories else 0)
    assert ("long-term #1" in shown) is bool(memories)


def test_a_long_list_is_cut_and_says_so(run, note):
    texts = [f"## 2020-01-01 {char}\n{char * 9}\n" for char in "ABCDEFGHIJKLMNOPQRSTUVWXY"]
    note.write_text("".join(texts), encoding="utf-8")

    shown = run("notes", "report").stdout

    assert "older than 90 days: 25\n" in shown
    assert "  and 5 more (--json has all)\n" in shown
    assert "2020-01-01 U\n" not in shown


def test_what_was_not_compared_is_said(run, run_json, note, monkeypatch):
    monkeypatch.setattr("runtime.notes.report.BUDGET", 0)
    texts = [f"## 2026-11-01 {n}\nThe limit is {n} minutes after the last action.\n" for n in "12"]
    note.write_text("\n".join(texts), encoding="utf-8")

    found = run_json("notes", "report")
    shown = run("notes", "report").stdout

    assert found["comparison"]["pairs"] == found["comparison"]["uncompared"] == 1
    assert 0.7 < found["comparison"]["most_shared"] < 1
    assert "1 of 1 pair was not compared in full" in shown


def test_a_plan_is_written_once(run, run_json, note, tmp_path):
    plan = tmp_path / "plan.ndjson"

    first = run("notes", "tidy", "--plan", str(plan))
    text = plan.read_text(encoding="utf-8")
    plan.write_text("decided", encoding="utf-8")
    again = run("notes", "tidy", "--plan", str(plan))

    assert (first.exit_code, first.stdout) == (0, "")
    assert "2 operations proposed" in first.stderr
    assert json.dumps({"op": "delete", "file": str(note), "match": "2020-01-01 Empty"}) in text
    assert stat.S_IMODE(plan.stat().st_mode) == 0o600
    assert isinstance(again.exception, PlanExistsError)
    assert plan.read_text(encoding="utf-8") == "decided"
    assert run_json("notes", "tidy", "--plan", str(plan), "--force") == {
        "plan": str(plan),
        "operations": 2,
    }
    assert plan.read_text(encoding="utf-8") == text


def test_a_plan_goes_to_stdout_and_cannot_drive_the_terminal(run, note):
    shown = run("notes", "tidy", "--plan", "-")

    assert shown.stdout.startswith("# Proposals")
    assert "\\u001b[2J" in shown.stdout
    assert "\x1b" not in shown.stdout
    assert not os.path.exists("-")


def test_a_plan_on_stdout_is_no_json_document_and_says_so(run, note):
    result = run("notes", "tidy", "--plan", "-", "--json")

    assert (result.exit_code, json.loads(result.stdout)["error"]) == (2, "usage")
    assert "leave --json out" in result.stderr


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_where_nothing_is_to_be_tidied_no_plan_is_written(run, tmp_path, form):
    plan = tmp_path / "plan"

    result = run("notes", "tidy", "--plan", str(plan), *form)
    shown = run("notes", "tidy", "--plan", "-")

    assert result.exit_code == 0
    assert not plan.exists()
    assert shown.stdout == ""
    if form:
        assert json.loads(result.stdout) == {"plan": None, "operations": 0}
    else:
        assert result.stderr == "nothing to tidy; no plan was written\n"


def test_a_plan_that_cannot_be_written_is_told(run, note, tmp_path):
    result = run("notes", "tidy", "--plan", str(tmp_path / "nowhere" / "plan"))

    assert isinstance(result.exception, PlanUnwritableError)


def test_every_kind_of_finding_is_shown(run, note):
    text = (
        "x" * 3000 + "\n## 2026-01-01 Limit\nthirty minutes\n\n"
        "## 2026-01-02 Limit\nuntil they log out, whatever happens\n\n"
        "## 9999-01-01 Later\n" + "z" * 6000 + "\n"
    )
    note.write_text(text, encoding="utf-8")
    note.with_name("b.md").write_bytes(b"\xff")

    shown = run("notes", "report").stdout

    assert f"after today\n    9999-01-01  {note}:8  9999-01-01 Later\n" in shown
    assert f"same title, other date\n    2026-01-02  {note}:5  2026-01-02 Limit\n" in shown
    assert f"near the limit of characters: 1\n  {len(text):,} of 10,000" in shown
    assert "long texts above the first block: 1\n  3,001 of 10,000 characters" in shown
    assert f"not read: 1\n  {note.with_name('b.md')}: is not UTF-8" in shown


def test_a_plan_that_is_accepted_is_carried_out(run, run_json, note, tmp_path):
    note.write_text(
        NOTES + "\n## 2026-11-02 The cache\nThe cache is kept in memory. It is emptied at noon.\n",
        encoding="utf-8",
    )
    plan = tmp_path / "plan.ndjson"
    run("notes", "tidy", "--plan", str(plan))
    before = note.read_text(encoding="utf-8")

    unedited = run("notes", "batch", str(plan))
    untouched = note.read_text(encoding="utf-8")
    text = plan.read_text(encoding="utf-8").replace("# {", "{").replace("YYYY-MM-DD", "2026-11-30")
    plan.write_text(text.replace("\\u001b[2J ", ""), encoding="utf-8")
    accepted = run("notes", "batch", str(plan))

    assert (unedited.exit_code, untouched) == (1, before)
    assert accepted.exit_code == 0, accepted.output
    found = run_json("notes", "report")
    assert (found["blocks_total"], found["duplicates"], found["undated"]) == (2, [], [])
    assert "noon" in note.read_text(encoding="utf-8")


CLOSING = "## {} 締め日\n毎月{}日に締める。請求書はその翌日に送る。\n"


def test_of_two_that_contradict_the_one_that_is_chosen_stays(run, run_json, note, tmp_path):
    before = CLOSING.format("2026-11-03", 25) + "\n" + CLOSING.format("2026-11-04", 20)
    note.write_text(before, encoding="utf-8")
    plan = tmp_path / "plan.ndjson"
    run("notes", "tidy", "--plan", str(plan))
    text = plan.read_text(encoding="utf-8")

    plan.write_text(text.replace("# {", "{"), encoding="utf-8")
    undecided = run("notes", "batch", str(plan))
    untouched = note.read_text(encoding="utf-8")
    older = next(line for line in text.split("\n") if "2026-11-03" in line and "{" in line)
    plan.write_text(older.removeprefix("# "), encoding="utf-8")
    decided = run("notes", "batch", str(plan))

    assert (undecided.exit_code, untouched) == (1, before)
    assert decided.exit_code == 0, decided.output
    assert note.read_text(encoding="utf-8") == CLOSING.format("2026-11-04", 20)
    assert run_json("notes", "report")["contradictions"] == []

"""The small commands: check-output, search, stats, logs, longterm, reindex, notes."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import anyio
import click
import pytest

from runtime.cli.check_output import HookOutputError, judge
from runtime.cli.output import plain
from runtime.cli.selecting import Since
from runtime.errors import (
    NoteBusyError,
    RotationFailedError,
    UnknownIdError,
    UnreadableFileError,
)
from runtime.locks import try_lock, unlock
from runtime.notes.rotation import lock_path
from runtime.store.index_change import progress
from runtime.store.store import open_store
from schemas.answers import HookAnswer
from tests.cli.conftest import WRITE
from tests.store.indexes import check_index
from tests.store.kept import remember

ANSWER = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "x"}}


@pytest.mark.parametrize(
    "printed", [b"", b"\n", json.dumps(ANSWER).encode(), b"\xef\xbb\xbf{}", b"{}\n"]
)
def test_what_a_hook_may_print(run, printed):
    result = run("check-output", input=printed)

    assert result.exit_code == 0
    assert judge(printed) is None


@pytest.mark.parametrize(
    ("printed", "part"),
    [
        (b"welcome\n{}", "8 bytes before the JSON"),
        (b"welcome\n", "no JSON object"),
        (b"{}{}", "2 bytes after the JSON"),
        (b'{"a": ', "not JSON"),
        (b'{"hookSpecificOutput": {}}', "no hookEventName"),
        (b"[" * 100_000, "no JSON object"),
        (b'{"a":' * 100_000, "not JSON"),
    ],
)
def test_what_a_hook_may_not_print(run, printed, part):
    result = run("check-output", "--json", input=printed)

    assert isinstance(result.exception, HookOutputError)
    assert part in str(result.exception)
    assert json.loads(result.stdout)["ok"] is False


def test_a_search_prints_hits_for_people_and_for_programs(run, run_json, capture):
    capture(WRITE)

    shown = run("search", "期限")
    found = run_json("search", "期限")

    first, second, third, *_rest = shown.stdout.splitlines()
    assert first.startswith("1970-01-01 (event, ")
    assert first.endswith(" years ago)  long-term #1  tool:Write")
    assert second == "  /nowhere/shop/retry.md  ·  shop"
    assert "期限" in third
    assert [hit["id"] for hit in found["hits"]] == [1]
    assert list(found["hits"][0])[:7] == [
        *("id", "kind", "source", "heading", "date", "score", "snippet")
    ]


@pytest.mark.parametrize("query", ["nowhere-to-be-found", "", "\"'*(", "\ud800"])
def test_nothing_found_is_no_error(run, run_json, query):
    result = run("search", "--", query)

    assert (result.exit_code, result.stdout) == (0, "")
    assert "nothing found" in result.stderr


def test_stats_count_what_there_is(home, run, run_json, capture):
    capture(WRITE)
    capture(b"nonsense", 2)
    Path(home.notes).mkdir(exist_ok=True)
    (Path(home.notes) / "a.md").write_text("## 2026-06-11\n\nnote\n", encoding="utf-8")
    run("reindex")
    run("permanent", "create", "--title", "[a] one", "--body", "text")

    found = run_json("stats")
    shown = run("stats").stdout

    counted = ("memories", "notes", "chunks", "events", "spool", "dead", "by_source", "permanent")
    assert {name: found[name] for name in counted} == {
        "memories": 1,
        "notes": 1,
        "chunks": 1,
        "events": 1,
        "spool": 0,
        "dead": 1,
        "by_source": {"tool:Write": 1},
        "permanent": 1,
    }
    assert found["database_bytes"] > 0
    assert "  from tool:Write" in shown
    assert "PostToolUse" in shown


def test_memories_are_marked_and_missing_ones_told(run, run_json, capture):
    capture(WRITE)
    run("stats")

    both = run("longterm", "mark", "1", "7", "--global")

    assert both.stdout == "marked 1\n"
    assert isinstance(both.exception, UnknownIdError)
    assert both.exception.ids == ("7",)
    assert run_json("longterm", "mark", "1", "--pinned") == {"marked": [1], "missing": []}


def test_logs_are_filtered_and_printed(run, capture):
    event_id = capture(WRITE)
    run("stats")

    shown = run("logs", "--event-id", event_id).stdout
    as_json = run("logs", "--handler", "log_tool", "--json").stdout

    assert "outcome=ok" in shown
    assert shown.splitlines()[-1].endswith(event_id + " s")
    assert all(json.loads(line)["event_id"] == event_id for line in as_json.splitlines())
    assert run("logs", "--level", "error").stdout == ""


def test_reindexing_tells_what_changed_and_names_what_cannot_be_read(home, run, run_json):
    Path(home.notes).mkdir(exist_ok=True)
    (Path(home.notes) / "a.md").write_text("## One\n\nx\n", encoding="utf-8")
    (Path(home.notes) / "b.md").write_bytes(b"## \xff\xfe\n")

    first = run("reindex")
    again = run_json("reindex")

    assert first.stdout.startswith("2 files, ")
    assert "b.md" in first.stderr
    assert again["added"] == again["removed"] == 0
    assert again["aside"] == []


def test_reindexing_tells_of_folders_that_are_gone_and_how_to_forget_them(
    home, run, run_json, tmp_path, monkeypatch
):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("## One\n\nx\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_DIRS", f"{tmp_path}/here:{tmp_path}/there")
    run("reindex")
    monkeypatch.setenv("MEMORY_DIRS", f"{tmp_path}/here:{tmp_path}/nowhere")

    told = run("reindex")
    as_json = run_json("reindex")
    forgotten = run("reindex", "--forget")

    assert told.stdout == "1 file, 0 changed: 0 sections added, 1 removed\n"
    assert told.stderr.splitlines() == [
        f"{tmp_path}/nowhere is missing or cannot be read",
        f"1 file of {tmp_path}/there is outside the configured folders: not searched",
        "`runtime reindex --forget` forgets what was not found",
    ]
    assert as_json["aside"] == [
        {"folder": f"{tmp_path}/nowhere", "files": 0, "state": "missing"},
        {"folder": f"{tmp_path}/there", "files": 1, "state": "outside"},
    ]
    assert forgotten.stderr == f"{tmp_path}/nowhere is missing or cannot be read\n"
    assert run_json("stats")["notes"] == 1


def test_notes_are_rotated_by_hand(home, run, run_json, tmp_path):
    context = tmp_path / "memory" / "CONTEXT.md"
    context.parent.mkdir(exist_ok=True)
    context.write_text("".join(f"## {n}\n\nx\n\n" for n in range(4)), encoding="utf-8")

    rotated = run("notes", "rotate", str(context), "-n", "1", "--archive", str(tmp_path / "a.md"))
    again = run_json("notes", "rotate", str(context), "-n", "1")

    assert rotated.stdout == f"archived 3 blocks to {tmp_path / 'a.md'}, kept the newest 1\n"
    assert again == {"archived": 0, "kept": 1, "archive": None}
    assert run("notes", "rotate", str(context), "-n", "1").stdout == "nothing to archive: 1 block\n"
    assert isinstance(run("notes", "rotate", str(tmp_path / "x")).exception, UnreadableFileError)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-06-11T09:30:00Z", "2026-06-11T09:30:00.000Z"),
        ("2026-06-11T09:30:00+09:00", "2026-06-11T00:30:00.000Z"),
    ],
)
def test_a_moment_is_read_as_the_store_keeps_it(text, expected):
    assert Since().convert(text, None, None) == expected


def test_a_time_ago_is_before_now():
    now = datetime.now(UTC).isoformat()

    assert Since().convert("7d", None, None) < Since().convert("90s", None, None) < now


@pytest.mark.parametrize("text", ["", "yesterday", "5", "5w", "٣d", "9" * 30 + "d", "2026-13-01"])
def test_anything_else_is_no_moment(text):
    with pytest.raises(click.BadParameter):
        Since().convert(text, None, None)


def test_models_are_json_wherever_they_stand():
    answer = HookAnswer.model_validate({**ANSWER, "systemMessage": "y"})
    shape = {**ANSWER, "systemMessage": "y"}

    assert plain({"a": [answer, (answer,)], "b": 1}) == {"a": [shape, [shape]], "b": 1}


def test_what_was_stored_cannot_drive_the_terminal(run, capture):
    payload = {**WRITE, "tool_response": {"content": "\x1b[2Jclear me " * 30}}
    capture(payload)

    shown = run("search", "clear me").stdout

    assert "\x1b" not in shown
    assert "clear me" in shown


def test_the_store_s_file_may_lie_elsewhere(run, capture, monkeypatch, tmp_path, home):
    monkeypatch.setenv("OBOEGAKI_STORE_PATH", str(tmp_path / "else.db"))
    capture(WRITE, facts={"env.OBOEGAKI_STORE_PATH": str(tmp_path / "else.db")})

    assert run("search", "retry").stdout
    assert not os.path.exists(home.database)


def test_a_note_that_another_process_rewrites_is_left_for_later(run, tmp_path, home):
    context = tmp_path / "CONTEXT.md"
    context.write_text("## 2026-06-02 b\nb\n## 2026-06-01 a\na\n", encoding="utf-8")
    Path(home.run).mkdir(parents=True, exist_ok=True)
    lock = try_lock(lock_path(Path(home.run), context))

    try:
        refused = run("notes", "rotate", str(context), "-n", "1")
    finally:
        unlock(lock)

    assert isinstance(refused.exception, NoteBusyError)
    assert context.read_text(encoding="utf-8").count("## ") == 2


@pytest.mark.parametrize("trouble", ["a folder", "no folder"])
def test_an_archive_that_cannot_be_written_costs_nothing(run, run_json, tmp_path, trouble):
    context, text = tmp_path / "CONTEXT.md", "## b\n\n## a\n"
    context.write_text(text, encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    archive = tmp_path if trouble == "a folder" else tmp_path / "file" / "a.md"

    refused = run("notes", "rotate", str(context), "-n", "1", "--archive", str(archive))

    assert isinstance(refused.exception, RotationFailedError)
    assert str(tmp_path) in str(refused.exception)
    assert context.read_text(encoding="utf-8") == text
    good = tmp_path / "old.md"
    done = run_json("notes", "rotate", str(context), "-n", "1", "--archive", str(good))
    assert (done["archived"], good.read_text(encoding="utf-8")) == (1, "## a\n")


def test_an_archive_that_no_search_reads_is_told(home, run, tmp_path):
    """Older tools moved blocks to where nothing found them, and said nothing of it."""
    context = tmp_path / "CONTEXT.md"

    def told(archive, **environ):
        context.write_text("## b\n\n## a\n", encoding="utf-8")
        words = ("notes", "rotate", str(context), "-n", "1", "--archive", str(archive), "--json")
        return run(*words, env=environ).stderr

    apart, inside = tmp_path / "old.md", Path(home.notes) / "old.md"
    assert f"what lies in {apart} is not searched" in told(apart)
    assert told(inside) == ""
    environ = {"MEMORY_CONTEXT": str(context), "OBOEGAKI_NOTES_ARCHIVE": str(apart)}
    assert told(apart, **environ) == ""


def test_reindexing_goes_through_with_the_index_of_another_tokenizer(home, run):
    async def fill():
        async with open_store(home.database, 5) as store:
            for number in range(9):
                await remember(store, f"{number} " + "何について話したか。 " * 500)
            async with store.transaction() as connection:
                await connection.execute("UPDATE meta SET value = '0' WHERE name GLOB 'tokenizer*'")

    anyio.run(fill)

    run("reindex")

    async def state():
        async with open_store(home.database, 5) as store:
            return await progress(store.connection)

    assert anyio.run(state) is None
    check_index(home.database)

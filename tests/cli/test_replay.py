import sqlite3

import pytest

from runtime.errors import UnknownIdError, UnreadableFileError
from runtime.routes import ROUTES, Route
from tests.cli.conftest import WRITE, bury
from tests.test_dispatcher import handler, raising  # noqa: F401 - a fixture


def memories(home):
    connection = sqlite3.connect(home.database)
    try:
        return connection.execute("SELECT content FROM memories").fetchall()
    finally:
        connection.close()


def forget(home):
    """Delete the memories as a person would who wants them made anew."""
    connection = sqlite3.connect(home.database)
    connection.create_function("index_tokens", 1, lambda text: text, deterministic=True)
    connection.execute("DROP TRIGGER memories_ad")
    connection.execute("DELETE FROM memories")
    connection.commit()
    connection.close()


def test_the_newest_event_is_shown_and_nothing_changes(home, run, capture):
    capture({"hook_event_name": "Later"}, 1)
    event_id = capture(WRITE, 2)
    run("events")
    forget(home)

    result = run("replay")

    assert result.exit_code == 0
    assert result.stdout.startswith(f"{event_id}  PostToolUse")
    assert "  model     PostToolUse\n" in result.stdout
    assert "  handler   handlers.log_tool_result ok" in result.stdout
    assert "  writes    stored  tool:Write" in result.stdout
    assert "  answer    none\n  recorded  the same\n" in result.stdout
    assert memories(home) == []


def test_an_answer_is_shown(run, capture):
    capture({"hook_event_name": "SessionStart"})

    assert "    <runtime-memory>\n    │ Past records" in run("replay").stdout


def test_applying_writes_once(home, run, run_json, capture):
    capture(WRITE)
    run("events")
    forget(home)

    first = run_json("replay", "--apply")
    second = run_json("replay", "--apply")

    assert [item["status"] for result in first for item in result["writes"]] == ["stored"]
    assert [item["status"] for result in second for item in result["writes"]] == ["known"]
    assert len(memories(home)) == 1


def test_failed_events_are_found_and_mended(home, run_json, capture, handler, monkeypatch):  # noqa: F811
    capture({"hook_event_name": "Later"}, 1)
    event_id = capture(WRITE, 2)
    with monkeypatch.context() as patched:
        broken = Route(handler("broken", raising(ValueError("x"))))
        patched.setitem(ROUTES, "PostToolUse", (broken,))
        (failed,) = run_json("events", "--failed")

    (dry,) = run_json("replay", "--failed")
    (applied,) = run_json("replay", "--failed", "--apply")

    assert failed["id"] == dry["id"] == applied["id"] == event_id
    assert failed["reason"] == "broken: ValueError: x"
    assert any("was failed, is ok" in line for line in applied["differences"])
    assert run_json("events", "--failed") == []
    assert len(memories(home)) == 1


def test_an_export_replays_in_another_home(run, run_json, capture, tmp_path, monkeypatch):
    capture(WRITE, facts={"project": "/nowhere/other"})
    run("events", "export", "--output", str(tmp_path / "events.ndjson"))

    monkeypatch.setenv("OBOEGAKI_HOME", str(tmp_path / "second"))
    (result,) = run_json("replay", "--apply", "--file", str(tmp_path / "events.ndjson"))

    assert result["event"]["project"] == "other"
    assert result["differences"] == []
    assert [event["project"] for event in run_json("events")] == ["other"]


def test_a_payload_that_is_no_longer_kept_is_told(home, run, capture):
    event_id = capture(WRITE)
    run("events")
    connection = sqlite3.connect(home.database)
    connection.execute("UPDATE events SET payload = NULL")
    connection.commit()
    connection.close()

    result = run("replay", event_id)

    assert result.exit_code == 0
    assert "no longer kept" in result.stderr


def test_dead_input_is_shown_with_what_is_wrong(home, run, run_json):
    bury(home, "00000000000000000001-1", b"nonsense")

    shown = run("replay", "00000000000000000001-1").stdout
    (result,) = run_json("replay", "00000000000000000001-1")

    assert shown.startswith("00000000000000000001-1  unreadable: not JSON")
    assert result["error"].startswith("not JSON")
    assert result["event"] is None


@pytest.mark.parametrize("event_id", ["none", "../config.toml", "..", "", "/etc/passwd"])
def test_an_unknown_id_is_told(run, event_id):
    result = run("replay", event_id)

    assert isinstance(result.exception, UnknownIdError)
    assert result.exception.ids == (event_id,)


def test_no_event_at_all_is_told(run):
    result = run("replay")

    assert result.exit_code == 0
    assert "no such event" in result.stderr


def test_a_file_that_is_not_there_is_told(run):
    assert isinstance(run("replay", "--file", "/nowhere/x").exception, UnreadableFileError)


def test_a_failing_handler_is_shown(run, capture, handler, monkeypatch):  # noqa: F811
    capture(WRITE)
    run("events")
    broken = Route(handler("broken", raising(ValueError("x"))))
    monkeypatch.setitem(ROUTES, "PostToolUse", (broken,))

    shown = run("replay").stdout

    assert "  outcome   failed (broken: ValueError: x)\n" in shown
    assert "  differs from what was recorded\n    outcome: was ok, is failed\n" in shown

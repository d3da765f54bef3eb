import json
import os

from tests.cli.conftest import WRITE, bury


def test_nothing_yet_is_said_beside_the_result(run, run_json):
    result = run("events")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "no such events" in result.stderr
    assert run_json("events") == []


def test_events_are_listed_oldest_first_with_what_became_of_them(run, capture):
    first = capture({"hook_event_name": "Later"}, 1)
    second = capture(WRITE, 2)

    lines = run("events").stdout.splitlines()

    assert [line.split()[0] for line in lines] == [first, second]
    assert "ignored" in lines[0]
    assert lines[0].endswith("not routed")
    assert "ok" in lines[1].split()


def test_the_newest_twenty_are_listed_unless_asked_otherwise(run_json, capture):
    for number in range(1, 26):
        capture({"hook_event_name": "Later"}, number)

    assert len(run_json("events")) == 20
    assert len(run_json("events", "--last", "25")) == 25
    assert len(run_json("events", "--event", "Later")) == 25
    assert len(run_json("events", "--session", "none")) == 0
    assert len(run_json("events", "--since", "1d")) == 0


def test_dead_input_is_listed_with_how_to_see_it(home, run, run_json):
    bury(home, "00000000000000000001-1", b"nonsense")

    assert run("events", "--dead").stdout == (
        "00000000000000000001-1  8 bytes; `runtime replay 00000000000000000001-1` shows why\n"
    )
    assert run_json("events", "--dead") == [{"id": "00000000000000000001-1", "bytes": 8}]


def test_an_export_is_one_json_object_a_line(run, capture, tmp_path):
    capture(WRITE, 1)
    capture({"hook_event_name": "Later"}, 2)

    result = run("events", "export")
    to_file = run("events", "export", "--event", "Later", "--output", str(tmp_path / "a"))

    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["name"] for line in lines] == ["PostToolUse", "Later"]
    assert lines[0]["payload"]["tool_name"] == "Write"
    assert (to_file.stdout, to_file.stderr) == ("", "events written: 1\n")
    assert os.path.getsize(tmp_path / "a")

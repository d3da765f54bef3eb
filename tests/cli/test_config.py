import os
from pathlib import Path

import pytest

from runtime.errors import SettingsError
from runtime.settings import names


def write(home, text):
    Path(home.config).write_text(text, encoding="utf-8")


def test_show_tells_every_setting_and_where_it_comes_from(home, run_json, monkeypatch):
    write(home, "[capture]\nmin_chars = 300\n")
    monkeypatch.setenv("OBOEGAKI_HOST", "here")
    monkeypatch.setenv("MEMORY_KEEP_N", "7")

    rows = {row["name"]: row for row in run_json("config", "show")}

    assert list(rows) == list(names())
    told = {name: (row["value"], row["origin"]) for name, row in rows.items()}
    assert told["capture.min_chars"] == (300, home.config)
    assert told["host"] == ("here", "$OBOEGAKI_HOST")
    assert told["notes.keep_blocks"] == (7, "$MEMORY_KEEP_N")
    assert told["hook.budget_s"] == (1.0, "default")
    assert rows["host"]["variable"] == "OBOEGAKI_HOST"


def test_show_is_readable_and_tells_problems(home, run):
    write(home, "[capture]\nmin_chars = 'many'\n[notes]\ndirs = ['/a', '/b']\n")

    result = run("config", "show")

    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert any(line.split() == ["notes.dirs", "/a,", "/b", home.config] for line in lines)
    assert any(line.split() == ["notes.archive", "-", "default"] for line in lines)
    assert any(line.split() == ["inject.enabled", "true", "default"] for line in lines)
    assert lines[-1].startswith(f"problem: {home.config}: capture.min_chars = 'many'")


def test_path_tells_where_the_file_lies(home, run):
    assert run("config", "path").stdout == f"{home.config}\n"


def test_check_says_that_all_is_fine(run, run_json):
    assert run("config", "check").stdout == "settings are fine\n"
    assert run_json("config", "check") == {"ok": True, "problems": []}


@pytest.mark.parametrize(
    ("text", "environ", "count"),
    [
        ("[capture]\nmin_chars = 'many'\nmax = 1\n[other]\nx = 1\n", {}, 3),
        ("[capture\n", {}, 1),
        ("", {"OBOEGAKI_CAPTURE_MIN_CHARS": "many", "OBOEGAKI_INJECT_ENABLED": "perhaps"}, 2),
    ],
)
def test_check_tells_everything_that_does_not_fit(home, run, monkeypatch, text, environ, count):
    write(home, text)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    plain = run("config", "check")
    as_json = run("config", "check", "--json")

    assert isinstance(plain.exception, SettingsError)
    assert len(plain.exception.problems) == count
    assert plain.stdout == ""
    assert '"ok": false' in as_json.stdout
    assert isinstance(as_json.exception, SettingsError)


def test_looking_at_settings_makes_no_database(home, run):
    run("config", "show")

    assert not os.path.exists(home.database)

import json

import pytest

from runtime.doctor import client, hooks, redaction
from runtime.install.edit import put_in
from runtime.install.entries import EVENTS, entry
from tests.doctor.findings import level, one

OTHER_PYTHON = {"command": "/gone/python", "args": ["-c", "import sys # oboegaki hook", "Stop"]}


def installed(**more):
    return {**json.loads(put_in("{}").text), **more}


def changed(**keys):
    document = installed()
    for event in EVENTS:
        document["hooks"][event][0]["hooks"] = [{**entry(event), **keys}]
    return document


def test_no_hook_at_all_is_a_warning(place):
    assert level(hooks.check(place), "hooks.registered") == "warning"


@pytest.mark.parametrize(
    ("data", "where", "word"),
    [
        (b"{\n  // mine\n}", ", line 2, column 3", "comment"),
        (b'{"hooks": {"Stop": ', ", line 1, column 20", "JSON"),
        (b'{"a": "\xff"}', "", "UTF-8"),
    ],
)
def test_a_settings_file_that_cannot_be_read_is_named_with_its_place(
    place, claude_settings, data, where, word
):
    claude_settings.write_bytes(data)

    rows = hooks.check(place)

    finding = one(rows, "hooks.settings").finding
    assert finding.level == "problem"
    assert f"{claude_settings}{where}: " in finding.saw
    assert word in finding.saw
    assert "can be read" in one(rows, "hooks.registered").finding.saw


def test_what_install_writes_is_fine(place, claude_settings):
    claude_settings.write_text(json.dumps(installed()), encoding="utf-8")

    assert {row.finding.level for row in hooks.check(place)} == {"ok"}


def test_the_plugin_alone_is_fine(place, claude_settings):
    claude_settings.write_text(
        json.dumps({"enabledPlugins": {"oboegaki@x": True}}), encoding="utf-8"
    )

    assert level(hooks.check(place), "hooks.registered") == "ok"


def test_settings_and_plugin_together_run_hooks_twice(place, claude_settings):
    claude_settings.write_text(
        json.dumps(installed(enabledPlugins={"oboegaki@x": True})), encoding="utf-8"
    )

    assert "twice" in one(hooks.check(place), "hooks.registered").finding.saw


@pytest.mark.parametrize(
    ("theirs", "expected"), [(installed(), "ok"), (changed(command="/bin/sh"), "warning")]
)
def test_two_scopes_run_hooks_twice_unless_the_commands_are_equal(
    place, claude_settings, tmp_path, theirs, expected
):
    claude_settings.write_text(json.dumps(installed()), encoding="utf-8")
    folder = tmp_path / "project" / ".claude"
    folder.mkdir()
    (folder / "settings.local.json").write_text(json.dumps(theirs), encoding="utf-8")

    assert level(hooks.check(place), "hooks.registered") == expected


def test_hooks_that_are_switched_off_are_a_warning(place, claude_settings):
    claude_settings.write_text(json.dumps(installed(disableAllHooks=True)), encoding="utf-8")

    assert level(hooks.check(place), "hooks.disabled") == "warning"


def test_a_missing_event_and_a_narrower_matcher_are_named(place, claude_settings):
    document = installed()
    del document["hooks"]["PreCompact"]
    document["hooks"]["PostToolUse"][0]["matcher"] = "Write"
    claude_settings.write_text(json.dumps(document), encoding="utf-8")

    row = one(hooks.check(place), "hooks.events")

    assert row.finding.saw.endswith("PostToolUse, PreCompact")


@pytest.mark.parametrize(
    ("document", "expected", "why"),
    [
        (changed(command="/gone/python"), "problem", "the interpreter is gone"),
        (
            changed(args=["-c", "sys.path[:0]=['/gone']\nfrom runtime.client import main"]),
            "problem",
            "the package is gone",
        ),
        (changed(command="uv", args=["run", "runtime", "hook"]), "warning", "slow starter"),
    ],
)
def test_a_command_that_cannot_work_or_is_slow_is_told(
    place, claude_settings, program, document, expected, why
):
    program("uv", "exit 0")
    claude_settings.write_text(json.dumps(document), encoding="utf-8")

    assert level(hooks.check(place), "hooks.command") == expected, why


def test_a_shim_is_slow(place, claude_settings, tmp_path):
    shim = tmp_path / "shims" / "python"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\n", encoding="utf-8")
    shim.chmod(0o755)
    claude_settings.write_text(json.dumps(changed(command=str(shim))), encoding="utf-8")

    rows = hooks.check(place)

    assert level(rows, "hooks.command") == "warning"
    assert level(rows, "hooks.form") == "note"


def test_a_broken_settings_file_hides_no_other(place, claude_settings, tmp_path):
    claude_settings.write_text("{ // no", encoding="utf-8")
    folder = tmp_path / "project" / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(installed()), encoding="utf-8")

    assert level(hooks.check(place), "hooks.registered") == "ok"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("2.1.332 (Claude Code)\n", "ok"),
        ("2.1.139 (Claude Code)", "ok"),
        ("2.1.138 (Claude Code)", "problem"),
        ("1.0.999", "problem"),
        ("10.0.0", "ok"),
        ("unknown option", "note"),
        ("", "note"),
    ],
)
def test_the_clients_version_is_compared_with_what_exec_form_needs(said, expected):
    assert client.judge(said).finding.level == expected


@pytest.mark.process
def test_the_client_on_path_is_asked(place, program):
    assert level(client.check(place), "client.version") == "note"

    program("claude", 'test "$1" = --version && echo "2.1.100 (Claude Code)"')

    assert level(client.check(place), "client.version") == "problem"


@pytest.mark.process
def test_a_client_that_does_not_answer_is_only_noted(place, program, monkeypatch):
    monkeypatch.setattr(client, "WAIT_S", 0.05)
    program("claude", "exec /bin/sleep 5")

    assert level(client.check(place), "client.version") == "note"


def test_a_made_up_key_is_taken_out_everywhere(place):
    assert level(redaction.check(place), "redaction.self_test") == "ok"


@pytest.mark.parametrize("way", redaction.WAYS)
def test_one_way_that_lets_keys_through_is_a_problem_and_named(place, way):
    row = one(redaction.check(place, {**redaction.WAYS, way: str}), "redaction.self_test")

    assert row.finding.level == "problem"
    assert way in row.finding.saw
    assert not any(needle in row.finding.saw for needle in redaction.NEEDLES)

"""The plugin's manifests: accepted by every client we name, and of one mind with the code."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from runtime.routes import LOGGED_TOOLS, ROUTES
from tests.plugin.entries import ROOT, events, hooks_document

KNOWN_TO_2_1_197: Final = frozenset(
    {"SessionStart", "UserPromptExpansion", "PreToolUse", "PostToolUse", "Stop", "PreCompact"}
    | {"SessionEnd", "Notification", "UserPromptSubmit", "SubagentStop"}
)
"""One other name, and that client drops the whole file."""
HANDLER_KEYS: Final = {"type", "command", "args", "timeout"}
TIMEOUT_MAX_S: Final = 120
FOLDER: Final = ROOT / ".claude-plugin"


def problems(document: dict[str, Any]) -> list[str]:
    """Return what some client would refuse, or read otherwise than it is meant."""
    if set(document) - {"hooks", "description"}:
        return ["keys beside hooks and description"]
    found = []
    for event, groups in document["hooks"].items():
        if event not in KNOWN_TO_2_1_197:
            found.append(f"{event} is unknown to older clients")
        if not isinstance(groups, list):
            found.append(f"{event} is no list")
            continue
        for group in groups:
            if set(group) - {"matcher", "hooks"}:
                found.append(f"{event} has a group with other keys")
            for handler in group["hooks"]:
                found += [f"{event}: {problem}" for problem in handler_problems(handler)]
    return found


def handler_problems(handler: dict[str, Any]) -> list[str]:
    found = []
    if set(handler) - HANDLER_KEYS:
        found.append("other keys")
    timeout = handler.get("timeout")
    if type(timeout) is not int or not 1 <= timeout <= TIMEOUT_MAX_S:
        found.append("no timeout in whole seconds")
    if "args" not in handler:
        found.append("shell form: a root with a space would be cut there")
    if "${" in handler["command"]:
        found.append("a program whose place depends on a placeholder")
    return found


def manifest(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return value


def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        value: dict[str, Any] = tomllib.load(file)["project"]
    return value


def test_the_hooks_file_is_accepted_by_every_client():
    assert problems(hooks_document()) == []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("bare_map", "no outer hooks key: not loaded at all"),
        ("comment_key", "a key that is no event drops the file on 2.1.197"),
        ("ms_timeout", "a timeout counts in seconds"),
        ("unknown_event", "a newer event drops the file on 2.1.197"),
        ("unquoted", "a placeholder in shell form is cut at a space"),
    ],
)
def test_a_hooks_file_that_some_client_refuses_is_noticed(cases_dir: Path, name: str, why: str):
    document = json.loads((cases_dir / "N01" / "bad" / f"{name}.json").read_text(encoding="utf-8"))

    assert problems(document) != [], why


def test_an_entry_exists_for_each_routed_event_and_no_other():
    assert set(events()) == set(ROUTES)


def test_other_tools_start_no_process():
    hooks = hooks_document()["hooks"]

    assert set(hooks["PostToolUse"][0]["matcher"].split("|")) == LOGGED_TOOLS
    assert hooks["PreToolUse"][0]["matcher"] == "Skill"


def test_all_entries_differ_in_the_event_alone():
    commands = {
        (handler["command"], *args[:3], *args[4:], args[3] == event)
        for event, groups in hooks_document()["hooks"].items()
        for group in groups
        for handler in group["hooks"]
        for args in [handler["args"]]
    }

    assert len(commands) == 1
    assert next(iter(commands))[-1] is True


def test_the_manifest_names_the_hooks_file_once():
    """A path without `./` makes the whole plugin fail; hooks/hooks.json would load as well."""
    assert manifest("plugin.json")["hooks"] == "./hooks.json"
    assert not (ROOT / "hooks").exists()
    assert all("hooks" not in plugin for plugin in manifest("marketplace.json")["plugins"])


def test_the_manifest_and_the_launcher_know_the_version():
    launcher = (ROOT / "bin" / "hook.sh").read_text(encoding="utf-8")

    assert manifest("plugin.json")["version"] == project()["version"]
    assert re.findall(r"^version=(.+)$", launcher, re.MULTILINE) == [project()["version"]]


def test_the_manifest_and_the_project_have_name_and_licence_in_common():
    plugin = manifest("plugin.json")

    assert plugin["name"] == project()["name"]
    assert plugin["license"] == project()["license"]


def test_the_marketplace_offers_this_folder():
    (plugin,) = manifest("marketplace.json")["plugins"]

    assert plugin["name"] == manifest("plugin.json")["name"]
    assert plugin["source"] == "./"

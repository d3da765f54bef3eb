"""Both ways of installing, with the real client."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from runtime import __version__
from runtime.install.skills import FILE, NAMES, originals
from tests.e2e_client.model import Model, call
from tests.e2e_client.world import ROOT, World, wait_until

pytestmark = pytest.mark.client

NOT_PUBLISHED = shutil.ignore_patterns(
    ".*_cache", ".cache", ".git", ".venv", "__pycache__", "tests"
)
PACKAGE_INDEX = {
    name: value
    for name, value in os.environ.items()
    if name.startswith(("PIP_", "UV_")) or name.lower() in {"http_proxy", "https_proxy", "no_proxy"}
}
"""How this machine gets packages; the client's own environment holds none of it."""


def test_what_one_session_learns_the_next_one_is_told(installed: World, model: Model):
    notes = Path(installed.home.notes)
    notes.mkdir(parents=True, exist_ok=True)
    written = "## 2026-11-30 締め切り\n\n- 決定: 月次の締めは25日 (KIRIKO-25)。\n"
    model.answer(
        "決めたことを書いて",
        [call("Write", file_path=str(notes / "CONTEXT.md"), content=written)],
        "書きました。締めは25日です (SUMI-1)。",
    )
    model.answer("What is under way?", "The closing day.")

    first = installed.client.run("決めたことを書いて", "--add-dir", str(notes))
    second = installed.client.run("What is under way?")

    assert (first.code, second.code) == (0, 0)
    (request,) = model.asked_after("What is under way?")
    assert "KIRIKO-25" in request
    assert "Past records kept by oboegaki" in request
    installed.settle()
    (turn,) = [text for text in installed.memories() if "SUMI-1" in text]
    assert "決めたことを書いて" in turn


@pytest.mark.parametrize("what", [".", ".claude-plugin/plugin.json"])
def test_the_client_finds_nothing_to_complain_about_in_the_plugin(world: World, what: str):
    ran = world.client.command("plugin", "validate", "--strict", str(ROOT / what))

    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_model_s_shell_has_the_command_that_it_is_told_of(world: World, model: Model):
    world.install_as_plugin()
    model.answer(
        "Is there a memory?",
        [call("Bash", command="runtime --version", description="Look for the command")],
        "There is.",
    )

    world.client.run("Is there a memory?")

    before, after = model.asked_after("Is there a memory?")
    assert "runtime search" in before
    assert f"oboegaki, version {__version__}" in after


@pytest.mark.parametrize(("way", "name"), [("plugin", "oboegaki:recall"), ("settings", "recall")])
def test_a_skill_reaches_the_model_with_a_command_that_runs(
    way: str, name: str, world: World, model: Model
):
    if way == "plugin":
        world.install_as_plugin()
    else:
        world.install_as_settings("--skills")
        # A person has the command on the PATH.
        here = os.path.dirname(sys.executable)
        world.client.environ["PATH"] = f"{here}:{world.client.environ['PATH']}"
    model.answer(
        "前に何を決めた？",
        [call("Skill", skill=name)],
        [call("Bash", command='runtime search "再試行 方針" -n 5 --json', description="Search")],
        "記憶にはありません。",
    )

    ran = world.client.run("前に何を決めた？")

    assert ran.results == ["記憶にはありません。"]
    _first, with_skill, with_hits = model.asked_after("前に何を決めた？")
    assert "The answer lists `hits`" in with_skill
    assert (f"{ROOT}/bin/runtime" in with_skill) is (way == "plugin")
    assert '\\"hits\\": []' in with_hits


@pytest.mark.timeout(240)
def test_every_skill_of_the_plugin_can_be_called_by_the_model(world: World, model: Model):
    world.install_as_plugin()
    asked = "Show me what you can do with the memory."
    model.answer(asked, *([call("Skill", skill=f"oboegaki:{name}")] for name in NAMES), "All.")

    ran = world.client.run(asked)

    assert ran.results == ["All."]
    _first, *with_skills = model.asked_after(asked)
    assert len(with_skills) == len(NAMES)
    for name, request in zip(NAMES, with_skills, strict=True):
        text = (originals() / name / FILE).read_text(encoding="utf-8")
        heading = next(line for line in text.splitlines() if line.startswith("# "))
        assert heading.removeprefix("# ") in request


@pytest.mark.timeout(240)
def test_a_fresh_plugin_makes_its_environment_and_then_works(world: World, model: Model, tmp_path):
    """The first session is not held up; the folder has a space and Japanese in its name."""
    root = tmp_path / "plug in" / "プラグイン"
    shutil.copytree(ROOT, root, ignore=NOT_PUBLISHED)
    world.client.environ |= PACKAGE_INDEX
    world.client.environ["PATH"] = f"{sys.base_prefix}/bin:{world.client.environ['PATH']}"
    world.install_as_plugin(root)
    model.answer("one", "Answer ALPHA.")
    model.answer("two", "Answer BETA.")
    data = world.client.config / "plugins" / "data"

    first = world.client.run("one")
    log = next(data.rglob("prepare.log"))
    wait_until(lambda: any(data.rglob("ready-mcp")) or any(data.rglob("*.failed*")), 200)
    second = world.client.run("two")

    assert (first.code, second.code) == (0, 0)
    assert any(data.rglob("ready")), log.read_text(encoding="utf-8")
    assert any(data.rglob("ready-mcp")), log.read_text(encoding="utf-8")
    assert "How this memory works" in model.asked_after("two")[0]
    world.settle()
    assert ["BETA" in kept for kept in world.memories()] == [True]


def test_a_project_with_folders_named_like_ours_is_no_danger(installed: World, model: Model):
    """Its `runtime` is found first by whoever starts Python there without care."""
    for name in ("runtime", "handlers", "schemas", "anyio"):
        installed.client.write(f"{name}/__init__.py", "raise SystemExit(2)\n")
    installed.client.environ["PYTHONPATH"] = "."
    model.answer("the only question", "Answer OMEGA.")

    ran = installed.client.run("the only question")

    assert ran.results == ["Answer OMEGA."]
    installed.settle()
    assert ["OMEGA" in kept for kept in installed.memories()] == [True]


def test_installed_in_both_ways_it_keeps_each_turn_once(world: World, model: Model):
    world.install_as_settings()
    world.install_as_plugin()
    model.answer("the only question", "Answer OMEGA.")

    world.client.run("the only question")

    world.settle()
    assert ["OMEGA" in kept for kept in world.memories()] == [True]


def test_uninstalled_it_leaves_the_client_alone(world: World, model: Model):
    world.install_as_settings()
    world.uninstall()
    model.answer("the only question", "Answer OMEGA.")

    ran = world.client.run("the only question")

    assert ran.results == ["Answer OMEGA."]
    assert "How this memory works" not in model.asked_after("the only question")[0]
    assert not Path(world.home.database).exists()

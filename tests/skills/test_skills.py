"""The skills: commands that run as they are printed, and front matter that every host reads."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
import pytest

from runtime.cli.main import group
from runtime.install.skills import FILE, NAMES, originals
from runtime.paths import Home
from tests.spooled import put

ROOT: Final = Path(__file__).resolve().parents[2]
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SPAN: Final = re.compile(r"`(runtime [a-z][^`]*)`")
FRONT: Final = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
DESCRIPTION_CHARS: Final = 1024
"""What the format allows."""
JAPANESE: Final = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")
LIMIT_S: Final = 60
NOTES: Final = {
    "decisions.md": "## 2026-06-01 再試行の方針\n決定: 3回まで。理由: 負荷。\n\n"
    "## 2026-07-01 再試行の方針\n決定: 3回まで。理由: 負荷。\n",
}
"""For the tidying to find something in."""


def text_of(name: str) -> str:
    return (originals() / name / FILE).read_text(encoding="utf-8")


def printed(name: str) -> list[str]:
    """Return the commands of a skill as they are printed, in order."""
    return [block.strip("\n") for block in BLOCK.findall(text_of(name))]


def spans() -> Iterator[tuple[str, str]]:
    for name in NAMES:
        for command in SPAN.findall(text_of(name)):
            yield name, command


CAPTURED: Final = "".join(f"line {n} of an account of the retry policy\n" for n in range(12))
"""The same for long-term memories."""


def captured(text: str, path: str) -> dict[str, object]:
    """Return the event of a file that was written."""
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": path},
        "tool_response": {"content": text},
    }


class Shell:
    """A person's shell in a home of its own."""

    def __init__(self, folder: Path, path: str) -> None:
        self.folder = folder
        self._environ = {
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "OBOEGAKI_WORKER_ENABLED": "0",
            "PATH": os.pathsep.join([path, "/usr/bin", "/bin"]),
            "CLAUDE_PLUGIN_ROOT": str(ROOT),
            **{key: value for key, value in os.environ.items() if key.startswith("COVERAGE_")},
        }

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path, str(Path(sys.executable).parent))


@pytest.mark.process
@pytest.mark.parametrize("name", NAMES)
def test_every_command_runs_as_it_is_printed(name: str, shell: Shell) -> None:
    if name == "memory-gc":
        notes = shell.folder / ".oboegaki" / "notes"
        notes.mkdir(parents=True)
        for file, text in NOTES.items():
            (notes / file).write_text(text, encoding="utf-8")
    if name == "long-term-memory-cleanup":
        home = Home(str(shell.folder / ".oboegaki"))
        home.prepare()
        for number, text in enumerate((CAPTURED, CAPTURED + "and one line more\n")):
            put(home, captured(text, f"/nowhere/shop/{number}.md"), number=number + 1)

    if name.startswith("permanent-memory"):
        for number in (1, 2):
            done = shell.run(f'runtime permanent create --title "[a] {number}" --body {number}')
            assert done.returncode == 0, done.stderr

    ran = []
    for command in printed(name):
        for plan in shell.folder.glob(".oboegaki/*-plan.*"):
            take_the_marks_off(plan)
        ran.append((command, shell.run(command)))

    assert [(command, done.stdout + done.stderr) for command, done in ran if done.returncode] == []
    assert len(ran) >= 3


def take_the_marks_off(plan: Path) -> None:
    """Agree to everything that is proposed, the way the skill says."""
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace("# {", "{"), encoding="utf-8")


@pytest.mark.process
def test_what_was_remembered_is_recalled(shell: Shell) -> None:
    for command in printed("remember")[:6]:
        done = shell.run(command)
        assert done.returncode == 0, done.stdout + done.stderr

    old, new = shell.run("runtime search 締め出し"), shell.run("runtime search forms")

    assert "longer than thought" in new.stdout
    assert "half-written" not in new.stdout
    assert "締め出し" not in old.stdout


@pytest.mark.process
@pytest.mark.parametrize("program", ["runtime", '"${CLAUDE_PLUGIN_ROOT}/bin/runtime"'])
def test_the_plugin_s_own_command_does_the_same(program: str, tmp_path: Path) -> None:
    """The client puts the plugin's `bin` on the PATH of the model's shell."""
    shell = Shell(tmp_path, str(ROOT / "bin"))
    command = printed("recall")[0].replace("runtime", program, 1)

    done = shell.run(command)

    assert done.returncode == 0, done.stderr
    assert '"hits": []' in done.stdout


@pytest.mark.parametrize(("name", "command"), list(spans()))
def test_every_command_in_the_text_exists(name: str, command: str) -> None:
    found: click.Command | None = group
    context = click.Context(group)
    for word in command.split()[1:]:
        if not isinstance(found, click.Group):
            break
        found = found.get_command(context, word)
        assert found is not None, f"{name}: {command}"


@pytest.mark.parametrize("name", NAMES)
def test_the_front_matter_is_what_every_host_reads(name: str) -> None:
    """Name and description, each on one line and plain: other fields are not portable."""
    match = FRONT.match(text_of(name))
    assert match is not None
    fields = dict(line.split(": ", 1) for line in match[1].split("\n"))

    assert list(fields) == ["name", "description"]
    assert fields["name"] == name
    description = fields["description"]
    assert len(description) <= DESCRIPTION_CHARS
    # A colon and a space, or a number sign, would be YAML.
    assert not re.search(r": | #|^[\"'>|&*!%@`{\[]", description)
    assert JAPANESE.search(description)
    assert re.search(r"[A-Za-z]{3}", description)


@pytest.mark.parametrize("name", NAMES)
def test_commands_are_shown_in_both_languages(name: str) -> None:
    if name not in {"recall", "remember"}:  # the others name no text of the person's
        return
    commands = printed(name)

    assert any(JAPANESE.search(command) for command in commands)
    assert any(not JAPANESE.search(command) for command in commands)

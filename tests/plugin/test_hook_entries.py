"""The entries' commands under odd roots and with pieces missing: they exit 0, whatever happens."""

import stat
from pathlib import Path
from typing import Final

import pytest

from tests.plugin.entries import (
    ROOT,
    SHELLS,
    TOOLS,
    events,
    make_plugin,
    run_entry,
    write_program,
)
from tests.processes import Product

HOSTILE: Final = [
    ("plug in/プラグイン", "a space, and not ASCII"),
    ("plug'quote", "a quote"),
    ('plug"double', "a double quote"),
    ("plug$HOME", "something a shell would expand"),
    ("plug`touch x`;touch y", "something a shell would run"),
    ("Mobile Documents/com~apple~CloudDocs", "a tilde inside"),
    ("plug*[a]\\n", "a pattern and a backslash"),
]
ECHO: Final = '#!/bin/sh\nprintf "%s|" "$@"\n'
"""Stands in for an interpreter: says what it was given."""


@pytest.mark.process
@pytest.mark.parametrize(("name", "why"), HOSTILE)
def test_the_hook_runs_from_any_root(tmp_path: Path, cases_dir: Path, name: str, why: str):
    product = Product(tmp_path / "home", OBOEGAKI_WORKER_ENABLED="false")
    root = make_plugin(tmp_path / "roots" / name)
    # A path that is cut at the space would start this one, with our rights.
    write_program(tmp_path / "roots" / "plug", "#!/bin/sh\necho WRONG FILE EXECUTED\n")

    ended = run_entry(
        "Stop",
        root,
        stdin=(cases_dir / "N02" / "stop.json").read_bytes(),
        environ=product.environ,
        cwd=tmp_path,
    )

    assert ended == (0, b"", b""), why
    shown = product.command("events", "--json").json
    assert [event["name"] for event in shown] == ["Stop"]
    assert not list(tmp_path.glob("[xy]"))


@pytest.mark.parametrize("event", events())
@pytest.mark.parametrize("shell", SHELLS)
def test_every_entry_hands_its_event_to_the_environment_s_interpreter(
    tmp_path: Path, event: str, shell: str
):
    root = make_plugin(tmp_path / "plug in", environment=False)
    write_program(root / ".venv" / "bin" / "python", ECHO)

    ended = run_entry(event, root, shell=SHELLS[shell])

    words = ended.out.decode().split("|")
    assert words[:3] == ["-I", "-S", "-c"]
    assert words[4:] == [f"{root}/.venv", str(root), event, ""]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_prepared_environment_is_used_when_the_folder_has_none(tmp_path: Path, shell: str):
    root = make_plugin(tmp_path / "plugin", environment=False)
    data = tmp_path / "デー タ"
    venv = prepared(data)
    write_program(venv / "bin" / "python", ECHO)

    ended = run_entry("Stop", root, environ={"CLAUDE_PLUGIN_DATA": str(data)}, shell=SHELLS[shell])

    assert ended.out.decode().split("|")[4:] == [str(venv), str(root), "Stop", ""]


def prepared(data: Path) -> Path:
    """Return an environment's folder that says it can be used."""
    line = next(
        line
        for line in (ROOT / "bin" / "hook.sh").read_text(encoding="utf-8").split("\n")
        if line.startswith("version=")
    )
    venv = data / f"venv-{line.removeprefix('version=')}"
    venv.mkdir(parents=True)
    (venv / "ready").touch()
    return venv


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("root", "why"),
    [
        (None, "the placeholder was left as it stands"),
        ("", "nothing: no path may begin at the file system's root"),
        ("plugins/oboegaki", "relative to whatever folder the session is in"),
    ],
)
def test_without_a_root_the_installed_command_takes_the_event(
    tmp_path: Path, shell: str, root: str | None, why: str
):
    write_program(tmp_path / "bin" / "oboegaki", ECHO)

    ended = run_entry(
        "Stop", root, path=f"{tmp_path}/bin:{TOOLS}", shell=SHELLS[shell], cwd=tmp_path
    )

    assert ended == (0, b"hook|Stop|", b""), why


@pytest.mark.parametrize("shell", SHELLS)
def test_an_installed_command_is_used_while_the_plugin_has_no_environment(
    tmp_path: Path, shell: str
):
    root = make_plugin(tmp_path / "plugin", environment=False)
    write_program(tmp_path / "bin" / "oboegaki", ECHO)

    ended = run_entry("Stop", root, path=f"{tmp_path}/bin:{TOOLS}", shell=SHELLS[shell])

    assert ended == (0, b"hook|Stop|", b"")


def no_folder(_root: Path) -> None:
    return


def no_launcher(root: Path) -> None:
    root.mkdir()


def unreadable_launcher(root: Path) -> None:
    (root / "bin" / "hook.sh").mkdir(parents=True)


def broken_launcher(root: Path) -> None:
    write_program(root / "bin" / "hook.sh", "if then ((\n")


def launcher_that_exits_2(root: Path) -> None:
    write_program(root / "bin" / "hook.sh", "exit 2\n")


def no_environment(root: Path) -> None:
    make_plugin(root, environment=False)


def dangling_interpreter(root: Path) -> None:
    make_plugin(root, environment=False)
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to("/nonexistent/python3")


def interpreter_of_another_machine(root: Path) -> None:
    """A shell that cannot execute a file reads it as a script, and exits 2 for its syntax."""
    make_plugin(root, environment=False)
    write_program(root / ".venv" / "bin" / "python", "\x7fELF (((\n")


def interpreter_that_exits_2(root: Path) -> None:
    make_plugin(root, environment=False)
    write_program(root / ".venv" / "bin" / "python", "#!/bin/sh\nexit 2\n")


def no_modules(root: Path) -> None:
    """The interpreter is there, what it shall import is not (any more)."""
    make_plugin(root)
    (root / "runtime").unlink()
    (root / ".venv").unlink()
    write_program(root / ".venv" / "bin" / "python", '#!/bin/sh\nexec python3 "$@"\n')


MISSING: Final = (
    no_folder,
    no_launcher,
    unreadable_launcher,
    broken_launcher,
    launcher_that_exits_2,
    no_environment,
    dangling_interpreter,
    interpreter_of_another_machine,
    interpreter_that_exits_2,
    no_modules,
)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("broken", MISSING)
def test_a_hook_with_pieces_missing_says_nothing_and_exits_0(tmp_path: Path, broken, shell: str):
    """Exit 2 would block the person's prompts and tools."""
    root = tmp_path / "plugin"
    broken(root)

    ended = run_entry("PreToolUse", root, shell=SHELLS[shell])

    assert (ended.code, ended.out) == (0, b"")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("root", [None, "", "/"])
def test_a_hook_without_anything_says_nothing_and_exits_0(root: str | None, shell: str):
    ended = run_entry("Stop", root, path="/nonexistent", shell=SHELLS[shell])

    assert (ended.code, ended.out) == (0, b"")


def test_the_launcher_s_files_are_no_commands_for_the_model():
    """The client puts the plugin's `bin` on the PATH of the model's shell."""
    commands = [path.name for path in (ROOT / "bin").iterdir() if is_executable(path)]

    assert commands == ["runtime"]


def is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IXUSR)

import os
import subprocess
import sys

import click
import pytest

from runtime.cli.main import COMMANDS, group
from tests.processes import COMMAND, PATIENCE_S


def paths(command=group, path=()):
    """Return the words of every command, groups included."""
    found = [path]
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            found += paths(command.get_command(ctx, name), (*path, name))
    return found


@pytest.mark.parametrize("words", paths(), ids=" ".join)
def test_every_command_has_help(run, words):
    result = run(*words, "--help")

    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: runtime {' '.join(words)}".rstrip())
    assert result.stderr == ""


@pytest.mark.parametrize("words", [words for words in paths() if words], ids=" ".join)
def test_every_option_is_explained(words):
    command, ctx = group, click.Context(group)
    for word in words:
        command = command.get_command(ctx, word)

    options = [item for item in command.params if isinstance(item, click.Option)]
    assert [item.name for item in options if not item.help] == []


def test_an_unknown_command_is_none():
    assert group.get_command(click.Context(group), "nothing") is None


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("search",),
        ("search", "x", "-n", "0"),
        ("search", "x", "--no-such-option"),
        ("events", "--since", "yesterday"),
        ("events", "--since", "99999999999999d"),
        ("events", "--since", "0001-01-01"),
        ("events", "--last", "0"),
        ("events", "--last", "99999999999999999999"),
        ("longterm", "mark", "1"),
        ("longterm", "mark", "99999999999999999999", "--pinned"),
        ("longterm", "mark", "0", "--pinned"),
        ("logs", "--level", "loud"),
        ("config",),
    ],
)
def test_a_mistake_in_usage_exits_2(product, arguments):
    done = product.command(*arguments)

    assert (done.code, done.out) == (2, b"")
    assert "Usage: runtime" in done.err


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "config"),
    [
        (("stats",), "[capture]\nmin_chars = 'many'\n"),
        (("config", "check"), "[capture\n"),
        (("stats",), "[store]\npath = '/dev/null/none/a.db'\n"),
        (("replay", "none"), ""),
        (("replay", "--file", "/nowhere/a.ndjson"), ""),
        (("longterm", "mark", "7", "--pinned"), ""),
        (("notes", "rotate", "/nowhere/CONTEXT.md"), ""),
    ],
)
def test_an_expected_error_exits_1_with_one_line(product, arguments, config):
    product.home.mkdir()
    (product.home / "config.toml").write_text(config, encoding="utf-8")

    done = product.command(*arguments)

    assert (done.code, done.out) == (1, b"")
    assert done.err.startswith("runtime: ")
    assert done.err.count("\n") == 1


@pytest.mark.process
def test_a_home_that_cannot_be_made_is_an_expected_error(product):
    done = product.command("stats", environ={"OBOEGAKI_HOME": "/dev/null/none"})

    assert (done.code, done.out) == (1, b"")
    assert done.err.startswith("runtime: home /dev/null/none cannot be used")


BUG = """
import runtime.cli.stats as stats
async def fails(app):
    raise ValueError("a bug in the product with ghp" + "_a1B2c3D4e5F6g7H8i9J0k1L2")
stats._collect = fails
from runtime.__main__ import main
main()
"""


@pytest.mark.process
@pytest.mark.parametrize("can_write", [True, False])
def test_a_bug_exits_3_and_names_its_report(product, can_write):
    if not can_write:
        (product.home / "logs" / "crash.txt").mkdir(parents=True)
    done = subprocess.run(
        [sys.executable, "-I", "-c", BUG, "stats"],
        capture_output=True,
        timeout=PATIENCE_S,
        env={**os.environ, **product.environ},
        check=False,
    )

    report = product.home / "logs" / "crash.txt"
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"ghp_a1B2" not in done.stderr
    if can_write:
        assert done.stderr.decode() == f"runtime: a bug: ValueError; see {report}\n"
        assert "a bug in the product with [redacted" in report.read_text(encoding="utf-8")
        assert report.stat().st_mode & 0o777 == 0o600
    else:
        assert b"a bug in the product" in done.stderr


@pytest.mark.process
@pytest.mark.parametrize("arguments", [("config", "show", "--json"), ("logs",), ("--help",)])
def test_a_reader_that_has_left_is_told_nothing(product, arguments):
    (product.home / "logs").mkdir(parents=True)
    (product.home / "logs" / "runtime.jsonl").write_text(
        '{"event": "x"}\n' * 5000, encoding="utf-8"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_S,
        env={**os.environ, **product.environ},
        check=False,
    )
    os.close(writing)

    assert done.stderr == b""
    assert done.returncode in {0, 1}


@pytest.mark.process
def test_a_command_loads_its_own_module_only(product):
    code = (
        "import sys; from runtime.cli.main import group, COMMANDS\n"
        "try: group.main(['config', 'path'], prog_name='runtime', standalone_mode=False)\n"
        "finally: print(*sorted(m for m in sys.modules if m.startswith('runtime.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        capture_output=True,
        env={**os.environ, **product.environ},
        check=True,
    )

    loaded = set(done.stdout.decode().split("\n")[1].split())
    own = {place.partition(":")[0] for place in COMMANDS.values()}
    assert loaded & own == {"runtime.cli.config"}


def test_the_hook_s_help_is_a_command_s(run):
    assert "Claude Code starts this" in run("hook", "--help").stdout
    assert run("hook", "Stop").exit_code == 0


@pytest.mark.process
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_full_stdout_is_told_and_is_no_bug(product, form):
    """What was asked for is done all the same."""
    words = ("notes", "append", "--file", "a.md", "--heading", "2026-06-11 a", "--body", "x")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *words, *form],
            env={**os.environ, **product.environ},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=PATIENCE_S,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr.startswith("runtime: stdout cannot be written: ")
    assert done.stderr.count("\n") == 1
    assert not (product.home / "logs" / "crash.txt").exists()
    assert (product.home / "notes" / "a.md").read_text(encoding="utf-8").startswith("## 2026-06")


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2"


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("search", "x", TOKEN, TOKEN, "--no-such"), 2),
        (("reindex", TOKEN), 2),
        (("search", "x", "-n", TOKEN), 2),
        (("notes", "list", "--file", f"{TOKEN}.md"), 1),
        (("notes", "rotate", f"{TOKEN}.md\x1b[31m"), 1),
    ],
)
def test_no_message_holds_a_secret_or_drives_the_terminal(product, arguments, code):
    done = product.command(*arguments)

    assert (done.code, done.out) == (code, b"")
    assert TOKEN not in done.err
    assert "\x1b" not in done.err
    assert done.err


@pytest.mark.parametrize("command", [(), ("longterm",), ("permanent",), ("notes",), ("mcp",)])
def test_a_list_of_commands_cuts_no_sentence_off(run, command):
    shown = run(*command, "--help").stdout

    assert "\nCommands:\n" in shown
    assert "..." not in shown.split("\nCommands:\n")[1]

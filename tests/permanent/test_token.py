"""Where the token comes from, and that it shows itself nowhere."""

import shlex
import sys
from pathlib import Path

import pytest

from runtime.permanent.errors import NotSetUpError
from runtime.permanent.token import Token, find_token

SECRET = "0123456789abcdef-secret"


def find(environ: dict[str, str], *, command: str = "", path: str = "") -> Token:
    return find_token(environ, variable="ESA_ACCESS_TOKEN", command=command, path=path)


def printing(text: str) -> str:
    return shlex.join([sys.executable, "-I", "-S", "-c", f"print({text!r})"])


def test_a_token_comes_from_command_file_or_variable_in_this_order(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("from the file\n".replace(" ", "-"), encoding="utf-8")
    path.chmod(0o600)
    environ = {"ESA_ACCESS_TOKEN": "from-the-variable"}

    assert find(environ).header() == {"Authorization": "Bearer from-the-variable"}
    assert find(environ, path=str(path)).header() == {"Authorization": "Bearer from-the-file"}
    command = printing("from-the-command")
    assert find(environ, command=command, path=str(path)).header() == {
        "Authorization": "Bearer from-the-command"
    }


def test_a_token_shows_nothing_of_itself() -> None:
    token = find({"ESA_ACCESS_TOKEN": SECRET})

    assert SECRET not in f"{token} {token!r} {token.origin}"
    assert not hasattr(token, "__dict__")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    path.write_text(SECRET, encoding="utf-8")
    path.chmod(mode)

    with pytest.raises(NotSetUpError, match=f"mode {mode:04o}.*chmod 600") as caught:
        find({}, path=str(path))

    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("/no/such/program", "cannot be run: No such file"),
        ("unclosed 'quote", "cannot be run"),
        (shlex.join([sys.executable, "-I", "-S", "-c", "raise SystemExit(3)"]), "ended with 3"),
        (printing(""), "no token"),
        (printing("two words"), "no token"),
        (printing("日本語"), "no token"),
    ],
)
def test_a_command_that_gives_no_token_is_told(command: str, problem: str) -> None:
    with pytest.raises(NotSetUpError, match=problem):
        find({"ESA_ACCESS_TOKEN": SECRET}, command=command)


def test_no_token_at_all_is_told_with_all_three_ways() -> None:
    with pytest.raises(NotSetUpError, match=r"ESA_ACCESS_TOKEN.*token_command.*token_file"):
        find({})


def test_a_missing_or_binary_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotSetUpError, match="cannot be read: No such file"):
        find({}, path=str(tmp_path / "none"))
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe")
    path.chmod(0o600)
    with pytest.raises(NotSetUpError, match="is no text"):
        find({}, path=str(path))

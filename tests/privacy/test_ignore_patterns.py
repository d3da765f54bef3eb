"""Patterns of `.gitignore`, with git itself to say what is right."""

import os
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.ignore_files import IgnoreFiles
from runtime.ignore_patterns import Patterns

NAMES = ("a", "b", "ab", "a.b", "secret", "x y", "[", "é", "秘")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository").resolve()
    subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)
    return folder


def git_ignores(folder: Path, files: dict[str, str], paths: list[str]) -> set[str]:
    """Ask git; the files are written as `.gitignore`, of which no path need exist."""
    for name, text in files.items():
        path = folder / name / ".gitignore"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    done = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=folder,
        input=b"\0".join(path.encode() for path in paths) + b"\0",
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"},
    )
    assert done.returncode in (0, 1), done.stderr
    return {path.decode() for path in done.stdout.split(b"\0") if path}


def we_ignore(folder: Path, files: dict[str, str], paths: list[str]) -> set[str]:
    rules = IgnoreFiles(
        lambda at: files.get(os.path.relpath(at, folder)) if at.startswith(str(folder)) else None
    )
    # As git does, which looks whether there is such a folder.
    return {
        path for path in paths if rules.hide(f"{folder}/{path}", is_folder=(folder / path).is_dir())
    }


WILD = "a b ab . * ** *** ? / // [ab] [!a] [^b] [a-c] []a] [[:alpha:]] [[:digit:]] [z-a] [ ] ! # -"
PIECES = st.sampled_from([*WILD.split(" "), "\\*", "\\", "\\ ", " ", "secret", "x y", "秘", "é"])
LINES = st.builds(
    lambda parts, ending: "".join(parts) + ending,
    st.lists(PIECES, max_size=5),
    st.sampled_from(["", "", "/", " ", "\r"]),
)
FILES = st.lists(
    st.one_of(LINES, LINES.map("!".__add__), LINES.map("/".__add__)), min_size=1, max_size=5
).map("\n".join)
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)


def comparable(text: str, paths: list[str]) -> list[str]:
    """Leave out what git takes byte by byte: to us `?` is one character, of any script."""
    is_by_bytes = "?" in text or "[" in text
    return ["a", *(path for path in paths if path.isascii() or not is_by_bytes)]


@pytest.mark.process
@given(text=FILES, paths=st.lists(PATHS, min_size=1, max_size=12))
@settings(max_examples=300)
def test_what_git_ignores_we_ignore_and_nothing_else(
    repository: Path, text: str, paths: list[str]
) -> None:
    files = {".": text}
    paths = comparable(text, paths)

    assert git_ignores(repository, files, paths) == we_ignore(repository, files, paths)


@pytest.mark.process
@given(upper=FILES, lower=FILES, paths=st.lists(PATHS, min_size=1, max_size=12))
@settings(max_examples=100)
def test_a_file_further_down_says_more_about_what_is_below_it(
    repository: Path, upper: str, lower: str, paths: list[str]
) -> None:
    files = {".": upper, "a": lower}
    paths = comparable(upper + lower, paths)
    try:
        assert git_ignores(repository, files, paths) == we_ignore(repository, files, paths)
    finally:
        (repository / "a" / ".gitignore").unlink()


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ("secrets/", "secrets/key.txt", True),
        ("*.pem", "deep/down/server.pem", True),
        ("/notes.md", "docs/notes.md", False),
        ("docs/**/draft.md", "docs/draft.md", True),
        ("秘密/", "秘密/計画.md", True),
        ("*", "anything", True),
    ],
)
def test_usual_lines(line: str, path: str, expected: bool, tmp_path: Path) -> None:
    assert (path in we_ignore(tmp_path, {".": line}, [path])) is expected


def test_composed_and_decomposed_names_are_one() -> None:
    """A Mac may hand out the one where the person has typed the other."""
    patterns = Patterns.of([unicodedata.normalize("NFD", "ガイド.md")])

    assert patterns.says(unicodedata.normalize("NFC", "ガイド.md"), is_folder=False)
    assert Patterns.of(["ガイド.md"]).says(
        unicodedata.normalize("NFD", "ガイド.md"), is_folder=False
    )


def test_case_counts_unless_told_otherwise() -> None:
    assert Patterns.of(["Secret"]).says("secret", is_folder=False) is None
    assert Patterns.of(["Secret"], ignore_case=True).says("secret", is_folder=False)


@given(st.text(max_size=40), PATHS)
def test_any_text_is_read(text: str, path: str) -> None:
    assert Patterns.read(text).says(path, is_folder=False) in (True, False, None)

"""Folders are named in config.toml without touching anything else in it."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import ConfigEditError, UnwritableFileError
from runtime.notes.registering import name_folders

HOME = "/home/a/.oboegaki/notes"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def dirs_in(config: Path) -> list[str]:
    dirs: list[str] = tomllib.loads(config.read_text("utf-8"))["notes"]["dirs"]
    return dirs


@pytest.mark.parametrize(
    "text",
    [
        "",
        'host = "study"\n',
        'host = "study"',
        "[notes]\nkeep_blocks = 3\n",
        "[notes] # mine\n\n[capture]\nmin_chars = 300\n",
        "[capture]\nmin_chars = 300\n\n[ notes ]\n",
        "[notes]\ndirs = []\n",
    ],
)
def test_the_default_folder_is_named_along_with_the_first(config: Path, text: str) -> None:
    """Named alone, the new folder would hide the notes of the home."""
    config.write_text(text, encoding="utf-8")

    assert name_folders(config, ["/m", "/l/context_archive.md"], HOME, dry_run=False)

    assert dirs_in(config) == [HOME, "/m", "/l/context_archive.md"]
    after = config.read_text("utf-8")
    assert [line for line in text.splitlines() if line not in after.splitlines()] in (
        [],
        ["dirs = []"],
    )


@pytest.mark.parametrize(
    "dirs",
    [
        'dirs = ["/a", "/b"]',
        "dirs = ['/a', '/b',]",
        'dirs = [\n    "/a", # one ]\n    "/b" # two, "three"\n]',
        'dirs=["/a","/b"]',
    ],
)
def test_a_folder_is_added_behind_those_that_are_named(config: Path, dirs: str) -> None:
    config.write_text(f"[notes]\n{dirs}\nkeep_blocks = 3\n", encoding="utf-8")

    name_folders(config, ["/b", "/覚書"], HOME, dry_run=False)
    again = name_folders(config, ["/b", "/覚書"], HOME, dry_run=False)

    assert dirs_in(config) == ["/a", "/b", "/覚書"]
    assert not again
    assert tomllib.loads(config.read_text("utf-8"))["notes"]["keep_blocks"] == 3


@pytest.mark.parametrize(
    "text",
    [
        "notes.dirs = ['/a']\n",
        "notes = {dirs = ['/a']}\n",
        '[notes]\n"dirs" = ["/a"]\n',
        '[notes]\ndirs = "/a:/b"\n',
        "[notes]\ndirs = [1]\n",
        "notes = 3\n",
        "[notes\n",
    ],
)
def test_a_form_that_is_not_edited_is_left_alone(config: Path, text: str) -> None:
    config.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigEditError) as caught:
        name_folders(config, ["/m"], HOME, dry_run=False)

    assert "dirs = [" in caught.value.line
    assert config.read_text("utf-8") == text


def test_a_dry_run_writes_nothing(config: Path) -> None:
    assert name_folders(config, ["/m"], HOME, dry_run=True)
    assert not config.exists()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnwritableFileError):
        name_folders(tmp_path / "missing" / "config.toml", ["/m"], HOME, dry_run=False)


def test_what_is_made_is_its_owner_s_alone(config: Path) -> None:
    name_folders(config, ["/m"], HOME, dry_run=False)

    assert config.stat().st_mode & 0o777 == 0o600


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=3, unique=True))
def test_any_path_is_named_as_it_is_or_refused(
    tmp_path_factory: pytest.TempPathFactory, folders: list[str]
) -> None:
    config = tmp_path_factory.mktemp("config") / "config.toml"
    try:
        name_folders(config, folders, HOME, dry_run=False)
    except (ConfigEditError, UnicodeEncodeError):
        assert not config.exists()
    else:
        missing = [folder for folder in folders if folder != HOME]
        assert dirs_in(config) == [HOME, *missing]

"""Which files of the folders are notes."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.notes.finding import HEAVY, NOT_UTF8, find_files, root_of
from tests.notes.shadow import write


def names(root: Path, *ignore: str) -> list[str]:
    found = find_files([str(root)], ignore).files
    return [os.path.relpath(file.path, root) for file in found]


def test_folders_are_walked_with_their_sub_folders_in_order(root: Path) -> None:
    for name in ("b.md", "a.md", "z/a.md", "y/deep/er/c.MARKDOWN", "a.txt"):
        write(root / name, "x")

    assert names(root) == ["a.md", "b.md", "y/deep/er/c.MARKDOWN", "z/a.md"]


@pytest.mark.parametrize("folder", [*sorted(HEAVY), ".git", ".venv", ".obsidian"])
def test_folders_of_other_programs_are_left_out(root: Path, folder: str) -> None:
    write(root / "sub" / folder / "pkg" / "README.md", "x")
    write(root / "a.md", "x")

    assert names(root) == ["a.md"]


def test_a_folder_is_walked_that_is_named_itself_whatever_its_name(tmp_path: Path) -> None:
    write(tmp_path / ".claude" / "venv" / "a.md", "x")

    assert names(tmp_path / ".claude" / "venv") == ["a.md"]


FILES = ("a.md", "draft.md", "drafts/b.md", "sub/drafts/c.md", "sub/2019-x.md", "sub/2020-x.md")


@pytest.mark.parametrize(
    ("patterns", "left_out"),
    [
        ((), ()),
        (("drafts",), ("drafts/b.md", "sub/drafts/c.md")),
        (("drafts/",), ("drafts/b.md", "sub/drafts/c.md")),
        (("draft.md/",), ()),
        (("draft*",), ("draft.md", "drafts/b.md", "sub/drafts/c.md")),
        (("sub/drafts",), ("sub/drafts/c.md",)),
        (("/sub/drafts/",), ("sub/drafts/c.md",)),
        (("/drafts", "./draft.md"), ("draft.md", "drafts/b.md")),
        (("sub/2019*",), ("sub/2019-x.md",)),
        (("20[12][09]-x.md",), ("sub/2019-x.md", "sub/2020-x.md")),
        (("*",), FILES),
        (("", "/"), ()),
        (("[",), ()),
    ],
)
def test_patterns_leave_files_and_folders_out(
    root: Path, patterns: tuple[str, ...], left_out: tuple[str, ...]
) -> None:
    for name in FILES:
        write(root / name, "x")

    assert set(FILES) - set(names(root, *patterns)) == set(left_out)
    for name in FILES:
        seen = root_of(str(root / name), [str(root)], patterns)
        assert (seen is None) == (name in left_out)


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("a.md", True),
        ("sub/a.md", True),
        (".a.md", False),
        (".x/a.md", False),
        ("node_modules/a.md", False),
        ("a.txt", False),
        ("../other/a.md", False),
    ],
)
def test_a_single_path_belongs_to_the_root_in_which_a_walk_would_find_it(
    root: Path, name: str, is_found: bool
) -> None:
    path = os.path.normpath(root / name)

    assert root_of(path, ["/elsewhere", str(root)]) == (str(root) if is_found else None)


def test_a_file_that_is_a_root_needs_no_suffix(root: Path) -> None:
    assert root_of(str(root / "archive"), [str(root / "archive")]) == str(root / "archive")


def test_a_name_that_is_no_utf8_is_told_and_the_rest_is_found(root: Path) -> None:
    write(root / "a.md", "x")
    with open(os.fsencode(root) + b"/\xff\xfe.md", "wb") as file:
        file.write(b"x")

    found = find_files([str(root)])

    assert [os.path.basename(file.path) for file in found.files] == ["a.md"]
    assert found.unread == ((f"{root}/\ufffd\ufffd.md", NOT_UTF8),)


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Let nobody list a folder, not even the superuser."""
    listing = os.scandir

    def lock(folder: Path) -> None:
        def refusing(path: str) -> object:
            if path == str(folder):
                raise PermissionError(13, "Permission denied")
            return listing(path)

        monkeypatch.setattr(os, "scandir", refusing)

    return lock


def test_a_folder_that_cannot_be_read_is_told(root: Path, locked: Callable[[Path], None]) -> None:
    write(root / "a.md", "x")
    write(root / "sub/b.md", "x")
    locked(root / "sub")

    found = find_files([str(root)])

    assert [os.path.basename(file.path) for file in found.files] == ["a.md"]
    assert found.unread == ((f"{root}/sub", "Permission denied"),)
    assert found.walked == {str(root)}


def test_a_root_that_cannot_be_read_was_not_walked(
    root: Path, locked: Callable[[Path], None]
) -> None:
    locked(root)

    assert find_files([str(root), f"{root}/nowhere", "\0"]).walked == frozenset()

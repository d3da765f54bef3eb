import errno
import os
import subprocess
import unicodedata
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runtime.project import identify, project_of, real_path

GIT = (
    "git",
    *("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"),
    *("-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"),
)


def git(folder: Path, *arguments: str) -> None:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        [*GIT, "-C", str(folder), *arguments], capture_output=True, env=environ, check=False
    )
    assert done.returncode == 0, done.stderr


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_a_folder_in_a_repository_belongs_to_the_repository(tmp_path):
    root = repository(tmp_path / "shop")
    inner = root / "src" / "deep"
    inner.mkdir(parents=True)

    assert identify(str(inner)) == identify(str(root))
    assert identify(str(root)).name == "shop"


def test_worktrees_of_one_repository_are_one_project(tmp_path):
    root = repository(tmp_path / "shop")
    git(root, "worktree", "add", "-q", str(tmp_path / "elsewhere"))

    assert identify(str(tmp_path / "elsewhere")) == identify(str(root))


def test_a_worktree_of_a_bare_repository_is_named_after_it(tmp_path):
    root = repository(tmp_path / "shop")
    git(tmp_path, "clone", "-q", "--bare", str(root), str(tmp_path / "store.git"))
    git(tmp_path / "store.git", "worktree", "add", "-q", str(tmp_path / "tree"))

    project = identify(str(tmp_path / "tree"))

    assert project.name == "store"
    assert project.key != identify(str(root)).key


def test_a_bare_repository_is_a_project_by_its_own_folder(tmp_path):
    (tmp_path / "store.git").mkdir()
    git(tmp_path / "store.git", "init", "-q", "--bare")

    assert identify(str(tmp_path / "store.git")).name == "store"


def test_a_submodule_is_a_project_of_its_own(tmp_path):
    library = repository(tmp_path / "library")
    root = repository(tmp_path / "shop")
    git(root, "submodule", "add", "-q", str(library), "vendor/library")

    inner = identify(str(root / "vendor" / "library"))

    assert inner.key != identify(str(root)).key
    assert inner.name == "library"


def test_two_folders_of_one_name_are_two_projects(tmp_path):
    first, second = tmp_path / "a" / "app", tmp_path / "b" / "app"
    first.mkdir(parents=True)
    second.mkdir(parents=True)

    assert identify(str(first)).name == identify(str(second)).name == "app"
    assert identify(str(first)).key != identify(str(second)).key


def test_a_link_to_a_project_is_that_project(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "app")

    assert identify(str(tmp_path / "link")) == identify(str(tmp_path / "app"))


def test_composed_and_decomposed_names_are_one_project():
    """macOS hands out decomposed names."""
    name = "ガイド-é"

    composed = identify("/nowhere/" + unicodedata.normalize("NFC", name))
    decomposed = identify("/nowhere/" + unicodedata.normalize("NFD", name))

    assert composed == decomposed
    assert composed.name == unicodedata.normalize("NFC", name)


def test_a_missing_folder_is_a_project_by_its_path():
    """A captured event may come from another machine."""
    assert identify("/nowhere/app").name == "app"
    assert identify("/nowhere/app") == identify("/nowhere/other/../app")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b"nonsense\n", "no pointer"),
        (b"gitdir:\n", "a pointer to nothing"),
        (b"gitdir: /nowhere/at/all\n", "a pointer into the void"),
        (b"gitdir: \xff\xfe\n", "no UTF-8"),
        (b"gitdir: a\0b\n", "a NUL in the path"),
        (b"\0" * 10_000, "a damaged file"),
    ],
)
def test_a_broken_git_file_is_no_failure(tmp_path, content, why):
    (tmp_path / ".git").write_bytes(content)

    project = identify(str(tmp_path))

    assert project.name, why
    assert identify(str(tmp_path)) == project


def test_a_git_file_that_is_a_loop_of_links_is_no_failure(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / ".git").symlink_to(tmp_path / "app" / ".git")

    assert identify(str(tmp_path / "app")).name == "app"


def test_the_file_system_s_root_has_a_name():
    assert identify("/").name == "/"


def test_a_name_that_is_no_utf8_can_be_stored(tmp_path):
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(folder)

    project = identify(os.fsdecode(folder))

    assert project.name.encode() == b"caf?"
    assert len(project.key) == 16


def test_the_client_s_project_folder_counts_before_its_directory():
    """The directory follows `cd`; the project folder does not."""
    assert project_of({"project": "/nowhere/app", "payload_cwd": "/nowhere/app/src"}).name == "app"
    assert project_of({"payload_cwd": "/nowhere/app"}).name == "app"
    assert project_of({}).name == "/"


@given(st.text() | st.binary().map(os.fsdecode))
def test_any_directory_is_some_project(directory):
    project = project_of({"payload_cwd": directory})

    assert project.name.encode()
    assert len(project.key) == 16


NAMES = st.sampled_from(["a", "b", "c", "..", ".", "", "café", "\udcff"])


@given(
    made=st.lists(st.tuples(st.lists(NAMES, max_size=3), st.none() | st.lists(NAMES)), max_size=6),
    looked_up=st.lists(NAMES, max_size=6),
    is_relative=st.booleans(),
)
def test_a_real_path_is_that_of_the_standard_library(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[list[str], list[str] | None]],
    looked_up: list[str],
    is_relative: bool,
) -> None:
    """Folders, and links to what is there or not; circles aside, which are no folder's path."""
    root = tmp_path_factory.mktemp("root")
    for parts, target in made:
        path = os.path.join(root, "x", *parts)
        with suppress(OSError):
            if target is None:
                os.makedirs(path)
            else:
                os.symlink(
                    os.path.join(*(["..", *target] if is_relative else [root, *target])), path
                )
    path = os.path.join(root, "x", *looked_up)
    assume(not _is_circle(path))

    assert real_path(path) == os.path.realpath(path)


def _is_circle(path: str) -> bool:
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def test_a_relative_path_begins_where_the_process_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert real_path("a/../b") == os.path.realpath("a/../b") == str(tmp_path / "b")


def test_a_link_that_goes_in_a_circle_has_some_path(tmp_path):
    os.symlink("b", tmp_path / "a")
    os.symlink("a", tmp_path / "b")

    assert identify(str(tmp_path / "a" / "c")).name == "c"

"""`runtime notes import`: one command, and what memory_system kept is found."""

from pathlib import Path
from typing import Final

import pytest

from runtime.errors import ImportSourceError

UNREADABLE: Final = Path("/proc/self/mem")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace" / "memory"
    folder.mkdir(parents=True)
    (folder / "CONTEXT.md").write_text("## 2026-06-11 Now\ncontextword\n", encoding="utf-8")
    (folder / "mem.md").write_text("## undated\nmemoryword\n", encoding="utf-8")
    logs = folder.parent / "logs"
    logs.mkdir()
    (logs / "context_archive.md").write_text("## 2026-05-01\narchiveword\n", encoding="utf-8")
    return folder


def found(run_json, word: str) -> int:
    return len(run_json("search", word)["hits"])


@pytest.mark.parametrize("options", [(), ("--in-place",)])
def test_what_is_taken_over_is_found(run, run_json, old: Path, options: tuple[str, ...]) -> None:
    before = {path: path.read_bytes() for path in old.rglob("*.md")}

    result = run("notes", "import", str(old), *options)

    assert result.exit_code == 0, result.output
    assert [found(run_json, word) for word in ("contextword", "memoryword", "archiveword")] == [
        1
    ] * 3
    assert "undated" in result.stdout
    assert "contextword" in run("notes", "context").stdout
    assert "archiveword" not in run("notes", "context").stdout
    assert {path: path.read_bytes() for path in old.rglob("*.md")} == before


@pytest.mark.parametrize("options", [(), ("--in-place",)])
def test_a_second_time_nothing_changes(run, run_json, old: Path, options: tuple[str, ...]) -> None:
    run("notes", "import", str(old), *options)

    again = run_json("notes", "import", str(old), *options)

    assert {file["outcome"] for file in again["files"]} == {"identical"}
    assert again["indexed"]["added"] == 0


@pytest.mark.parametrize("options", [(), ("--in-place",)])
def test_a_dry_run_writes_nothing(run, run_json, old: Path, home, options: tuple[str, ...]) -> None:
    result = run("notes", "import", str(old), "--dry-run", *options)

    assert "nothing was written" in result.stdout
    assert found(run_json, "memoryword") == 0
    assert not Path(home.config).exists()
    assert list(Path(home.notes).iterdir()) == []


@pytest.mark.parametrize(
    ("options", "would"), [((), "would copy"), (("--in-place",), "would register")]
)
def test_a_dry_run_says_what_would_be_and_makes_no_home(
    run, old: Path, tmp_path: Path, monkeypatch, options: tuple[str, ...], would: str
) -> None:
    fresh = tmp_path / "fresh"
    monkeypatch.setenv("OBOEGAKI_HOME", str(fresh))

    result = run("notes", "import", str(old), "--dry-run", *options)

    assert result.exit_code == 0, result.output
    assert result.stdout.count(would) == 3
    assert "copied" not in result.stdout
    assert "would be taken all the same" in result.stdout
    assert not fresh.exists()


def test_a_folder_below_is_indexed_in_place_and_left_out_of_copies(
    run, run_json, old: Path
) -> None:
    for name in ("sub", "node_modules"):
        (old / name).mkdir()
        (old / name / "a.md").write_text(f"## 2026-06-11 A\n{name}word\n", encoding="utf-8")

    copied = run("notes", "import", str(old)).stdout
    before = found(run_json, "subword")
    in_place = run("notes", "import", str(old), "--in-place").stdout

    assert f"left out   {old}/sub: a folder below: memory_system did not read it" in copied
    assert f"registered {old}/sub: a folder below: indexed with it" in in_place
    assert f"left out   {old}/node_modules: a folder that is not indexed" in in_place
    assert (before, found(run_json, "subword"), found(run_json, "node_modulesword")) == (0, 1, 0)


@pytest.mark.parametrize("options", [(), ("--in-place",), ("--dry-run",)])
def test_a_secret_is_named_by_its_kind_and_never_shown(
    run, run_json, old: Path, options: tuple[str, ...]
) -> None:
    (old / "access.md").write_text(
        '## 2026-06-11 Login\npassword: "hunter2hunter2"\n', encoding="utf-8"
    )

    result = run("notes", "import", str(old), *options)

    assert any(
        line.split() == ["secret", f"{old}/access.md:", "assigned-secret"]
        for line in result.stdout.splitlines()
    ), result.stdout
    assert "hunter2" not in result.output
    assert found(run_json, "hunter2hunter2") == 0


def test_in_place_the_folders_below_are_looked_through_too(run, run_json, old: Path) -> None:
    (old / "sub" / "deep").mkdir(parents=True)
    secret = '## 2026-06-11 Login\npassword: "hunter2hunter2"\n'
    (old / "sub" / "deep" / "a.md").write_text(secret, encoding="utf-8")

    copied = run_json("notes", "import", str(old), "--dry-run")
    in_place = run_json("notes", "import", str(old), "--in-place", "--dry-run")

    assert copied["secrets"] == []
    assert in_place["secrets"] == [{"file": f"{old}/sub/deep/a.md", "kinds": ["assigned-secret"]}]


@pytest.mark.parametrize(
    ("count", "told"),
    [(1, "1 file that is no Markdown is not"), (2, "2 files that are no Markdown are not")],
)
def test_other_files_are_counted(run, old: Path, count: int, told: str) -> None:
    for number in range(count):
        (old / f"{number}.db").write_bytes(b"x")

    assert told in run("notes", "import", str(old)).stdout


def test_notes_of_the_home_stay_when_a_folder_is_named(run, run_json, old: Path, home) -> None:
    Path(home.notes, "own.md").write_text("## 2026-01-01\nownword\n", encoding="utf-8")

    run("notes", "import", str(old), "--in-place")

    assert found(run_json, "ownword") == 1


def test_a_folder_that_is_read_already_is_not_copied(run, monkeypatch, old: Path) -> None:
    """Its old variable may still be set."""
    monkeypatch.setenv("MEMORY_DIRS", str(old))

    result = run("notes", "import", str(old))

    assert isinstance(result.exception, ImportSourceError)
    assert "reindex" in str(result.exception)


def test_a_variable_that_wins_over_the_file_is_told(
    run, monkeypatch, old: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORY_DIRS", str(tmp_path))

    assert "MEMORY_DIRS is set and wins" in run("notes", "import", str(old), "--in-place").stderr


@pytest.mark.skipif(not UNREADABLE.is_file(), reason="no file here that even root cannot read")
def test_a_file_that_cannot_be_copied_is_told_and_the_rest_is_taken(
    run, run_json, old: Path
) -> None:
    (old / "unreadable.md").symlink_to(UNREADABLE)
    (old / "loop.md").symlink_to(old / "loop.md")

    result = run("notes", "import", str(old))

    assert result.exit_code == 1
    assert "failed     " in result.stdout
    assert "left out   " in result.stdout
    assert found(run_json, "memoryword") == 1

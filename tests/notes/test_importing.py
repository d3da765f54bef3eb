"""A folder of memory_system's is taken over byte for byte, and nothing of ours is lost."""

import os
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.errors import ImportSourceError
from runtime.notes.importing import Source, import_copies
from runtime.setting_sections import Notes
from runtime.settings import Settings
from schemas.reports import Imported

AN_HOUR_AGO: Final = 1_700_000_000_000_000_000


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A workspace as memory_system left it."""
    folder = tmp_path / "workspace" / "memory"
    folder.mkdir(parents=True)
    put(folder / "CONTEXT.md", "## 2026-06-11 今\n続き\n")
    put(folder / "mem.md", "## 2026-06-10 決定: X\r\n本文\r\n")
    put(folder.parent / "logs" / "context_archive.md", "## 2026-05-01 古い\nold\n")
    (folder / "memory_index.db").write_bytes(b"SQLite format 3\0")
    return folder


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return tmp_path / "home" / "notes"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    os.utime(path, ns=(AN_HOUR_AGO, AN_HOUR_AGO))
    return path


def take(old: Path, ours: Path, *, dry_run: bool = False, **notes: int) -> Imported:
    chosen = Settings(notes=Notes.model_validate(notes))
    return import_copies(Source(old), ours, chosen, dry_run=dry_run)


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def outcomes(done: Imported) -> dict[str, str]:
    return {os.path.basename(file.source): file.outcome for file in done.files}


def test_notes_and_archive_arrive_byte_for_byte_with_their_times(old: Path, ours: Path) -> None:
    """An undated note is as old as its file."""
    done = take(old, ours)

    expected = {**tree(old), **tree(old.parent / "logs")}
    expected.pop("memory_index.db")
    assert tree(ours) == expected
    assert set(outcomes(done).values()) == {"copied"}
    assert done.others == 1


def test_a_second_run_changes_nothing(old: Path, ours: Path) -> None:
    take(old, ours)
    before = tree(ours)

    again = take(old, ours)

    assert set(outcomes(again).values()) == {"identical"}
    assert tree(ours) == before


def test_what_differs_is_put_beside_and_stays_there(old: Path, ours: Path) -> None:
    put(ours / "mem.md", "ours\n")
    put(ours / "mem-imported.md", "ours too\n")

    first, again = take(old, ours), take(old, ours)

    assert outcomes(first)["mem.md"] == "renamed"
    assert outcomes(again)["mem.md"] == "identical"
    assert (ours / "mem.md").read_text("utf-8") == "ours\n"
    assert (ours / "mem-imported.md").read_text("utf-8") == "ours too\n"
    assert (ours / "mem-imported-2.md").read_bytes() == (old / "mem.md").read_bytes()


def test_two_files_of_one_name_are_both_taken(old: Path, ours: Path) -> None:
    put(old / "context_archive.md", "another archive\n")

    planned = take(old, ours, dry_run=True)
    done = take(old, ours)

    assert [file.target for file in done.files] == [file.target for file in planned.files]
    assert len(tree(ours)) == 4


def test_a_dry_run_tells_the_same_and_writes_nothing(old: Path, ours: Path) -> None:
    planned = take(old, ours, dry_run=True)

    assert not ours.exists()
    assert planned.dry_run
    assert planned.files == take(old, ours).files


def test_what_breaks_a_rule_of_today_is_told_and_taken(old: Path, ours: Path) -> None:
    put(old / "loose.md", "## 昨日の話\nx\n\n## 2026/6/1 斜線\ny\n\n## 2026-06-02 ok\nz\n")
    put(old / "large.md", "## 2026-06-02 large\n" + "あ" * 1001)

    done = take(old, ours, file_max_chars=1000)

    found = [(os.path.basename(rule.file), rule.rule, rule.line) for rule in done.breaks]
    assert found == [
        ("large.md", "oversized", 1),
        ("loose.md", "undated", 1),
        ("loose.md", "undated", 4),
    ]
    assert (ours / "loose.md").read_bytes() == (old / "loose.md").read_bytes()


def test_a_secret_in_a_heading_is_not_shown(old: Path, ours: Path) -> None:
    """The file is the person's and stays as it is; what is printed is ours."""
    secret = "sk-ant-api03-" + "a1B2" * 12
    put(old / "loose.md", f"## key {secret}\nx\n")

    done = take(old, ours)

    assert secret not in done.model_dump_json()
    assert secret in (ours / "loose.md").read_text("utf-8")


def test_a_target_that_cannot_be_made_fails_each_file(old: Path, ours: Path) -> None:
    ours.parent.mkdir()
    ours.write_text("a file", encoding="utf-8")

    done = take(old, ours)

    assert set(outcomes(done).values()) == {"failed"}
    assert all(file.reason for file in done.files)


def test_what_is_left_out_is_told_with_its_reason(old: Path, ours: Path) -> None:
    put(old / "sub" / "deep.md", "x")
    put(old / ".hidden.md", "x")
    os.mkfifo(old / "pipe.md")

    done = take(old, ours)

    left = {os.path.basename(file.source): file.reason for file in done.files
            if file.outcome == "left out"}  # fmt: skip
    assert set(left) == {"sub", ".hidden.md", "pipe.md"}
    assert all(left.values())


def test_a_file_that_is_not_utf_8_is_taken_too(old: Path, ours: Path) -> None:
    (old / "sjis.md").write_bytes("日本語".encode("shift_jis"))

    assert outcomes(take(old, ours))["sjis.md"] == "copied"
    assert (ours / "sjis.md").read_bytes() == "日本語".encode("shift_jis")


def test_a_file_that_goes_away_fails_alone(old: Path, ours: Path) -> None:
    source = Source(old)
    (old / "mem.md").unlink()

    done = import_copies(source, ours, Settings(), dry_run=False)

    assert outcomes(done)["mem.md"] == "failed"
    assert outcomes(done)["CONTEXT.md"] == "copied"
    assert not list(ours.glob(".*"))


@pytest.mark.parametrize("kind", ["missing", "file", "empty"])
def test_a_folder_without_notes_is_refused(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    if kind == "file":
        folder.write_text("x", encoding="utf-8")
    elif kind == "empty":
        folder.mkdir()

    with pytest.raises(ImportSourceError):
        Source(folder)


NAMES = st.sampled_from(["a.md", "b.md", "a-imported.md", "a-imported-2.md"])
FOLDERS = st.dictionaries(NAMES, st.binary(max_size=3), max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(theirs=FOLDERS.filter(bool), present=FOLDERS)
def test_nothing_is_overwritten_and_everything_arrives_whatever_lies_there(
    theirs: dict[str, bytes], present: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("import")
    for folder, files in (("theirs", theirs), ("ours", present)):
        (root / folder).mkdir()
        for name, data in files.items():
            (root / folder / name).write_bytes(data)

    take(root / "theirs", root / "ours")
    after = tree(root / "ours")
    take(root / "theirs", root / "ours")

    assert tree(root / "ours") == after
    assert all(after[name][0] == data for name, data in present.items())
    assert set(theirs.values()) <= {data for data, _time in after.values()}

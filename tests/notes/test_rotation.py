"""Rotation of a notes file into its archive."""

import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.errors import ArchiveIsSourceError, KeepTooSmallError, NotUtf8Error
from runtime.files import write_atomic
from runtime.locks import LockTimeout, file_lock
from runtime.markdown.blocks import split_blocks
from runtime.notes import archive as archives
from runtime.notes import journal as journals
from runtime.notes import rotation
from runtime.notes.rotation import Rotation, lock_path, rotate
from tests.markdown.strategies import any_texts
from tests.notes.written import written_at

ROOT = Path(__file__).parents[2]
R01 = ROOT / "tests" / "cases" / "R01" / "CONTEXT.md"


class CrashError(BaseException):
    """Stands for the end of the process: nothing in the code may catch it."""


@dataclass(frozen=True)
class Desk:
    """A notes file, its archive and the folder for locks, all in one temporary place."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / "CONTEXT.md"

    @property
    def archive(self) -> Path:
        return self.folder / "logs" / "context_archive.md"

    @property
    def lock_dir(self) -> Path:
        return self.folder / "run"

    def rotate(self, keep: int, **options: Any) -> Rotation:
        return rotate(self.path, keep=keep, archive=self.archive, lock_dir=self.lock_dir, **options)

    def write(self, text: str) -> None:
        self.path.write_bytes(text.encode())

    def text(self) -> str:
        return self.path.read_bytes().decode()

    def archived(self) -> str:
        return self.archive.read_bytes().decode() if self.archive.exists() else ""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def notes(*names: object, newline: str = "\n") -> str:
    return "# CONTEXT\n\n".replace("\n", newline) + blocks(*names, newline=newline)


def blocks(*names: object, newline: str = "\n") -> str:
    return "".join(f"## {name}{newline}text of {name}{newline}" for name in names)


def test_the_newest_five_stay_and_fences_are_whole(desk: Desk) -> None:
    original = R01.read_bytes().decode()
    desk.write(original)

    result = desk.rotate(5)

    assert result == Rotation(archived=1, kept=5, archive=desk.archive)
    assert desk.archived() == "## 2026-06-06 六\nx6\n"
    assert desk.text() + desk.archived() == original


def test_one_block_stays_with_its_closed_fence(desk: Desk) -> None:
    original = R01.read_bytes().decode()
    desk.write(original)

    result = desk.rotate(1)

    assert (result.archived, result.kept) == (5, 1)
    assert "todayend" in desk.text()
    assert desk.text().count("```") == 2
    assert desk.text() + desk.archived() == original


@pytest.mark.parametrize("text", ["", "# only a title\n", notes(1), notes(2, 1)])
def test_as_many_blocks_as_are_kept_touch_nothing(desk: Desk, text: str) -> None:
    desk.write(text)
    before = written_at(desk.path)

    result = desk.rotate(2)

    assert result == Rotation(0, text.count("## "), None)
    assert written_at(desk.path) == before
    assert list(desk.folder.iterdir()) == [desk.path]


@pytest.mark.parametrize("keep", [0, -1])
def test_keeping_nothing_is_refused(desk: Desk, keep: int) -> None:
    desk.write(notes(2, 1))

    with pytest.raises(KeepTooSmallError) as caught:
        desk.rotate(keep)

    assert caught.value.keep == keep
    assert desk.text() == notes(2, 1)


def test_a_file_cannot_be_its_own_archive(desk: Desk) -> None:
    desk.write(notes(2, 1))
    link = desk.folder / "link.md"
    link.symlink_to(desk.path)

    with pytest.raises(ArchiveIsSourceError):
        rotate(desk.path, keep=1, archive=link, lock_dir=desk.lock_dir)

    assert desk.text() == notes(2, 1)


def test_a_file_in_another_encoding_is_left_alone(desk: Desk) -> None:
    data = "## 二\n\n## 一\n".encode("shift_jis")
    desk.path.write_bytes(data)

    with pytest.raises(NotUtf8Error):
        desk.rotate(1)

    assert desk.path.read_bytes() == data
    assert not desk.archive.exists()


def test_batches_follow_each_other_in_the_archive(desk: Desk) -> None:
    desk.write(notes(4, 3, 2, 1))
    desk.rotate(2)
    desk.write(notes(6, 5) + blocks(4, 3))
    desk.rotate(2)

    assert desk.archived() == blocks(2, 1, 4, 3)


def test_a_missing_final_newline_is_supplied_in_the_archive_only(desk: Desk) -> None:
    desk.write(notes(2) + "## 最後")
    desk.rotate(1)
    desk.write(notes(3, 2))
    desk.rotate(1)

    assert desk.archived() == "## 最後\n" + blocks(2)


def test_an_archive_edited_by_hand_is_not_glued_to(desk: Desk) -> None:
    desk.archive.parent.mkdir()
    desk.archive.write_bytes(b"## by hand")
    desk.write(notes(2, 1))

    desk.rotate(1)

    assert desk.archived() == "## by hand\n" + blocks(1)


def test_an_open_fence_is_closed_in_the_archive(desk: Desk) -> None:
    """Otherwise every later block would be code inside the old one."""
    desk.write(notes(2) + "## 1\n~~~~sh\ncode")
    desk.rotate(1)
    desk.write(notes(3, 2))
    desk.rotate(1)

    assert desk.archived() == "## 1\n~~~~sh\ncode\n~~~~\n" + blocks(2)


def test_line_endings_mark_and_front_matter_stay(desk: Desk) -> None:
    head = "\ufeff---\r\nk: v\r\n---\r\n"
    desk.write(head + blocks(2, newline="\r\n") + "## 1\r\nlast")

    desk.rotate(1)

    assert desk.text() == head + blocks(2, newline="\r\n")
    assert desk.archived() == "## 1\r\nlast\r\n"


def test_file_and_archive_keep_to_the_same_permissions(desk: Desk) -> None:
    desk.write(notes(2, 1))
    desk.path.chmod(0o600)

    desk.rotate(1)

    assert desk.path.stat().st_mode & 0o777 == 0o600
    assert desk.archive.stat().st_mode & 0o777 == 0o600


def test_a_link_to_the_file_stays_a_link(desk: Desk) -> None:
    desk.write(notes(2, 1))
    link = desk.folder / "link.md"
    link.symlink_to(desk.path)

    rotate(link, keep=1, archive=desk.archive, lock_dir=desk.lock_dir)

    assert link.is_symlink()
    assert desk.text() == notes(2)
    assert lock_path(desk.lock_dir, link) == lock_path(desk.lock_dir, desk.path)


def test_locks_lie_in_their_own_folder_and_nothing_beside_the_file(desk: Desk) -> None:
    desk.write(notes(2, 1))

    desk.rotate(1)

    assert sorted(entry.name for entry in desk.folder.iterdir()) == ["CONTEXT.md", "logs", "run"]
    assert list(desk.archive.parent.iterdir()) == [desk.archive]
    assert {entry.suffix for entry in desk.lock_dir.iterdir()} == {".lock"}


@pytest.mark.parametrize("name", ["rotation", "file"])
def test_a_held_lock_ends_in_a_time_out_with_nothing_done(desk: Desk, name: str) -> None:
    desk.write(notes(2, 1))
    desk.lock_dir.mkdir()
    held = desk.lock_dir / "rotation.lock"
    if name == "file":
        held = lock_path(desk.lock_dir, desk.path)

    with file_lock(held, 0.0), pytest.raises(LockTimeout):
        desk.rotate(1, lock_timeout_s=0.0)

    assert (desk.text(), desk.archived()) == (notes(2, 1), "")


# Splitting by size


def test_a_full_archive_is_set_aside_under_the_next_free_number(desk: Desk) -> None:
    desk.archive.parent.mkdir()
    old = desk.archive.with_name("context_archive.007.md")
    old.write_bytes(b"seven")
    desk.archive.with_name("context_archive.2024.bak.md").write_bytes(b"not ours")
    desk.archive.write_bytes(blocks("old").encode())
    desk.write(notes(2, 1))

    desk.rotate(1, archive_max_bytes=10)

    assert old.read_bytes() == b"seven"
    aside = desk.archive.with_name("context_archive.008.md")
    assert aside.read_bytes().decode() == blocks("old")
    assert desk.archived() == blocks(1)


def test_a_number_taken_at_the_last_moment_is_not_overwritten(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.archive.parent.mkdir()
    desk.archive.write_bytes(b"full")
    taken = desk.archive.with_name("context_archive.001.md")
    taken.write_bytes(b"somebody's")
    monkeypatch.setattr(archives, "_last_number", lambda _: 0)

    aside = archives.split_when_full(desk.archive, 4)

    assert taken.read_bytes() == b"somebody's"
    assert aside == desk.archive.with_name("context_archive.002.md")


def test_the_split_loses_nothing(desk: Desk) -> None:
    for number in range(1, 8):
        desk.write(notes(number + 1, number))
        desk.rotate(1, archive_max_bytes=40)

    parts = sorted(desk.archive.parent.glob("context_archive.0*.md"))
    text = "".join(part.read_bytes().decode() for part in [*parts, desk.archive])
    assert len(parts) > 1
    assert text == blocks(*range(1, 8))


def test_an_append_does_not_read_the_archive_whole(desk: Desk) -> None:
    desk.archive.parent.mkdir()
    block = "## 2024-01-01 古い記録\n" + "古い本文" * 160 + "\n\n"
    desk.archive.write_bytes(block.encode() * 6000)
    size = desk.archive.stat().st_size
    desk.write(notes(*range(9, 0, -1)))

    tracemalloc.start()
    tracemalloc.reset_peak()  # it may run for all tests
    desk.rotate(5, archive_max_bytes=size + 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert size > 10_000_000
    assert peak < 500_000
    assert desk.archive.stat().st_size == size + len(blocks(4, 3, 2, 1))


# Changes by others


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_edit_during_the_rotation_wins(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    desk.write(notes(2, 1))
    append = archives.append

    def append_while_edited(*args: Any, **options: Any) -> None:
        if when == "before":
            desk.write(notes(3, 2, "1 edited"))
        append(*args, **options)
        if when == "after":
            desk.write(notes(3, 2, "1 edited"))

    with monkeypatch.context() as patch:
        patch.setattr(archives, "append", append_while_edited)
        result = desk.rotate(1)

    assert result == Rotation(0, 2, None)
    assert (desk.text(), desk.archived()) == (notes(3, 2, "1 edited"), "")
    assert desk.rotate(1).archived == 2
    assert desk.archived() == blocks(2, "1 edited")


def test_an_edit_leaves_the_archive_as_it_was(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.archive.parent.mkdir()
    desk.archive.write_bytes(b"## by hand")
    desk.write(notes(2, 1))
    append = archives.append

    def append_while_edited(*args: Any, **options: Any) -> None:
        append(*args, **options)
        desk.write(notes(3, 2, 1))

    monkeypatch.setattr(archives, "append", append_while_edited)

    assert desk.rotate(1).archived == 0
    assert desk.archived() == "## by hand"


def test_what_others_appended_is_never_taken_back(desk: Desk) -> None:
    desk.archive.parent.mkdir()
    desk.archive.write_bytes(b"old\nours\ntheirs\n")

    assert not archives.take_back(desk.archive, 4, b"ours\n")
    assert not archives.take_back(desk.archive, 99, b"ours\n")
    assert desk.archived() == "old\nours\ntheirs\n"


# Crashes


def crash(step: Callable[..., Any], when: str) -> Callable[..., Any]:
    def crashing(*args: Any, **options: Any) -> None:
        if when == "after":
            step(*args, **options)
        raise CrashError

    return crashing


def torn_append(archive: Path, data: bytes, *, new_mode: int) -> None:
    archives_append(archive, data[: len(data) // 2], new_mode=new_mode)
    raise CrashError


archives_append = archives.append

STEPS = {
    "before the journal": (journals, "save", crash(journals.save, "before")),
    "after the journal": (journals, "save", crash(journals.save, "after")),
    "during the append": (archives, "append", torn_append),
    "after the append": (archives, "append", crash(archives.append, "after")),
    "before the rewrite": (rotation, "write_atomic", crash(write_atomic, "before")),
    "after the rewrite": (rotation, "write_atomic", crash(write_atomic, "after")),
    "after the end": (journals, "clear", crash(journals.clear, "after")),
}


def crash_at(step: str, desk: Desk, keep: int) -> None:
    module, name, replacement = STEPS[step]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, replacement)
        with pytest.raises(CrashError):
            desk.rotate(keep)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    ("old", "new", "keep", "left"),
    [
        ("", "", 2, notes(4, 3)),
        ("\n\n", "\n\n" + blocks(5), 3, notes(5, 4, 3)),
        ("text of 4", "edited", 2, notes(4, 3).replace("text of 4", "edited")),
    ],
    ids=["untouched", "a new block", "a kept block edited"],
)
def test_after_a_crash_each_block_is_archived_exactly_once(
    desk: Desk, step: str, old: str, new: str, keep: int, left: str
) -> None:
    desk.write(notes(4, 3, 2, "1 古い"))
    desk.archive.parent.mkdir()
    desk.archive.write_bytes(b"## by hand")

    crash_at(step, desk, keep=2)
    desk.write(desk.text().replace(old, new, 1))
    desk.rotate(keep)

    assert desk.text() == left
    assert desk.archived() == "## by hand\n" + blocks(2, "1 古い")
    assert {entry.suffix for entry in desk.lock_dir.iterdir()} == {".lock"}


@pytest.mark.parametrize("step", STEPS)
def test_equal_blocks_survive_a_crash(desk: Desk, step: str) -> None:
    """The text that stays ends like the text that went: the end proves nothing."""
    desk.write(notes(1, 1, 1))

    crash_at(step, desk, keep=2)
    result = desk.rotate(2)

    assert result.kept == 2
    assert desk.text() == notes(1, 1)
    assert desk.archived() == blocks(1)


@pytest.mark.parametrize("step", STEPS)
def test_blocks_edited_after_a_crash_are_never_lost(desk: Desk, step: str) -> None:
    desk.write(notes(3, 2, 1))

    crash_at(step, desk, keep=1)
    edited = desk.text().replace("text of 1", "edited 1")
    desk.write(edited)
    desk.rotate(1)

    assert desk.text() == notes(3)
    assert desk.archived().endswith(edited.removeprefix(notes(3)))
    for number in (2, 1):
        assert f"## {number}\n" in desk.archived()


def test_a_recovered_batch_counts_as_archived(desk: Desk) -> None:
    desk.write(notes(3, 2, 1))

    crash_at("after the append", desk, keep=1)
    result = desk.rotate(1)

    assert result == Rotation(archived=2, kept=1, archive=desk.archive)


def test_another_file_that_shares_the_archive_clears_up_after_a_crash(desk: Desk) -> None:
    other = desk.folder / "other.md"
    other.write_bytes(notes("b", "a").encode())
    desk.write(notes(2, 1))
    crash_at("during the append", desk, keep=1)

    rotate(other, keep=1, archive=desk.archive, lock_dir=desk.lock_dir)
    desk.rotate(1)

    assert desk.archived() == blocks("a", 1)
    assert (desk.text(), other.read_bytes().decode()) == (notes(2), notes("b"))


def test_another_file_that_cannot_be_cleared_up_stops_nobody(desk: Desk) -> None:
    other = desk.folder / "other.md"
    other.write_bytes(notes("b", "a").encode())
    desk.write(notes(2, 1))
    crash_at("after the append", desk, keep=1)
    desk.path.write_bytes(b"\xff")

    rotate(other, keep=1, archive=desk.archive, lock_dir=desk.lock_dir)

    assert desk.archived() == blocks(1, "a")
    desk.write(notes(2, 1))
    assert desk.rotate(1).archived == 1
    assert desk.archived() == blocks(1, "a")


def test_a_file_deleted_after_a_crash_does_not_stop_the_next_rotation(desk: Desk) -> None:
    other = desk.folder / "other.md"
    other.write_bytes(notes("b", "a").encode())
    desk.write(notes(2, 1))
    crash_at("after the append", desk, keep=1)
    desk.path.unlink()

    rotate(other, keep=1, archive=desk.archive, lock_dir=desk.lock_dir)

    assert desk.archived() == blocks(1, "a")
    assert not list(desk.lock_dir.glob("*.json"))


def test_an_edit_during_the_recovery_wins_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write(notes(2, 1))
    crash_at("after the append", desk, keep=1)

    def write_while_edited(*args: Any, **options: Any) -> None:
        desk.write(notes(3, 2, 1))
        write_atomic(*args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(rotation, "write_atomic", write_while_edited)
        assert desk.rotate(1) == Rotation(0, 2, None)

    assert desk.text() == notes(3, 2, 1)
    desk.rotate(2)
    assert (desk.text(), desk.archived()) == (notes(3, 2), blocks(1))


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"path": 1}'])
def test_a_journal_that_is_not_ours_is_cleared_away(desk: Desk, content: bytes) -> None:
    desk.write(notes(2, 1))
    desk.lock_dir.mkdir()
    journal = lock_path(desk.lock_dir, desk.path).with_suffix(".rotation.json")
    journal.write_bytes(content)

    desk.rotate(1)

    assert (desk.text(), desk.archived()) == (notes(2), blocks(1))
    assert not journal.exists()


def test_the_journal_is_private(desk: Desk) -> None:
    desk.write(notes(2, 1))
    crash_at("after the journal", desk, keep=1)

    (journal,) = desk.lock_dir.glob("*.json")
    assert journal.stat().st_mode & 0o777 == 0o600


def test_what_a_killed_rotation_left_half_written_is_cleared_away(desk: Desk) -> None:
    """It holds text of the notes, which its owner may have deleted since."""
    desk.write(notes(2, 1))
    lock = desk.lock_dir
    lock.mkdir()
    name = "0123456789abcdef.rotation.json"
    left = [lock / f".{name}.0123456789ab.tmp", desk.folder / ".CONTEXT.md.0123456789ab.tmp"]
    for path in left:
        path.write_text("text", encoding="utf-8")
        os.utime(path, (0, 0))

    desk.rotate(1)

    assert [path for path in left if path.exists()] == []


# Races

ROTATE = """
import sys
from pathlib import Path
from runtime.notes.rotation import rotate
folder = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
done = rotate(folder / "CONTEXT.md", keep=2, archive=folder / "logs" / "context_archive.md",
              lock_dir=folder / "run", lock_timeout_s=30.0)
print(done.archived)
"""


@pytest.mark.process
def test_eight_processes_at_once_archive_each_block_once(desk: Desk) -> None:
    desk.write(notes(*range(40, 0, -1)))
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", ROTATE, desk.folder],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for _ in range(8)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    archived = [int(worker.communicate()[0]) for worker in workers]

    assert sorted(archived) == [*[0] * 7, 38]
    assert desk.text() == notes(40, 39)
    assert desk.archived() == blocks(*range(38, 0, -1))


# Any text, any sequence


@settings(deadline=None)
@given(
    text=any_texts, keeps=st.lists(st.integers(1, 4), min_size=1, max_size=4), full=st.booleans()
)
def test_no_text_and_no_sequence_loses_or_doubles_a_block(
    text: str, keeps: list[int], full: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        desk.write(text)
        archived_blocks: list[str] = []
        for keep in keeps:
            before, archive_before = desk.text(), desk.archived()
            result = desk.rotate(keep, archive_max_bytes=1 if full else 10**9)
            after = desk.text()

            moved = before[len(after) :]
            assert before == after + moved
            assert result.kept == len(split_blocks(after).blocks)
            if result.archived:
                start = 0 if full else len(archive_before)
                assert desk.archived()[start:].startswith(moved)
            archived_blocks += [block.heading for block in split_blocks(moved).blocks]
        whole = "".join(
            part.read_bytes().decode()
            for part in sorted(desk.folder.glob("logs/*.md"), key=lambda p: (p == desk.archive, p))
        )
        assert [block.heading for block in split_blocks(whole).blocks] == archived_blocks


@settings(deadline=None, max_examples=60)
@given(
    rest=st.lists(st.sampled_from(["a", "b", "c\n```\n## x\n```"]), min_size=1, max_size=6),
    rounds=st.lists(st.tuples(st.integers(1, 3), st.sampled_from([None, *STEPS])), max_size=4),
)
def test_no_sequence_of_crashes_and_new_blocks_loses_or_doubles_a_block(
    rest: list[str], rounds: list[tuple[int, str | None]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        names = [f"{number} {name}" for number, name in enumerate(rest)]
        desk.write(notes(*names))
        for number, (keep, step) in enumerate(rounds):
            with pytest.MonkeyPatch.context() as patch, suppress(CrashError):
                if step is not None:
                    patch.setattr(*STEPS[step])
                desk.rotate(keep)
            names.insert(0, f"new {number}")
            desk.write(desk.text().replace("\n\n", "\n\n" + blocks(names[0]), 1))
        desk.rotate(1)

        stored = blocks(*names)
        found = desk.text() + desk.archived()
        assert len(found) == len("# CONTEXT\n\n") + len(stored)
        assert all(found.count(blocks(name)) == 1 for name in names)

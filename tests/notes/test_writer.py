"""Writing notes: all or nothing, under the lock, within the limit."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import FileChangedError, NoteBusyError, NoteRefusedError, NotUtf8Error
from runtime.files import write_atomic
from runtime.locks import file_lock
from runtime.markdown.blocks import split_blocks
from runtime.notes import journal as journals
from runtime.notes import writer
from runtime.notes.places import Places
from runtime.notes.refusals import (
    BlockTooLargeError,
    NothingToMergeError,
    PlaceRefusedError,
    TooLargeError,
)
from runtime.notes.rotation import lock_path, rotate
from runtime.notes.writer import Written, write
from runtime.paths import Home
from runtime.settings import Settings
from schemas.notes import Append, Change, Delete, Move, NoteState, Operation, Replace
from tests.notes.written import written_at

OLD = "# T\n\n## 2026-06-01 a\nx\n\n## 2026-06-02 b\ny\n"


@dataclass(frozen=True)
class Desk:
    """A home with a folder of notes."""

    home: Home

    @property
    def notes(self) -> Path:
        return Path(self.home.notes)

    def write(self, *operations: Operation, limit: int = 10_000, **options: Any) -> Written:
        return write(
            operations,
            Places(self.home, Settings()),
            limit_chars=limit,
            lock_dir=Path(self.home.run),
            **options,
        )

    def put(self, text: str, name: str = "a.md") -> Path:
        path = self.notes / name
        path.write_bytes(text.encode())
        return path

    def tree(self) -> dict[str, str]:
        """Return every file of the notes with its text."""
        return {
            str(path.relative_to(self.notes)): path.read_bytes().decode()
            for path in sorted(self.notes.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    home = Home(str(tmp_path / "home"))
    home.prepare()
    return Desk(home)


def new(heading: str = "2026-06-11 n", body: str = "z", file: str = "a.md") -> Append:
    return Append(file=file, heading=heading, body=body)


def test_a_write_says_what_it_did_and_how_much_room_is_left(desk: Desk) -> None:
    path = str(desk.put(OLD))

    written = desk.write(new(), limit=100)

    text = OLD + "\n## 2026-06-11 n\nz\n"
    assert desk.tree() == {"a.md": text}
    assert written.changes == (Change(action="appended", file=path, heading="2026-06-11 n"),)
    chars = len(text)
    assert written.states == (
        NoteState(file=path, chars=chars, limit=100, room=100 - chars, blocks=3),
    )


def test_a_new_file_and_its_folders_are_made_for_the_owner_alone(desk: Desk) -> None:
    desk.write(new(file="deep/er/a.md"))

    path = desk.notes / "deep" / "er" / "a.md"
    assert path.read_bytes() == b"## 2026-06-11 n\nz\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert {path.parent.stat().st_mode & 0o777, path.parent.parent.stat().st_mode & 0o777} == {
        0o700
    }


def test_a_file_that_is_there_keeps_its_mode_its_bom_and_its_line_endings(desk: Desk) -> None:
    path = desk.put("\ufeff---\r\na: b\r\n---\r\n# T\r\n")
    path.chmod(0o640)

    desk.write(new(body="z\ny"))

    assert path.read_bytes().decode() == (
        "\ufeff---\r\na: b\r\n---\r\n# T\r\n\r\n## 2026-06-11 n\r\nz\r\ny\r\n"
    )
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_move_takes_the_block_along_and_reports_both_files(desk: Desk) -> None:
    desk.put(OLD)
    desk.put("## undated by hand\n昨日\n", "b.md")

    written = desk.write(Move(file="b.md", match="hand", to="a.md"))

    assert desk.tree() == {"a.md": OLD + "\n## undated by hand\n昨日\n", "b.md": ""}
    (change,) = written.changes
    assert (change.action, change.heading) == ("moved", "undated by hand")
    assert change.to == str(desk.notes / "a.md")
    assert [state.blocks for state in written.states] == [0, 3]


def test_in_a_context_the_newest_block_is_first(desk: Desk) -> None:
    desk.put("# CONTEXT\n\n## 2026-06-01 a\nx\n", "CONTEXT.md")
    desk.put("## 2026-06-02 b\ny\n")

    desk.write(new(file="CONTEXT.md"), Move(file="a.md", match="b", to="CONTEXT.md"))

    headings = [block.heading for block in split_blocks(desk.tree()["CONTEXT.md"]).blocks]
    assert headings == ["2026-06-02 b", "2026-06-11 n", "2026-06-01 a"]


# The limit


def test_a_file_at_the_limit_fits_and_characters_count(desk: Desk) -> None:
    body = "字" * (10_000 - len("## 2026-06-11 n\n\n"))

    written = desk.write(new(body=body))

    assert (written.states[0].chars, written.states[0].room) == (10_000, 0)


def test_one_character_more_is_refused_with_both_numbers_and_the_headings(desk: Desk) -> None:
    desk.put(OLD)
    limit = len(OLD) + len("\n## 2026-06-11 n\nz\n") - 1

    with pytest.raises(TooLargeError) as caught:
        desk.write(new(), limit=limit)

    error = caught.value
    assert (error.chars, error.now_chars, error.limit_chars) == (limit + 1, len(OLD), limit)
    assert error.headings == ("2026-06-01 a", "2026-06-02 b")
    assert desk.tree() == {"a.md": OLD}


def test_a_file_over_the_limit_can_be_made_smaller_step_by_step(desk: Desk) -> None:
    text = "".join(f"## 2026-06-0{number} b\n{str(number) * 2000}\n" for number in range(1, 7))
    desk.put(text)
    assert len(text) == 12_102

    for number in range(1, 4):
        match = f"2026-06-0{number}"
        written = desk.write(
            Replace(file="a.md", match=match, heading=f"{match} b", body=f"s{number}")
        )
        if number == 1:
            assert written.states[0].chars == 12_102 - 1_998 > 10_000

    assert desk.write(Delete(file="a.md", match="2026-06-06")).states[0].room > 0


def test_a_change_of_the_same_length_is_not_smaller(desk: Desk) -> None:
    desk.put(OLD)
    same = Replace(file="a.md", match="a", heading="2026-06-01 a", body="w")

    with pytest.raises(TooLargeError):
        desk.write(same, limit=len(OLD) - 1)


def test_a_huge_body_is_refused_before_anybody_reads_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(writer, "judge")

    with pytest.raises(TooLargeError):
        desk.write(new(body="`" * 5_000_000))


@pytest.mark.parametrize("there", [None, "", "# T\n", OLD])
@pytest.mark.parametrize("body_chars", [31, 50, 12_000])
def test_a_block_that_alone_is_over_the_limit_asks_nobody_to_make_room(
    desk: Desk, there: str | None, body_chars: int
) -> None:
    if there is not None:
        desk.put(there)
    block = new("2026-06-11 nnnnnnnnn", "z" * body_chars)

    with pytest.raises(BlockTooLargeError) as caught:
        desk.write(block, limit=54)

    assert (caught.value.reason, caught.value.operation) == ("too_large", 1)
    assert "split it" in str(caught.value)
    assert "runtime notes replace" not in str(caught.value)


@pytest.mark.parametrize("there", [None, "", "# T\n"])
def test_where_no_block_is_there_nobody_is_asked_to_merge(desk: Desk, there: str | None) -> None:
    if there is not None:
        desk.put(there)
    blocks = [new(f"2026-06-11 {number}", f"{number}" * 20) for number in range(2)]

    with pytest.raises(NothingToMergeError) as caught:
        desk.write(*blocks, limit=60)

    assert (caught.value.reason, caught.value.headings) == ("too_large", ())
    assert "another file" in str(caught.value)


def test_a_batch_counts_by_its_end(desk: Desk) -> None:
    desk.put(OLD)
    limit = len(OLD)
    much = new("2026-06-11 a and b", "x" * 10)
    less = [Delete(file="a.md", match=name) for name in ("06-01 a", "06-02 b")]

    written = desk.write(much, *less, limit=limit)

    assert [change.action for change in written.changes] == ["appended", "deleted", "deleted"]
    assert desk.tree() == {"a.md": "# T\n\n## 2026-06-11 a and b\n" + "x" * 10 + "\n"}


# All or nothing


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Delete(file="a.md", match="nowhere"), "no_match"),
        (new("2026-13-45 x"), "no_date"),
        (Delete(file="none.md", match="x"), "no_file"),
        (Delete(file="/etc/x.md", match="x"), "outside"),
        (Move(file="a.md", match="b", to="sub/../a.md"), "same_file"),
        (new("2026-06-12 m", "z" * 9_950), "too_large"),
        (new("2026-06-12 m", "first"), "duplicate"),
    ],
)
def test_one_bad_operation_undoes_the_others_and_is_named(
    desk: Desk, bad: Operation, reason: str
) -> None:
    desk.put(OLD)
    good = (new(body="first"), new(file="other/b.md"), Delete(file="a.md", match="2026-06-01"))

    with pytest.raises(NoteRefusedError) as caught:
        desk.write(*good, bad)

    assert caught.value.reason == reason
    assert caught.value.operation == (None if reason == "too_large" else 4)
    assert desk.tree() == {"a.md": OLD}


@pytest.mark.parametrize(
    "operation",
    [
        Replace(file="a.md", match="x", heading="2026-06-11 n", body="z"),
        Delete(file="a.md", match="x"),
        Move(file="a.md", match="x", to="b.md"),
    ],
)
def test_a_missing_file_has_no_block_to_name(desk: Desk, operation: Operation) -> None:
    with pytest.raises(PlaceRefusedError) as caught:
        desk.write(operation)

    assert caught.value.reason == "no_file"
    assert desk.tree() == {}


def test_a_file_made_in_a_batch_can_be_changed_in_it(desk: Desk) -> None:
    desk.write(new(), Replace(file="a.md", match="n", heading="2026-06-12 m", body="y"))

    assert desk.tree() == {"a.md": "## 2026-06-12 m\ny\n"}


def test_when_the_second_file_cannot_be_written_the_first_is_put_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put(OLD)
    desk.put("## 2026-06-03 c\nw\n", "b.md")
    before = desk.tree()

    def fail_on_the_last(path: Path, text: str, **options: Any) -> None:
        if path.name == "c.md":
            raise OSError(28, "No space left on device")
        write_atomic(path, text, **options)

    monkeypatch.setattr(writer, "write_atomic", fail_on_the_last)

    with pytest.raises(PlaceRefusedError) as caught:
        desk.write(
            new(), Delete(file="b.md", match="c"), new(file="d.md"), new(body="q", file="c.md")
        )

    assert (caught.value.reason, caught.value.details) == (
        "unwritable",
        ("No space left on device",),
    )
    assert desk.tree() == before


def test_a_block_that_moves_is_written_to_its_new_file_first(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process may end between the two: the block is twice there then, never nowhere."""
    desk.put(OLD)
    order = []

    def note_order(path: Path, text: str, **options: Any) -> None:
        order.append(path.name)
        write_atomic(path, text, **options)

    monkeypatch.setattr(writer, "write_atomic", note_order)

    desk.write(Move(file="a.md", match="b", to="b.md"))

    assert order == ["b.md", "a.md"]


def test_a_file_in_another_encoding_is_left_alone(desk: Desk) -> None:
    data = "## 2026-06-01 記録\n".encode("shift_jis")
    (desk.notes / "a.md").write_bytes(data)

    with pytest.raises(NotUtf8Error) as caught:
        desk.write(new())

    assert caught.value.reason == "not_utf8"
    assert (desk.notes / "a.md").read_bytes() == data


def test_what_is_already_so_is_not_written_again(desk: Desk) -> None:
    before = written_at(desk.put(OLD))

    desk.write(Replace(file="a.md", match="a", heading="2026-06-01 a", body="x"), limit=1)

    assert written_at(desk.notes / "a.md") == before


def test_a_folder_in_the_way_is_no_bug(desk: Desk) -> None:
    desk.put("", "file.md")

    with pytest.raises(PlaceRefusedError) as caught:
        desk.write(new(file="file.md/a.md"))

    assert caught.value.reason == "unwritable"


# Others


def edit_before_rename(
    monkeypatch: pytest.MonkeyPatch, edit: Callable[[int], None]
) -> Callable[[], int]:
    """Call *edit* with a number right before each replacement; give how many there were."""
    calls = []

    def edited_first(path: Path, text: str, **options: Any) -> None:
        calls.append(path)
        edit(len(calls))
        write_atomic(path, text, **options)

    monkeypatch.setattr(writer, "write_atomic", edited_first)
    return lambda: len(calls)


def test_an_edit_by_hand_during_the_write_is_kept_and_the_write_done_on_top(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.put(OLD)
    by_hand = OLD + "\n## 2026-06-03 by hand\nw\n"
    count = edit_before_rename(
        monkeypatch, lambda call: path.write_bytes(by_hand.encode()) if call == 1 else None
    )

    desk.write(new())

    assert desk.tree() == {"a.md": by_hand + "\n## 2026-06-11 n\nz\n"}
    assert count() == 2


def test_a_file_that_keeps_changing_is_refused_and_keeps_the_last_edit(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.put(OLD)
    edit_before_rename(monkeypatch, lambda call: path.write_bytes(f"{OLD}{call}".encode()))

    with pytest.raises(FileChangedError) as caught:
        desk.write(new())

    assert caught.value.reason == "changed"
    assert desk.tree() == {"a.md": f"{OLD}{writer.ATTEMPTS}"}


def test_a_file_that_comes_into_being_meanwhile_is_not_overwritten(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = writer.Draft.read

    def read_then_appear(path: Path) -> writer.Draft:
        draft = read(path)
        if not path.exists():
            path.write_bytes(OLD.encode())
        return draft

    monkeypatch.setattr(writer.Draft, "read", read_then_appear)

    desk.write(new())

    assert desk.tree() == {"a.md": OLD + "\n## 2026-06-11 n\nz\n"}


@pytest.mark.parametrize("name", ["a.md", "b.md"])
def test_a_held_lock_ends_in_a_clear_refusal_with_nothing_done(desk: Desk, name: str) -> None:
    desk.put(OLD)
    lock = lock_path(Path(desk.home.run), desk.notes / name)

    with file_lock(lock, 0), pytest.raises(NoteBusyError) as caught:
        desk.write(Move(file="a.md", match="a", to="b.md"), lock_timeout_s=0.01)

    assert (caught.value.reason, caught.value.path) == ("busy", str(desk.notes / name))
    assert desk.tree() == {"a.md": OLD}


def test_what_a_killed_writer_left_is_cleared_away(desk: Desk) -> None:
    desk.put(OLD)
    leftover = desk.put("half", ".a.md.0123456789ab.tmp")
    others = {desk.put("x", name) for name in (".a.md.swp", ".b.md.0123456789ab.tmp")}
    for path in (leftover, *others):
        os.utime(path, (0, 0))
    # Of a writer with another home, which has another lock for the same file.
    others.add(desk.put("half", ".a.md.ba9876543210.tmp"))

    desk.write(new())

    assert not leftover.exists()
    assert all(path.exists() for path in others)


def test_a_rotation_that_was_cut_off_is_settled_before_its_file_is_changed(desk: Desk) -> None:
    """Else the archive would keep a block that is deleted now, and the file its new form."""
    path = desk.put("# C\n\n## 2026-06-02 b\ny\n\n## 2026-06-01 a\nx\n", "CONTEXT.md")
    archive = Path(desk.home.root) / "logs" / "context_archive.md"
    text = path.read_bytes().decode()
    batch = "## 2026-06-01 a\nx\n"
    archive.write_bytes(batch.encode())
    entry = journals.Entry(str(path), str(archive), text, len(text) - len(batch), 0, batch, 1)
    journals.save(lock_path(Path(desk.home.run), path).with_suffix(".rotation.json"), entry)

    with pytest.raises(NoteRefusedError) as caught:
        desk.write(Delete(file="CONTEXT.md", match="2026-06-01 a"))

    assert caught.value.reason == "no_match"
    assert archive.read_bytes().decode() == batch
    assert desk.tree() == {"CONTEXT.md": "# C\n\n## 2026-06-02 b\ny\n\n"}
    assert os.listdir(desk.home.run) == [
        name for name in os.listdir(desk.home.run) if name.endswith(".lock")
    ]


@given(
    operations=st.lists(
        st.one_of(
            st.builds(
                Append,
                file=st.sampled_from(["a.md", "b.md", "CONTEXT.md"]),
                heading=st.integers(10, 30).map(lambda day: f"2026-06-{day} n"),
                body=st.integers(0, 40).map(lambda number: f"text {number} " * (number % 4 + 1)),
            ),
            st.builds(
                Replace,
                file=st.sampled_from(["a.md", "b.md"]),
                match=st.integers(10, 30).map(str),
                heading=st.integers(10, 30).map(lambda day: f"2026-06-{day} r"),
                body=st.integers(0, 40).map(lambda number: f"other {number}"),
            ),
            st.builds(Delete, file=st.just("a.md"), match=st.integers(10, 30).map(str)),
            st.builds(
                Move, file=st.just("a.md"), match=st.integers(10, 30).map(str), to=st.just("b.md")
            ),
        ),
        max_size=25,
    ),
    rotate_every=st.integers(1, 6),
)
def test_any_operations_and_rotations_keep_every_block_once(
    tmp_path_factory: pytest.TempPathFactory, operations: list[Operation], rotate_every: int
) -> None:
    home = Home(str(tmp_path_factory.mktemp("any")))
    home.prepare()
    desk = Desk(home)
    archive = Path(home.root) / "logs" / "context_archive.md"
    expected: list[tuple[str, str, str]] = []
    for number, operation in enumerate(operations):
        with suppress(NoteRefusedError):
            (change,) = desk.write(operation, limit=400).changes
            expected = _after(operation, change, expected)
        if number % rotate_every == 0 and "CONTEXT.md" in desk.tree():
            rotate(desk.notes / "CONTEXT.md", keep=2, archive=archive, lock_dir=Path(home.run))

    texts = desk.tree()
    if archive.exists():
        texts["CONTEXT.md"] += archive.read_bytes().decode()
    found = [
        (name, block.heading, block.text.partition("\n")[2].strip())
        for name, text in texts.items()
        for block in split_blocks(text).blocks
    ]
    assert sorted(found) == sorted(expected)


def _after(
    operation: Operation, change: Change, blocks: list[tuple[str, str, str]]
) -> list[tuple[str, str, str]]:
    """Do the same to a list of file, heading and body."""
    if isinstance(operation, Append):
        return [*blocks, (operation.file, change.heading, operation.body.strip())]
    (old,) = [
        block for block in blocks if block[0] == operation.file and operation.match in block[1]
    ]
    left = [block for block in blocks if block is not old]
    if isinstance(operation, Replace):
        return [*left, (operation.file, change.heading, operation.body.strip())]
    return [*left, (operation.to, *old[1:])] if isinstance(operation, Move) else left

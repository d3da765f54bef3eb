"""Whole lines from where reading stopped, whatever state the file is in."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.longterm import transcript_file
from runtime.longterm.transcript_file import mark_at, problem, read_new
from tests.longterm.session import answer, prompt

LINES = (prompt("u1", "日本 \u2028 語"), answer("a1", "答え\x85"), prompt("u2", "x" * 300))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "transcript.jsonl"


def uuids(path: Path, offset: int = 0) -> list[str | None]:
    new = read_new(str(path), mark_at(str(path), offset))
    return [read.line.uuid for read in new.lines]


def test_a_missing_path_is_missing() -> None:
    assert problem("") == "missing"


def test_each_kind_of_unusable_file_has_its_reason(path: Path, tmp_path: Path) -> None:
    fifo, link = tmp_path / "fifo", tmp_path / "link"
    os.mkfifo(fifo)
    link.symlink_to(path)

    reasons = [problem(str(path)), problem(str(link)), problem(str(tmp_path)), problem(str(fifo))]
    path.touch()
    reasons += [problem(str(path)), problem("nul\0byte"), problem(str(tmp_path / ("x" * 300)))]
    path.write_bytes(b"x")

    assert reasons == [
        "missing", "missing", "not a file", "not a file", "empty", "not readable", "not readable",
    ]  # fmt: skip
    assert problem(str(path)) is None


def test_a_file_that_nobody_may_read_is_not_readable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The permission is looked up, since root may read everything."""
    path.write_bytes(b"x")
    monkeypatch.setattr(os, "access", lambda *_: False)

    assert problem(str(path)) == "not readable"


@given(cut=st.integers(0, sum(map(len, LINES))))
def test_a_torn_tail_is_left_for_the_next_reading(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Also one that is torn inside a character; no line is read twice or lost."""
    path = tmp_path_factory.mktemp("torn") / "t.jsonl"
    data = b"".join(LINES)
    path.write_bytes(data[:cut])
    first = read_new(str(path), None)
    mark = mark_at(str(path), first.end)
    path.write_bytes(data)

    second = read_new(str(path), mark)

    read = [*first.lines, *second.lines]
    assert [item.line.uuid for item in read] == ["u1", "a1", "u2"]
    assert [item.offset for item in read] == [0, len(LINES[0]), len(LINES[0] + LINES[1])]
    assert second.end == len(data)
    assert not first.skipped
    assert not second.skipped


def test_a_last_line_without_its_line_end_is_read_when_it_is_whole(path: Path) -> None:
    path.write_bytes(LINES[0].removesuffix(b"\n"))

    new = read_new(str(path), None)

    assert [read.line.uuid for read in new.lines] == ["u1"]
    assert new.end == len(LINES[0]) - 1


@pytest.mark.parametrize(
    ("raw", "skipped"),
    [
        (b"\n", {}),
        (b"\r\n", {}),
        (b"not json\n", {"unreadable": 1}),
        (b"[1]\n", {"unreadable": 1}),
        (b"\xff\xfe\n", {"unreadable": 1}),
        (b'{"type": "user", "message": 5}\n', {"unreadable": 1}),
        (b"[" * 5000 + b"\n", {"unreadable": 1}),
        (b'{"type": "from-next-year"}\n', {"from-next-year": 1}),
        (b'{"type": ["user"]}\n', {"untyped": 1}),
        (b"{}\n", {"untyped": 1}),
    ],
)
def test_a_line_that_is_nobodys_is_passed_over_and_counted(
    raw: bytes, skipped: dict[str, int], path: Path
) -> None:
    path.write_bytes(LINES[0] + raw + LINES[1])

    new = read_new(str(path), None)

    assert [read.line.uuid for read in new.lines] == ["u1", "a1"]
    assert new.skipped == skipped


def test_reading_goes_on_at_the_mark(path: Path) -> None:
    path.write_bytes(b"".join(LINES))

    assert uuids(path, len(LINES[0])) == ["a1", "u2"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (LINES[0], "cut short"),
        (LINES[0] + LINES[2] * 3, "longer, with the same first line"),
        (LINES[2] * 3, "another first line"),
    ],
)
def test_a_file_that_is_not_the_marked_one_is_read_from_its_start(
    data: bytes, why: str, path: Path
) -> None:
    path.write_bytes(LINES[0] + LINES[1])
    mark = mark_at(str(path), len(LINES[0] + LINES[1]))
    path.write_bytes(data)

    assert read_new(str(path), mark).start == 0, why


def test_what_stands_far_behind_the_beginning_is_compared_too(path: Path) -> None:
    begin = LINES[0] * 500
    path.write_bytes(begin + LINES[1])
    mark = mark_at(str(path), len(begin + LINES[1]))
    path.write_bytes(begin + LINES[1].replace(b"a1", b"b1"))

    assert read_new(str(path), mark).start == 0


def test_a_reading_is_bounded_and_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_file, "MAX_READ_BYTES", len(LINES[0]) + 10)
    path.write_bytes(b"".join(LINES))

    first = read_new(str(path), None)

    assert [read.line.uuid for read in first.lines] == ["u1"]
    assert (first.at_end, first.end) == (False, len(LINES[0]))


def test_a_line_longer_than_a_reading_is_read_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_file, "MAX_READ_BYTES", 50)
    path.write_bytes(b"".join(LINES))

    assert uuids(path, len(LINES[0] + LINES[1])) == ["u2"]


def test_a_reading_that_is_exactly_as_long_as_the_file_is_at_its_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_file, "MAX_READ_BYTES", len(LINES[0]))
    path.write_bytes(LINES[0])

    assert read_new(str(path), None).at_end

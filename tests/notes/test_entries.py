"""The blocks that an inventory looks at."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from runtime.notes.entries import Entry, newest_first, of_memory, parse_note, read_notes
from tests.notes.made import memory


def seen(text: str, path: str = "/notes/a.md") -> list[tuple[int | None, str, str | None]]:
    entries = parse_note(text, path).entries
    return [(entry.place.line, entry.place.heading, entry.place.date) for entry in entries]


@pytest.mark.parametrize(
    ("text", "blocks", "why"),
    [
        ("", [], "nothing is no block"),
        ("\n \n", [], "nor are blanks"),
        ("---\ndate: 2026-06-11\n---\n", [], "nor front matter alone"),
        ("just text\n", [(1, "", None)], "a file without headings is one block"),
        ("\n\njust text\n", [(3, "", None)], "which begins where it says something"),
        ("# Title\n", [(1, "Title", None)], "a title alone is the file's only block"),
        ("# Title\n\ntext\n", [(1, "Title", None)], "with its text it is one, too"),
        ("# A\nx\n# B\ny\n", [(1, "A", None), (3, "B", None)], "H1s cut where no H2 does"),
        ("# A\n\n## B\nx\n", [(3, "B", None)], "above blocks a bare title is none"),
        ("# A\nx\n## B\ny\n", [(1, "A", None), (3, "B", None)], "one that says something is"),
        ("<!-- x -->\n## B\ny\n", [(2, "B", None)], "a comment says nothing"),
        ("## A\nx\n# T\ny\n", [(1, "A", None)], "an H1 below an H2 belongs to it"),
        ("```\n## no\n```\n## A\n", [(1, "", None), (4, "A", None)], "a fence holds no heading"),
    ],
)
def test_a_note_is_cut_into_blocks(
    text: str, blocks: list[tuple[int, str, str | None]], why: str
) -> None:
    assert seen(text) == blocks, why


@pytest.mark.parametrize(
    ("text", "date", "origin"),
    [
        ("## 2026-06-11 A\nx\n", "2026-06-11", "heading"),
        ("# 2026-06-11 T\n\n## A\nx\n", "2026-06-11", "parent"),
        ("---\ndate: 2026-06-11\n---\n## A\nx\n", "2026-06-11", "front matter"),
        ("## A\nx\n", "2026-05-05", "file name"),
        ("## 2026-06-11 A\nx\n### 2026-06-20 B\ny\n", "2026-06-20", "heading"),
        ("## 2026-06-11 A\nx\n### 2026-06-01 B\ny\n", "2026-06-11", "heading"),
        ("## A\nx\n### 2026-06-20 B\ny\n", "2026-06-20", "heading"),
        ("# 2026-06-11 T\n\ntext\n", "2026-06-11", "heading"),
    ],
)
def test_a_block_s_date_is_one_that_somebody_wrote(text: str, date: str, origin: str) -> None:
    (entry,) = parse_note(text, "/notes/2026-05-05.md").entries

    assert (entry.place.date, entry.place.date_origin) == (date, origin)


def test_the_time_of_a_file_is_no_date(root: Path) -> None:
    """A26: touched, cloned or copied, every block of a file looked new, and none ever stale."""
    path = root / "a.md"
    path.write_text("## Undated\nx\n\n## 2020-01-01 Old\ny\n", encoding="utf-8")
    os.utime(path, (0, 0))

    (file,) = read_notes([str(root)], [], 1000).files

    assert [entry.place.date for entry in file.entries] == [None, "2020-01-01"]


def test_a_long_section_has_one_date() -> None:
    text = "## 2026-06-11 A\n" + "A line of text that is not short.\n" * 200 + "## B\nx\n"

    assert seen(text) == [(1, "2026-06-11 A", "2026-06-11"), (202, "B", None)]


@pytest.mark.parametrize(
    ("text", "is_empty"),
    [
        ("## A\n", True),
        ("## A\n\n<!-- later -->\n", True),
        ("## A\n### B\n\n", True),
        ("## A\n### B\nx\n", False),
        ("## A\n```\n```\n", False),
    ],
)
def test_a_block_of_headings_alone_is_empty(text: str, is_empty: bool) -> None:
    (entry,) = parse_note(text, "a.md").entries

    assert entry.is_empty is is_empty


def test_marks_dates_and_blanks_at_line_ends_are_not_compared() -> None:
    (entry,) = parse_note("## 2026-06-11 A  \r\n\r\nx  \r\n  y\r\n\r\n", "a.md").entries

    assert (entry.text, entry.body) == ("A\nx\n  y", "x  \n  y")


def test_what_is_private_is_taken_out_and_told() -> None:
    text = "## A\n<private>\nmine\n</private>\nx\n## B\nopen\n"

    private, opened = parse_note(text, "a.md").entries

    assert "mine" not in private.text + private.body
    assert (private.is_whole, opened.is_whole) == (False, True)
    assert opened.place.line == 6


def test_files_that_cannot_be_read_are_named_and_the_rest_is_read(root: Path) -> None:
    """One Shift_JIS file stopped the older report (A16)."""
    (root / "a.md").write_bytes("## 決定\n".encode("shift_jis"))
    (root / "b.md").write_text("x" * 2000, encoding="utf-8")
    (root / "c.md").write_text("## C\nx\n", encoding="utf-8")
    os.mkfifo(root / "d.md")

    notes = read_notes([str(root)], [], 1000)

    assert [os.path.basename(file.path) for file in notes.files] == ["c.md"]
    assert dict(notes.problems).keys() == {str(root / name) for name in ("a.md", "b.md", "d.md")}


def test_archives_are_left_out(root: Path) -> None:
    for name in ("a.md", "archive/a.md", "sub/archive/b.md", "archived.md", "context_archive.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("## A\nx\n", encoding="utf-8")

    notes = read_notes([str(root)], [str(root / "context_archive.md")], 1000)

    names = [os.path.relpath(file.path, root) for file in notes.files]
    assert names == ["a.md", "archived.md"]


def test_an_archive_that_is_a_root_itself_is_read(root: Path) -> None:
    folder = root / "archive"
    folder.mkdir()
    (folder / "a.md").write_text("## A\nx\n", encoding="utf-8")

    assert len(read_notes([str(folder)], [], 1000).files) == 1


def test_sizes_are_characters() -> None:
    file = parse_note("# 前文\n\n## A\nx\n", "a.md")

    assert (file.chars, file.preamble_chars) == (13, 6)
    assert parse_note("# 前文\n", "a.md").preamble_chars == 0


def test_a_memory_has_the_day_of_its_capture() -> None:
    made = memory(7, "one  \ntwo\n", created_at="2026-06-11T12:00:00.000Z", project_key="p")

    entry = of_memory(made)

    day = datetime(2026, 6, 11, 12, tzinfo=UTC).astimezone().date().isoformat()
    assert (entry.place.id, entry.place.date, entry.place.date_origin) == (7, day, "event")
    assert (entry.text, entry.group, entry.is_pinned) == ("one\ntwo", "p", False)


def test_the_newest_comes_first_and_of_one_day_the_one_read_first() -> None:
    text = "## 2026-06-01 A\n1\n## B\n2\n## 2026-06-02 C\n3\n## 2026-06-02 D\n4\n"

    entries: list[Entry] = newest_first(parse_note(text, "a.md").entries)

    assert [entry.body for entry in entries] == ["3", "4", "1", "2"]

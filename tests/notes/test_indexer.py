"""The index is a shadow of the files: whatever happens to them, it follows."""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from runtime.notes import indexer
from runtime.notes.finding import find_files
from runtime.notes.indexer import Indexed, reindex
from runtime.notes.sections import read_note
from runtime.store.chunks import Note
from runtime.store.note_files import NoteFile
from runtime.store.store import Store
from tests.notes.shadow import MAX_BYTES, check, chunks, found, ids, index, write


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose text is read, as it happens."""
    names: list[str] = []

    def counted(file: NoteFile, max_bytes: int) -> Note:
        names.append(os.path.basename(file.path))
        return read_note(file, max_bytes)

    monkeypatch.setattr(indexer, "read_note", counted)
    return names


async def test_every_section_is_found_with_its_lines_and_its_date(store: Store, root: Path) -> None:
    path = write(root / "a.md", "# Top\n\n## 2026-06-01 One\nalpha\n\n### Detail\nbeta\n")

    done = await index(store, root)

    assert done == Indexed(1, 1, 3, 0, ())
    source = str(path)
    assert [(*row[:4], *row[5:]) for row in (await chunks(store.connection))[1:]] == [
        (source, 1, "2026-06-01 One", "Top › 2026-06-01 One", 3, 4, "2026-06-01", "heading"),
        (source, 2, "Detail", "Top › 2026-06-01 One › Detail", 6, 7, "2026-06-01", "parent"),
    ]


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Move the person to another time zone."""

    def move(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("name", "day"), [("Asia/Tokyo", "2026-06-11"), ("UTC", "2026-06-10"), ("UTC+8", "2026-06-10")]
)
async def test_a_file_without_a_date_has_the_day_of_its_last_change_where_the_person_lives(
    store: Store, root: Path, zone: Callable[[str], None], name: str, day: str
) -> None:
    one_in_the_morning_in_tokyo = datetime(2026, 6, 10, 16, tzinfo=UTC).timestamp()
    path = write(root / "a.md", "text\n")
    os.utime(path, (0, one_in_the_morning_in_tokyo))
    zone(name)

    await index(store, root)

    [row] = await chunks(store.connection)
    assert row[-2:] == (day, "file time")


async def test_a_time_beyond_the_calendar_ends_no_run(store: Store, root: Path) -> None:
    os.utime(write(root / "a.md", "oddword\n"), (0, -90_000_000_000))

    await index(store, root)

    assert await found(store, "oddword") == ["a.md"]


async def test_a_touched_file_changes_the_date_of_undated_sections_only(
    store: Store, root: Path
) -> None:
    """A26: a copy or a sync changes the time of a file; no section with a date follows it."""
    path = write(root / "a.md", "undated\n\n## 2020-01-01 One\nx\n")
    os.utime(path, (0, 1_750_000_000))
    await index(store, root)
    before = await ids(store)

    os.utime(path, (0, 1_760_000_000))
    done = await index(store, root)

    assert (done.added, done.removed) == (0, 0)
    assert await ids(store) == before
    assert [row[-2:] for row in await chunks(store.connection)] == [
        ("2025-10-09", "file time"),
        ("2020-01-01", "heading"),
    ]


async def test_a_section_that_moved_keeps_its_row_and_gets_new_lines(
    store: Store, root: Path
) -> None:
    """A2: an insertion above used to leave the old line numbers."""
    path = write(root / "a.md", "## One\nalpha\n")
    await index(store, root)
    before = await ids(store)

    write(path, "## Zero\nomega\n\n## One\nalpha\n")
    done = await index(store, root)

    assert (done.added, done.removed) == (1, 0)
    after = await ids(store)
    assert after["One"] == (*before["One"][:1], 4, 5)


async def test_a_renamed_heading_renames_and_dates_every_part_of_its_section(
    store: Store, root: Path
) -> None:
    """A3: parts of a long section used to keep the old heading and its date."""
    body = "\n\n".join(f"paragraph {n} " + "x" * 400 for n in range(10))
    path = write(root / "a.md", f"## 2020-01-01 Old\n{body}\n")
    await index(store, root)

    write(path, f"## 2026-06-01 New\n{body}\n")
    await index(store, root)

    rows = await chunks(store.connection)
    assert len(rows) > 2
    assert {(row[2], row[3], row[7]) for row in rows} == {
        ("2026-06-01 New", "2026-06-01 New", "2026-06-01")
    }
    assert await found(store, "Old") == []
    await check(store)


async def test_the_same_block_in_two_files_is_found_in_both(store: Store, root: Path) -> None:
    """A1: deleting one file used to lose the other's block too."""
    for name in ("a.md", "b.md"):
        write(root / name, "## 2026-06-01 Same\nsharedword\n")
    await index(store, root)
    assert await found(store, "sharedword") == ["a.md", "b.md"]

    (root / "a.md").unlink()
    done = await index(store, root)

    assert (done.files, done.changed, done.added) == (1, 0, 0)
    assert await found(store, "sharedword") == ["b.md"]


async def test_an_edited_section_replaces_its_old_text(store: Store, root: Path) -> None:
    path = write(root / "a.md", "## One\noldword\n\n## Two\nstays\n")
    await index(store, root)

    write(path, "## One\nnewword\n\n## Two\nstays\n")
    done = await index(store, root)

    assert (done.changed, done.added, done.removed) == (1, 1, 1)
    assert await found(store, "oldword") == []
    assert await found(store, "newword") == ["a.md"]
    await check(store)


async def test_a_file_below_two_roots_is_indexed_once(store: Store, root: Path) -> None:
    write(root / "sub/a.md", "word")

    done = await index(store, root, root / "sub")
    again = await index(store, root / "sub")

    assert (done.files, done.changed) == (1, 1)
    assert (again.files, again.added, again.removed) == (1, 0, 0)
    assert await found(store, "word") == ["a.md"]


async def test_a_file_may_be_a_root_itself(store: Store, root: Path) -> None:
    path = write(root / "archive.001.md", "word")

    await index(store, path)

    assert await found(store, "word") == ["archive.001.md"]


async def test_one_bad_file_is_reported_and_the_rest_is_indexed(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A16: one file in Shift_JIS used to end the whole run."""
    (root / "a-sjis.md").write_bytes("## 決定\n日本語".encode("shift_jis"))
    os.mkfifo(root / "b-fifo.md")
    write(root / "c-large.md", "x" * (MAX_BYTES + 1))
    write(root / "d-locked.md", "text")
    write(root / "z.md", "goodword")
    opened = os.open

    def refusing(path: str, flags: int, *rest: int) -> int:
        if str(path).endswith("d-locked.md"):
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *rest)

    monkeypatch.setattr(os, "open", refusing)

    done = await index(store, root)
    again = await index(store, root)

    names = [os.path.basename(path) for path, _reason in done.problems]
    assert names == ["a-sjis.md", "b-fifo.md", "c-large.md", "d-locked.md"]
    assert "not a regular file" in done.problems[1][1]
    assert f"{MAX_BYTES:,}" in done.problems[2][1]
    assert await found(store, "goodword") == ["z.md"]
    assert (again.changed, again.problems) == (0, done.problems)


async def test_a_file_is_indexed_once_its_rights_or_the_settings_allow_it(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch, logged: list[dict[str, object]]
) -> None:
    """Neither changes the file's time; what is as bad as before is not logged again."""
    write(root / "large.md", "largeword" * 20_000)
    write(root / "locked.md", "lockedword")
    opened = os.open

    def refusing(path: str, flags: int, *rest: int) -> int:
        if str(path).endswith("locked.md"):
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refusing)
        await index(store, root)
        await index(store, root)
    done = await reindex(store, [str(root)], 1_000_000)

    assert [line["event"] for line in logged] == ["note_unreadable"] * 2
    assert (done.changed, done.problems) == (2, ())
    assert await found(store, "lockedword") == ["locked.md"]


async def test_a_bad_file_that_was_mended_is_no_problem_any_more(store: Store, root: Path) -> None:
    path = root / "a.md"
    path.write_bytes("日本語".encode("shift_jis"))
    await index(store, root)

    write(path, "日本語 mended")
    done = await index(store, root)

    assert done.problems == ()
    assert await found(store, "mended") == ["a.md"]


async def test_a_file_that_became_unreadable_is_not_found_by_its_old_text(
    store: Store, root: Path
) -> None:
    path = write(root / "a.md", "oldword")
    await index(store, root)

    path.write_bytes(b"\xff\xff")
    await index(store, root)

    assert await found(store, "oldword") == []
    await check(store)


async def test_hidden_and_foreign_files_are_left_alone(store: Store, root: Path) -> None:
    for name in (".hidden.md", ".git/a.md", "a.txt", "a.md.bak", ".note.md.icloud", "md"):
        write(root / name, "word")
    for name in ("a.md", "B.MD", "c.markdown", "sub/深い/d.md"):
        write(root / name, "word")

    await index(store, root)

    assert await found(store, "word") == ["B.MD", "a.md", "c.markdown", "d.md"]


async def test_an_unchanged_run_opens_no_file_and_writes_nothing(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A30: every file used to be read and cut again before every search."""
    for name in ("a.md", "sub/b.md"):
        write(root / name, name)
    await index(store, root)
    opened: list[object] = []
    statements: list[str] = []
    monkeypatch.setattr(os, "open", lambda *arguments: opened.append(arguments))
    await store.connection.set_trace_callback(lambda text: statements.append(text.split()[0]))

    done = await index(store, root)

    await store.connection.set_trace_callback(None)
    assert done == Indexed(2, 0, 0, 0, ())
    assert opened == []
    assert statements == []  # what it reads, it reads without waiting for a writer


async def test_a_file_that_stays_unreadable_is_looked_at_again_and_not_written_again(
    store: Store, root: Path
) -> None:
    """Else one of them has every search and every turn wait for a writer."""
    write(root / "a.md", "word")
    os.mkfifo(root / "b.md")
    write(root / "c.md", "x" * (MAX_BYTES + 1))
    first = await index(store, root)
    statements: list[str] = []
    await store.connection.set_trace_callback(lambda text: statements.append(text.split()[0]))

    done = await index(store, root)

    await store.connection.set_trace_callback(None)
    assert len(done.problems) == 2
    assert done.problems == first.problems
    assert statements == []


async def test_a_changed_run_reads_only_what_changed(
    store: Store, root: Path, read: list[str]
) -> None:
    for name in ("a.md", "b.md"):
        write(root / name, name)
    await index(store, root)
    read.clear()

    write(root / "b.md", "longer than before")
    await index(store, root)

    assert read == ["b.md"]


async def test_loops_and_dangling_links_end_the_walk(store: Store, root: Path) -> None:
    write(root / "a.md", "word")
    (root / "loop").symlink_to(root)
    (root / "self.md").symlink_to(root / "self.md")
    (root / "dangling.md").symlink_to(root / "nowhere.md")
    (root / "folder.md").mkdir()
    (root / "linked.md").symlink_to(root / "a.md")

    done = await index(store, root)

    assert done.problems == ()
    assert await found(store, "word") == ["a.md", "linked.md"]


def test_a_root_that_is_a_link_is_walked(tmp_path: Path, root: Path) -> None:
    write(root / "a.md", "word")
    link = tmp_path / "link"
    link.symlink_to(root)

    assert [file.path for file in find_files([str(link)]).files] == [str(link / "a.md")]

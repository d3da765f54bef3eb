"""The notes as a session sees them."""

import os
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from runtime.locks import file_lock
from runtime.notes.book import NoteBook, archive_of, archives, folders, read_overview
from runtime.notes.rotation import lock_path
from runtime.paths import Home
from runtime.setting_sections import Notes
from runtime.settings import Settings
from runtime.store.search import search
from runtime.store.store import open_store

CONTEXT = (
    "# Work\n\n## 2026-11-30 Parser\nnewest\n\n## 2026-11-29 Lexer\nolder\n\n## Start\noldest\n"
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(str(tmp_path / "home"))
    made.prepare()
    return made


def write(path: Path | str, text: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return str(path)


def configured(**notes: object) -> Settings:
    return Settings(notes=Notes.model_validate(notes))


def test_the_newest_block_is_shown_and_the_others_are_counted(home: Home) -> None:
    path = write(f"{home.notes}/CONTEXT.md", CONTEXT)

    seen = read_overview(home, Settings())

    assert seen.context == "## 2026-11-30 Parser\nnewest"
    assert (seen.context_path, seen.context_date, seen.older_blocks) == (path, "2026-11-30", 2)


def test_as_many_blocks_as_configured_are_shown(home: Home) -> None:
    write(f"{home.notes}/CONTEXT.md", CONTEXT)
    settings = Settings().model_copy(
        update={"inject": Settings().inject.model_copy(update={"blocks": 2})}
    )

    seen = read_overview(home, settings)

    assert seen.context.endswith("older")
    assert seen.older_blocks == 1


def test_a_configured_context_comes_before_one_in_the_folders(home: Home, tmp_path: Path) -> None:
    write(f"{home.notes}/CONTEXT.md", CONTEXT)
    other = write(tmp_path / "work" / "NOW.md", "## Here\nthis one\n")

    seen = read_overview(home, configured(context=other))

    assert (seen.context, seen.context_date) == ("## Here\nthis one", None)


def test_the_table_of_contents_names_files_by_folder(home: Home) -> None:
    write(f"{home.notes}/b.md", "x")
    write(f"{home.notes}/sub/a.md", "x")

    assert read_overview(home, Settings()).contents == ("b.md", "sub/a.md")


def test_a_long_table_of_contents_says_how_much_is_missing(home: Home) -> None:
    for number in range(103):
        write(f"{home.notes}/{number:03d}.md", "x")

    seen = read_overview(home, Settings())

    assert len(seen.contents) == 100
    assert seen.unlisted == 3


@pytest.mark.parametrize("kind", ["missing", "fifo", "folder", "empty", "shift_jis", "no blocks"])
def test_a_context_that_cannot_be_shown_is_no_failure(
    kind: str, home: Home, tmp_path: Path
) -> None:
    path = tmp_path / "CONTEXT.md"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind != "missing":
        texts = {"empty": "", "shift_jis": "日本語", "no blocks": "# Title\ntext\n"}
        path.write_bytes(texts[kind].encode("shift_jis"))

    seen = read_overview(home, configured(context=str(path)))

    assert (seen.context, seen.context_date, seen.older_blocks) == ("", None, 0)


def test_no_more_of_a_huge_context_is_read_than_is_needed(home: Home) -> None:
    write(f"{home.notes}/CONTEXT.md", "## First\nnewest\n" + "## Next\nx\n" * 500_000)

    seen = read_overview(home, Settings())

    assert seen.context == "## First\nnewest"
    assert seen.older_blocks < 150_000


def test_without_notes_there_is_nothing_to_see(tmp_path: Path) -> None:
    seen = read_overview(Home(str(tmp_path / "nowhere")), Settings())

    assert (seen.context, seen.context_path, seen.contents) == ("", "", ())


def test_folders_are_absolute_and_each_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A18: a relative name must not depend on where the next command is started."""
    monkeypatch.chdir(home.root)

    assert folders(home, configured(dirs=("notes", home.notes))) == (home.notes,)
    assert folders(home, Settings()) == (home.notes,)


def test_the_archive_lies_beside_the_memory_folder_unless_it_is_configured(
    tmp_path: Path,
) -> None:
    context = tmp_path / "memory" / "CONTEXT.md"

    assert archive_of(context, Settings()) == tmp_path / "logs" / "context_archive.md"
    assert archive_of(context, configured(archive="/a/b.md")) == Path("/a/b.md")


def test_every_part_of_the_archive_is_an_archive(tmp_path: Path) -> None:
    settings = configured(context=str(tmp_path / "memory" / "CONTEXT.md"))
    assert archives(settings) == []

    for name in ("context_archive.md", "context_archive.001.md", "other.md"):
        write(tmp_path / "logs" / name, "x")

    names = [os.path.basename(path) for path in archives(settings)]
    assert names == ["context_archive.001.md", "context_archive.md"]


async def test_what_rotated_out_can_still_be_found(home: Home, tmp_path: Path) -> None:
    context = write(tmp_path / "memory" / "CONTEXT.md", CONTEXT)
    settings = configured(context=context, dirs=(str(tmp_path / "memory"),), keep_blocks=1)
    async with open_store(home.database, 5.0) as store:
        book = NoteBook(home, settings, store)

        rotated = await book.rotate()
        await book.refresh()

        assert rotated is not None
        assert (rotated.archived, rotated.kept) == (2, 1)
        [hit] = await search(store.reader, "oldest", 5)
        assert hit.source.endswith("context_archive.md")


@pytest.mark.parametrize("kind", ["not configured", "missing", "dry"])
async def test_there_may_be_nothing_to_rotate(kind: str, home: Home, tmp_path: Path) -> None:
    context = write(tmp_path / "memory" / "CONTEXT.md", CONTEXT)
    path = {"not configured": "", "missing": str(tmp_path / "nowhere.md")}.get(kind, context)
    settings = configured(context=path, keep_blocks=1)

    assert await NoteBook(home, settings, None, is_dry=kind == "dry").rotate() is None
    assert Path(context).read_text(encoding="utf-8") == CONTEXT


def test_a_rotation_that_would_have_to_wait_is_left_to_the_next_turn(
    home: Home, tmp_path: Path, logged: list[MutableMapping[str, Any]]
) -> None:
    """Nothing is lost, the hook goes on, and the log says so."""
    context = write(tmp_path / "memory" / "CONTEXT.md", CONTEXT)
    settings = Settings.model_validate(
        {"notes": {"context": context, "keep_blocks": 1}, "hook": {"budget_s": 0.1}}
    )
    book = NoteBook(home, settings, None)
    with file_lock(lock_path(Path(home.run), Path(context)), 5.0):
        held = anyio.run(book.rotate)
    free = anyio.run(book.rotate)

    assert held is None
    assert [line["event"] for line in logged] == ["rotation_skipped"]
    assert free == (2, 1)


async def test_without_a_store_there_is_no_index_to_refresh(home: Home) -> None:
    book = NoteBook(home, Settings(), None)

    await book.refresh()

    assert (await book.overview()).contents == ()


@pytest.mark.parametrize("name", ["context_archive.md", "context_archive.001.md"])
def test_an_archive_among_the_notes_is_neither_shown_nor_named(home: Home, name: str) -> None:
    """It grows for years: search finds it, and nobody is told all of it."""
    write(f"{home.notes}/{name}", "## 2026-01-01 old\nx\n")
    write(f"{home.notes}/mem.md", "x")

    seen = read_overview(home, Settings())

    assert (seen.context, seen.contents, seen.unlisted) == ("", ("mem.md",), 0)


def test_an_archive_of_another_name_is_not_taken_for_the_context(home: Home) -> None:
    archive = write(f"{home.notes}/old/CONTEXT.md", CONTEXT)
    current = write(f"{home.notes}/work/NOW.md", "## Now\nx\n")

    seen = read_overview(home, configured(context=current, archive=archive))

    assert seen.context == "## Now\nx"
    assert seen.contents == ("work/NOW.md",)

"""Folders come and go: nothing is forgotten silently, nothing is found that should not be."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.notes.book import refresh, refresh_file
from runtime.notes.changes import Aside
from runtime.notes.indexer import Indexed, reindex
from runtime.paths import Home
from runtime.setting_sections import Notes
from runtime.settings import Settings
from runtime.store.note_files import OUTSIDE, known_problems
from runtime.store.stats import counts
from runtime.store.store import Store
from tests.notes.shadow import MAX_BYTES, check, found, index, write


class Case:
    """The case's two folders, and a home whose settings name some of them."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store

    def settings(self, *names: str) -> Settings:
        return Settings(notes=Notes(dirs=tuple(str(self.folder / name) for name in names)))

    async def reindex(self, *names: str, forget: bool = False) -> Indexed:
        home = Home(str(self.folder / "home"))
        return await refresh(home, self.settings(*names), self.store, forget=forget)

    async def index_one(self, path: Path, *names: str) -> Indexed:
        home = Home(str(self.folder / "home"))
        return await refresh_file(home, self.settings(*names), self.store, str(path))

    async def found(self) -> list[str]:
        words = ("alphafile", "betafile", "gammafile")
        return [word for word in words if await found(self.store, word)]


@pytest.fixture
def case(cases_dir: Path, tmp_path: Path, store: Store) -> Case:
    shutil.copytree(cases_dir / "S06", tmp_path / "case")
    return Case(tmp_path / "case", store)


ALL = ["alphafile", "betafile", "gammafile"]


async def test_indexing_one_file_leaves_the_others_alone(case: Case) -> None:
    await case.reindex("mem", "other")

    done = await case.index_one(case.folder / "mem" / "a.md", "mem", "other")

    assert done == Indexed(1, 1, 0, 0, ())
    assert await case.found() == ALL


async def test_a_folder_that_is_not_configured_any_more_is_told_and_not_searched(
    case: Case, logged: list[dict[str, object]]
) -> None:
    """A17: another project's notes used to stay searchable."""
    await case.reindex("mem", "other")

    done = await case.reindex("mem")
    again = await case.reindex("mem")

    other = Aside(str(case.folder / "other"), 1, "outside")
    assert await case.found() == ["alphafile", "betafile"]
    assert (done.aside, done.problems) == ((other,), ())
    assert again == Indexed(2, 0, 0, 0, (), (other,))
    assert [line["event"] for line in logged] == ["notes_outside"]
    assert (await counts(case.store.connection))["notes"] == 2
    await check(case.store)


async def test_a_folder_that_is_configured_again_is_found_again(case: Case) -> None:
    await case.reindex("mem", "other")
    await case.reindex("mem")

    done = await case.reindex("mem", "other")

    assert done == Indexed(3, 1, 1, 0, ())
    assert await case.found() == ALL
    await check(case.store)


async def test_a_configured_folder_that_does_not_exist_is_told_and_nothing_is_lost(
    case: Case,
) -> None:
    await case.reindex("mem", "other")
    await case.reindex("mem")

    done = await case.reindex("nowhere")
    back = await case.reindex("mem", "other")

    assert set(done.aside) == {
        Aside(str(case.folder / "nowhere"), 0, "missing"),
        Aside(str(case.folder / "mem"), 2, "outside"),
        Aside(str(case.folder / "other"), 1, "outside"),
    }
    assert (back.problems, back.aside) == ((), ())
    assert await case.found() == ALL


async def test_what_a_missing_folder_held_is_still_found_and_the_folder_is_told(
    case: Case, logged: list[dict[str, object]]
) -> None:
    """An unmounted disk is no deletion."""
    await case.reindex("mem", "other")
    (case.folder / "mem").rename(case.folder / "away")

    done = await case.reindex("mem", "other")
    (case.folder / "away").rename(case.folder / "mem")
    back = await case.reindex("mem", "other")

    assert done.aside == (Aside(str(case.folder / "mem"), 2, "missing"),)
    assert await case.found() == ALL
    assert back == Indexed(3, 0, 0, 0, ())
    assert [(line["event"], line["files"]) for line in logged] == [("notes_missing", 2)]


async def test_what_a_folder_held_that_is_suddenly_empty_is_still_found_and_told(
    case: Case,
) -> None:
    """A mount point without its disk, a cloud folder that is not downloaded yet."""
    await case.reindex("mem", "other")
    for name in ("a.md", "b.md"):
        (case.folder / "mem" / name).rename(case.folder / f"{name}.icloud")

    done = await case.reindex("mem", "other")
    for name in ("a.md", "b.md"):
        (case.folder / f"{name}.icloud").rename(case.folder / "mem" / name)
    back = await case.reindex("mem", "other")

    assert done.aside == (Aside(str(case.folder / "mem"), 2, "empty"),)
    assert (done.added, done.removed) == (0, 0)
    assert await case.found() == ALL
    assert back == Indexed(3, 0, 0, 0, ())


async def test_the_last_note_of_a_folder_is_forgotten_with_a_warning(
    case: Case, logged: list[dict[str, object]]
) -> None:
    await case.reindex("mem", "other")
    (case.folder / "other" / "c.md").unlink()

    done = await case.reindex("mem", "other")

    assert done.aside == (Aside(str(case.folder / "other"), 1, "emptied"),)
    assert await case.found() == ["alphafile", "betafile"]
    assert [(line["event"], line["state"]) for line in logged] == [("notes_missing", "emptied")]


@pytest.mark.parametrize("what", ["outside", "missing", "empty"])
async def test_what_was_kept_is_forgotten_when_told_to(case: Case, what: str) -> None:
    await case.reindex("mem", "other")
    names = ["other"] if what == "outside" else ["mem", "other"]
    if what == "missing":
        shutil.rmtree(case.folder / "mem")
    elif what == "empty":
        for name in ("a.md", "b.md"):
            (case.folder / "mem" / name).unlink()
    await case.reindex(*names)

    done = await case.reindex(*names, forget=True)
    again = await case.reindex(*names)

    assert await case.found() == ["gammafile"]
    missing = (Aside(str(case.folder / "mem"), 0, "missing"),) if what == "missing" else ()
    assert (done.aside, again.aside) == (missing, missing)
    assert (await counts(case.store.connection))["notes"] == 1
    assert await case.store.reader.run(known_problems) == {}


async def test_a_file_outside_that_is_deleted_is_told_no_longer(case: Case) -> None:
    await case.reindex("mem", "other")
    await case.reindex("mem")
    (case.folder / "other" / "c.md").unlink()

    assert (await case.reindex("mem")).aside == ()


async def test_a_folder_that_was_renamed_with_its_setting_keeps_its_rows(case: Case) -> None:
    await case.reindex("mem", "other")
    (case.folder / "mem").rename(case.folder / "notes")

    done = await case.reindex("notes", "other")

    assert (done.changed, done.added, done.removed, done.aside) == (2, 0, 0, ())
    assert await case.found() == ALL
    await check(case.store)


async def test_a_folder_whose_notes_lie_in_another_configured_one_is_not_empty(
    store: Store, root: Path
) -> None:
    for name in ("a.md", "b.md", "sub/c.md"):
        write(root / name, "word")
    await index(store, root / "sub", root)
    (root / "a.md").unlink()
    (root / "b.md").unlink()

    done = await index(store, root / "sub", root)

    assert (done.removed, done.aside) == (2, ())


async def test_notes_that_a_new_pattern_leaves_out_are_forgotten_though_the_folder_is_empty_then(
    store: Store, root: Path
) -> None:
    write(root / "drafts/a.md", "word")
    write(root / "drafts/b.md", "word")
    await index(store, root)

    done = await reindex(store, [str(root)], MAX_BYTES, ignore=["drafts/"])

    assert (done.removed, done.aside) == (2, ())
    assert await found(store, "word") == []


async def test_below_a_folder_that_cannot_be_read_nothing_is_forgotten(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root / "a.md", "word")
    write(root / "sub/b.md", "word")
    await index(store, root)
    listing = os.scandir

    def refusing(path: str) -> object:
        if path == f"{root}/sub":
            raise PermissionError(13, "Permission denied")
        return listing(path)

    monkeypatch.setattr(os, "scandir", refusing)
    done = await index(store, root)

    assert done.problems == ((f"{root}/sub", "Permission denied"),)
    assert await found(store, "word") == ["a.md", "b.md"]


async def test_a_relative_folder_stays_the_same_from_another_directory(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A18: a relative path used to be taken for a deleted file from another directory."""
    monkeypatch.chdir(case.folder)
    await case.index_one(Path("mem/a.md"), "mem", "other")
    monkeypatch.chdir("/")

    done = await case.reindex("mem", "other")

    assert (done.files, done.changed, done.removed) == (3, 2, 0)
    assert await case.found() == ALL


# One file at once


def edited(path: Path) -> None:
    write(path, "## 2026-05-01 A\nnewword\n")


def removed(path: Path) -> None:
    path.unlink()


def broken(path: Path) -> None:
    path.write_bytes(b"\xff\xff")


@pytest.mark.parametrize(
    ("change", "problems"),
    [(edited, 0), (removed, 0), (broken, 1)],
    ids=["edited", "removed", "broken"],
)
async def test_one_file_is_followed_at_once(
    case: Case, change: Callable[[Path], None], problems: int
) -> None:
    path = case.folder / "mem" / "a.md"
    await case.reindex("mem", "other")
    change(path)

    done = await case.index_one(path, "mem", "other")
    after = await case.reindex("mem", "other")

    assert (done.removed, len(done.problems)) == (1, problems)
    assert await case.found() == ["betafile", "gammafile"]
    assert bool(await found(case.store, "newword")) == (change is edited)
    assert (after.changed, after.added, after.removed) == (0, 0, 0)
    await check(case.store)


async def test_a_new_file_is_found_at_once_whatever_its_time(case: Case) -> None:
    path = write(case.folder / "mem" / "sub" / "new.md", "firstword")
    os.utime(path, (0, 1_750_000_000))
    await case.index_one(path, "mem")

    write(path, "otherword")
    os.utime(path, (0, 1_750_000_000))
    await case.index_one(path, "mem")

    assert await found(case.store, "firstword") == []
    assert await found(case.store, "otherword") == ["new.md"]


@pytest.mark.parametrize("name", ["other/c.md", "mem/.hidden.md", "mem/node_modules/x.md"])
async def test_one_file_that_no_run_would_come_upon_is_left_out_and_told(
    case: Case, name: str
) -> None:
    path = write(case.folder / name, "gammafile")

    done = await case.index_one(path, "mem")

    assert [(place, reason[: len(OUTSIDE)]) for place, reason in done.problems] == [
        (str(path), OUTSIDE)
    ]
    assert await case.found() == []

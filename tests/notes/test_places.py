"""Which file a name means, and which may be written."""

from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from runtime.notes.places import Places
from runtime.notes.refusals import PlaceRefusedError
from runtime.paths import Home
from runtime.setting_sections import Notes
from runtime.settings import Settings


def places(tmp_path: Path, **notes: object) -> Places:
    home = Home(str(tmp_path / "home"))
    home.prepare()
    values = {"dirs": (str(tmp_path / "a"), str(tmp_path / "b")), **notes}
    return Places(home, Settings(notes=Notes.model_validate(values)))


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/sub", "b", "elsewhere", "logs"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")


def put(path: Path, text: str = "") -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def refused(tmp_path: Path, name: str, **notes: object) -> str:
    with pytest.raises(PlaceRefusedError) as caught:
        places(tmp_path, **notes).locate(name)
    return caught.value.reason


def test_a_new_name_is_a_file_in_the_first_folder(tmp_path: Path) -> None:
    place = places(tmp_path).locate("new/x.md")

    assert place.path == tmp_path / "a" / "new" / "x.md"
    assert place.indexed_as == str(tmp_path / "a" / "new" / "x.md")
    assert not place.newest_first


def test_a_name_that_one_folder_knows_is_that_file(tmp_path: Path) -> None:
    known = put(tmp_path / "b" / "x.md")

    assert places(tmp_path).locate("x.md").path == known


def test_the_working_folder_comes_first_when_it_is_one_of_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "a" / "x.md")
    monkeypatch.chdir(tmp_path / "b")

    assert places(tmp_path).locate("x.md").path == tmp_path / "b" / "x.md"


def test_a_name_in_two_folders_wants_the_whole_path(tmp_path: Path) -> None:
    first = put(tmp_path / "a" / "x.md")
    put(tmp_path / "b" / "x.md")

    assert refused(tmp_path, "x.md") == "many_files"
    assert places(tmp_path).locate(str(first)).path == first


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/passwd.md", "outside"),
        ("../elsewhere/x.md", "outside"),
        ("sub/../../elsewhere/x.md", "outside"),
        ("link.md", "outside"),
        ("door/x.md", "outside"),
        ("~/x.md", "outside"),
        ("x.txt", "not_markdown"),
        ("x", "not_markdown"),
        ("", "bad_name"),
        (".md", "not_markdown"),
        ("x.md\0.md", "bad_name"),
        ("x\n.md", "bad_name"),
        ("x\ud800.md", "bad_name"),
        ("x\u202e.md", "bad_name"),
        ("x" * 300 + ".md", "unwritable"),
        (" x.md", "bad_name"),
        ("\u3000x.md", "bad_name"),
        ("node_modules/x.md", "ignored"),
        ("drafts/x.md", "ignored"),
        (".x.md", "hidden"),
        (".git/x.md", "hidden"),
        ("sub", "not_markdown"),
        ("folder.md", "not_a_file"),
    ],
)
def test_what_may_not_be_written(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "a" / "link.md").symlink_to(put(tmp_path / "elsewhere" / "secret.md"))
    (tmp_path / "a" / "door").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "a" / "folder.md").mkdir()

    assert refused(tmp_path, name, ignore=("drafts/",)) == reason


def test_a_file_that_is_too_large_to_be_indexed_is_not_written(tmp_path: Path) -> None:
    """Nor read: judging its blocks takes minutes when it has a hundred megabytes."""
    put(tmp_path / "a" / "x.md", "x" * 1001)

    assert refused(tmp_path, "x.md", max_file_bytes=1000) == "not_indexed"
    assert places(tmp_path, max_file_bytes=1001).locate("x.md").path == tmp_path / "a" / "x.md"


def test_a_folder_that_is_left_out_may_be_one_of_notes_itself(tmp_path: Path) -> None:
    (tmp_path / "a" / "drafts").mkdir()
    dirs = (str(tmp_path / "a"), str(tmp_path / "a" / "drafts"))
    name = str(tmp_path / "a" / "drafts" / "x.md")

    assert places(tmp_path, dirs=dirs, ignore=("drafts/",)).locate(name).indexed_as == name


@pytest.mark.parametrize("name", ["仕事\u3000メモ.md", "two  blanks.md", "a b.md"])
def test_blanks_inside_a_name_are_no_obstacle(tmp_path: Path, name: str) -> None:
    known = put(tmp_path / "b" / name)

    assert places(tmp_path).locate(name).path == known


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_name_is_one_file_however_its_characters_are_composed(
    tmp_path: Path, form: Any, asked: Any, is_absolute: bool
) -> None:
    """What came from a Mac and what is typed look the same, and must not become two files."""
    folder = tmp_path / "b" / normalize(form, "プロジェクト")
    folder.mkdir()
    known = put(folder / normalize(form, "日記ガ.md"))
    name = normalize(asked, "プロジェクト/日記ガ.md")

    place = places(tmp_path).locate(str(tmp_path / "b" / name) if is_absolute else name)

    assert place.path == known
    assert place.indexed_as == str(known)


def test_a_link_to_a_note_is_that_note(tmp_path: Path) -> None:
    real = put(tmp_path / "a" / "sub" / "real.md")
    (tmp_path / "a" / "link.md").symlink_to(real)

    assert places(tmp_path).locate("link.md").path == real


def test_a_folder_that_is_a_link_is_indexed_under_its_name(tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(tmp_path / "b")
    put(tmp_path / "b" / "x.md")

    place = places(tmp_path, dirs=(str(tmp_path / "linked"),)).locate("x.md")

    assert place.path == tmp_path / "b" / "x.md"
    assert place.indexed_as == str(tmp_path / "linked" / "x.md")


def test_a_note_may_be_a_configured_root_itself(tmp_path: Path) -> None:
    note = put(tmp_path / "elsewhere" / "one.md")

    place = places(tmp_path, dirs=(str(note),)).locate(str(note))

    assert (place.path, place.indexed_as) == (note, str(note))


@pytest.mark.parametrize("name", ["CONTEXT.md", "{}/elsewhere/CONTEXT.md"])
def test_the_configured_context_may_lie_anywhere(tmp_path: Path, name: str) -> None:
    context = tmp_path / "elsewhere" / "CONTEXT.md"
    put(tmp_path / "a" / "CONTEXT.md")

    place = places(tmp_path, context=str(context)).locate(name.format(tmp_path))

    assert (place.path, place.indexed_as, place.newest_first) == (context, "", True)


@pytest.mark.parametrize(
    ("name", "newest_first"),
    [("CONTEXT.md", True), ("sub/CONTEXT.md", True), ("context.md", False), ("b.md", False)],
)
def test_only_a_context_has_its_newest_block_first(
    tmp_path: Path, name: str, newest_first: bool
) -> None:
    assert places(tmp_path).locate(name).newest_first is newest_first


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("logs/context_archive.md", {"context": "{}/a/x/CONTEXT.md"}),
        ("logs/context_archive.001.md", {"context": "{}/a/x/CONTEXT.md"}),
        ("logs/context_archive.md", {}),
        ("old.md", {"context": "{}/a/CONTEXT.md", "archive": "{}/a/old.md"}),
        ("old.012.md", {"context": "{}/a/CONTEXT.md", "archive": "{}/a/old.md"}),
        ("old.md", {"archive": "{}/a/old.md"}),
    ],
)
def test_the_archive_is_not_written(tmp_path: Path, name: str, settings: dict[str, str]) -> None:
    filled = {key: value.format(tmp_path) for key, value in settings.items()}

    assert refused(tmp_path, name, **filled) == "archive"


@pytest.mark.parametrize("name", ["old.md", "old.x.md", "older.md", "context_archive.md"])
def test_what_is_only_named_like_an_archive_is_a_note(tmp_path: Path, name: str) -> None:
    archive = str(tmp_path / "logs" / "old.md")

    assert places(tmp_path, archive=archive).locate(name).path == tmp_path / "a" / name


def test_a_working_folder_that_is_gone_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert places(tmp_path).locate("x.md").path == tmp_path / "a" / "x.md"


def test_a_folder_that_is_missing_is_not_made(tmp_path: Path) -> None:
    """It may be a disk that is not there now; made anew, its notes would be forgotten."""
    missing = str(tmp_path / "unmounted")

    assert refused(tmp_path, "x.md", dirs=(missing,)) == "folder_missing"
    assert refused(tmp_path, "C.md", context=f"{missing}/C.md") == "folder_missing"
    assert not (tmp_path / "unmounted").exists()

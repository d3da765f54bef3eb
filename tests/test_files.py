"""Reading and replacing note files byte for byte."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime import files
from runtime.errors import ExpectedError, FileChangedError, NotUtf8Error
from runtime.files import read_text, write_atomic
from runtime.locks import LockTimeout, try_folder


@pytest.mark.parametrize(
    "data", [b"", b"\xef\xbb\xbf# a\r\n", b"a\rb\n\x0c\x00", "覚書\u2028".encode()]
)
def test_a_file_is_read_and_written_byte_for_byte(tmp_path: Path, data: bytes) -> None:
    source, copy = tmp_path / "a.md", tmp_path / "b.md"
    source.write_bytes(data)

    write_atomic(copy, read_text(source))

    assert copy.read_bytes() == data


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_read_back(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.md"

    write_atomic(path, text)

    assert read_text(path) == text


def test_a_file_in_another_encoding_is_refused_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "sjis.md"
    path.write_bytes("# a\n記録".encode("shift_jis"))

    with pytest.raises(NotUtf8Error) as caught:
        read_text(path)

    assert (caught.value.path, caught.value.offset) == (str(path), 4)
    assert isinstance(caught.value, ExpectedError)
    assert str(path) in str(caught.value)


def test_the_permissions_of_a_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)

    write_atomic(path, "new")

    assert path.stat().st_mode & 0o777 == 0o640


def test_a_new_file_gets_the_mode_that_was_asked_for(tmp_path: Path) -> None:
    write_atomic(tmp_path / "a.md", "new", new_mode=0o600)

    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o600


def test_a_symlink_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "real" / "a.md"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    link = tmp_path / "a.md"
    link.symlink_to(target)

    write_atomic(link, "new")

    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("now", [b"changed", None])
def test_a_file_that_changed_since_it_was_read_is_not_replaced(
    tmp_path: Path, now: bytes | None
) -> None:
    path = tmp_path / "a.md"
    if now is not None:
        path.write_bytes(now)

    with pytest.raises(FileChangedError):
        write_atomic(path, "new", replacing="as it was read")

    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == ([now] if now else [])


@pytest.mark.skipif(os.name == "nt", reason="Windows opens no folders")
def test_a_file_is_not_replaced_while_another_program_looks_at_one_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("as it was read", encoding="utf-8")
    monkeypatch.setattr(files, "FOLDER_S", 0.0)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        assert try_folder(folder) == folder
        with pytest.raises(LockTimeout, match="another process"):
            write_atomic(path, "new", replacing="as it was read")
    finally:
        os.close(folder)

    assert read_text(path) == "as it was read"
    write_atomic(path, "new", replacing="as it was read")
    assert read_text(path) == "new"
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_text_that_cannot_be_written_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")

    with pytest.raises(UnicodeEncodeError):
        write_atomic(path, "\ud800")

    assert [entry.read_bytes() for entry in tmp_path.iterdir()] == [b"old"]


def test_a_failed_rename_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(Path, "replace", fail)

    with pytest.raises(OSError, match="no space left"):
        write_atomic(tmp_path / "a.md", "new")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "gone"])
def test_what_is_no_regular_file_is_neither_waited_for_nor_read_without_end(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "a.md"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()

    with pytest.raises(OSError, match=r"regular file|directory"):
        read_text(path)

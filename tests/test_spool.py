import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime import spool
from runtime.spool import Captured

# What an environment variable can hold: text, or bytes that are no text.
VALUES = st.text(st.characters(exclude_categories=["Cs"])) | st.binary().map(os.fsdecode)
FACTS = st.dictionaries(st.sampled_from(["event", "project", "entrypoint", "nested"]), VALUES)


@given(FACTS, st.binary())
def test_facts_and_payload_come_back_from_a_spool_file(facts, payload):
    assert spool.unpack(spool.pack(facts, payload)) == (facts, payload)


@given(st.binary())
def test_bytes_without_the_header_are_all_payload(data):
    facts, payload = spool.unpack(data)

    if not data.startswith(spool.MAGIC):
        assert (facts, payload) == ({}, data)


def test_ids_sort_by_the_time_of_reception():
    first = spool.new_id(99999)
    second = spool.new_id(1)

    assert first < second
    assert spool.received_ns(second) > spool.received_ns(first) > 0


@pytest.mark.parametrize(
    ("event_id", "expected", "why"),
    [
        ("00000000000000000017-5", 17, "an id"),
        ("00000000000000000017-5.ask", 17, "a name of an asked event"),
        ("file-0123456789abcdef", 0, "made from a file's line"),
        ("", 0, "nothing"),
        ("٣-1", 0, "digits of another script"),
    ],
)
def test_an_id_tells_when_its_event_was_received(event_id, expected, why):
    assert spool.received_ns(event_id) == expected, why


def test_a_written_event_reads_back_and_only_its_owner_can_read_it(tmp_path: Path):
    event = Captured("00000000000000000017-5", {"project": "/p"}, b'{"a": 1}')

    spool.write(str(tmp_path), event)

    back = spool.read(str(tmp_path), event.name)
    assert back is not None
    assert (back.id, back.facts, back.payload) == (event.id, event.facts, event.payload)
    assert stat.S_IMODE((tmp_path / event.name).stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [event.name]


def test_an_event_that_cannot_be_put_in_place_leaves_nothing(tmp_path: Path):
    event = Captured("00000000000000000017-5", {}, b"{}")
    (tmp_path / event.name).mkdir()

    with pytest.raises(IsADirectoryError):
        spool.write(str(tmp_path), event)

    assert os.listdir(tmp_path) == [event.name]


def test_the_oldest_event_comes_first_and_half_written_ones_not_at_all(tmp_path: Path):
    for name in ("00000000000000000002-1", "00000000000000000001-9", "tmp-00000000000000000001-3"):
        (tmp_path / name).write_bytes(b"")

    assert spool.pending(str(tmp_path)) == ["00000000000000000001-9", "00000000000000000002-1"]


@pytest.mark.parametrize(
    ("age_s", "is_pending", "why"),
    [
        (0, False, "its process is answering it"),
        (spool.ASK_IS_OURS_S + 1, True, "no process lives that long"),
        (-3600, True, "a clock that jumped back"),
    ],
)
def test_an_asked_event_is_left_to_its_process_for_a_while(tmp_path: Path, age_s, is_pending, why):
    name = f"{time.time_ns() - int(age_s * 1e9):020d}-1{spool.ASK}"
    (tmp_path / name).write_bytes(b"")

    assert (spool.pending(str(tmp_path)) == [name]) is is_pending, why


def test_an_event_that_somebody_else_has_finished_is_none(tmp_path: Path):
    assert spool.read(str(tmp_path), "00000000000000000001-1") is None


def test_finishing_twice_is_finishing_once(tmp_path: Path):
    event = Captured("00000000000000000001-1", {}, b"{}")
    spool.write(str(tmp_path), event)

    spool.finish(str(tmp_path), event)
    spool.finish(str(tmp_path), event)

    assert os.listdir(tmp_path) == []


def test_an_event_that_never_was_on_disk_has_nothing_to_finish(tmp_path: Path):
    (tmp_path / "other").write_bytes(b"")

    spool.finish(str(tmp_path), Captured("", {}, b"{}"))

    assert os.listdir(tmp_path) == ["other"]


def test_what_is_buried_is_readable_by_its_owner_alone(tmp_path: Path):
    spool.bury(str(tmp_path), "00000000000000000001-1", b"?")

    path = tmp_path / "00000000000000000001-1"
    assert path.read_bytes() == b"?"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_half_written_files_of_dead_processes_are_swept_away(tmp_path: Path):
    """They hold payloads as received: nothing unredacted may stay on disk."""
    old = tmp_path / "tmp-00000000000000000001-1"
    young = tmp_path / f"tmp-{spool.new_id(1)}"
    event = tmp_path / "00000000000000000001-1"
    for path in (old, young, event):
        path.write_bytes(b"secret")

    spool.sweep(str(tmp_path))

    assert sorted(tmp_path.iterdir()) == sorted([young, event])


def test_a_durable_event_is_on_the_disk_whole_before_it_has_its_name_and_its_name_follows(
    tmp_path: Path,
):
    event = Captured("00000000000000000017-5", {}, b"{}")
    synced = []

    def record(fd: int) -> None:
        status = os.fstat(fd)
        is_folder = stat.S_ISDIR(status.st_mode)
        synced.append((is_folder, not is_folder and status.st_size, os.listdir(tmp_path)))

    spool.write(str(tmp_path), event, record)

    size = len(spool.pack({}, b"{}"))
    assert synced == [
        (False, size, [spool.TEMP + event.name]),
        (True, False, [event.name]),
    ]


def test_what_cannot_be_synced_leaves_nothing(tmp_path: Path):
    def fails(_fd: int) -> None:
        raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output error"):
        spool.write(str(tmp_path), Captured("00000000000000000017-5", {}, b"{}"), fails)

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_files_and_folders_can_be_synced(tmp_path: Path, kind: str):
    path = tmp_path if kind == "folder" else tmp_path / "file"
    if kind == "file":
        path.touch()
    fd = os.open(path, os.O_RDONLY)
    try:
        spool.to_disk(fd)
    finally:
        os.close(fd)


def test_an_event_that_is_put_back_durably_is_synced_before_the_old_file_goes(tmp_path: Path):
    name = "00000000000000000017-5"
    spool.write(str(tmp_path), Captured(f"{name}.try1", {}, b"old"))
    event = spool.read(str(tmp_path), f"{name}.try1")
    assert event is not None
    seen = []

    spool.put_back(
        str(tmp_path), event, {}, b"new", lambda _fd: seen.append(sorted(os.listdir(tmp_path)))
    )

    assert seen == [[f"{name}.try1", f"{spool.TEMP}{name}"], [name, f"{name}.try1"]]
    assert os.listdir(tmp_path) == [name]

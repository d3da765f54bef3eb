"""Files as they come: half, evicted, copied, foreign, broken."""

import hashlib
import json
import os
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from runtime.longterm.bounded import run_bounded
from runtime.longterm.dump_files import dump_name, host_of, host_part
from runtime.longterm.sync_errors import DumpFolderError
from tests.longterm.machines import BEGIN, Machine, machine

FOREIGN = {"content": "五つの欄", "source": "claude_code", "project": "p", "tags": ["a"],
           "created_at": "2020-01-02T03:04:05+09:00"}  # fmt: skip


@pytest.fixture
async def mac(tmp_path: Path) -> AsyncGenerator[Machine]:
    (tmp_path / "shared").mkdir()
    async with machine(tmp_path, "mac", tmp_path / "shared") as opened:
        yield opened


@asynccontextmanager
async def other(tmp_path: Path) -> AsyncGenerator[Machine]:
    (tmp_path / "other").mkdir()
    async with machine(tmp_path / "other", "other", tmp_path / "shared") as opened:
        yield opened


def put(tmp_path: Path, name: str, *lines: Any) -> Path:
    path = tmp_path / "shared" / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


async def test_the_source_system_s_own_dumps_are_read_as_they_are(mac, tmp_path):
    """Five fields, no hash, a local offset in the date (its `memories:dump`)."""
    put(tmp_path, "book_20260610T080000.ndjson", FOREIGN)
    put(tmp_path, "book_20260611T080000.ndjson", FOREIGN, {**FOREIGN, "content": "二つ目"})

    report = await mac.sync()

    rows = await mac.living()
    assert await mac.texts() == ["二つ目", "五つの欄"]
    assert {row[10] for row in rows} == {"2020-01-01T18:04:05.000Z"}
    assert [(host.host, host.new, host.same) for host in report.hosts] == [("book", 2, 1)]


async def test_a_line_that_cannot_be_taken_is_named_and_the_others_are_taken(mac, tmp_path):
    wrong = {**FOREIGN, "content_hash": "0" * 64}
    put(tmp_path, "book.ndjson", "{", FOREIGN, wrong, {**FOREIGN, "created_at": "yesterday"},
        {**FOREIGN, "content": None}, {**FOREIGN, "v": 9, "op": "put"}, "[]")  # fmt: skip

    (file,) = (await mac.sync()).files

    assert [(line.line, line.reason) for line in file.skipped_lines] == [
        (1, "no JSON"),
        (3, "its content does not match its content_hash"),
        (4, "created_at is no moment (ISO 8601)"),
        (5, "content: Input should be a valid string"),
        (6, "format 9, this version reads up to 1"),
        (7, "line: Input should be a valid dictionary or instance of DumpedMemory"),
    ]
    assert await mac.texts() == ["五つの欄"]


async def test_the_hash_is_that_of_the_raw_content(mac, tmp_path):
    raw = "x" * 10 + " sk-ant-" + "a1" * 20
    digest = hashlib.sha256(raw.encode()).hexdigest()
    put(tmp_path, "book.ndjson", {**FOREIGN, "content": raw, "content_hash": digest})

    await mac.sync()

    (text,) = await mac.texts()
    assert "sk-ant" not in text


async def test_what_we_told_a_model_elsewhere_is_not_taken_over(mac, tmp_path):
    framed = "<runtime-memory>\n│ old\n</runtime-memory>new"
    put(tmp_path, "book.ndjson", {**FOREIGN, "content": framed})

    await mac.sync()

    assert await mac.texts() == ["new"]


@pytest.mark.parametrize(
    ("spoil", "state"),
    [
        (lambda data: data[: len(data) // 2], "not whole: its last line is missing"),
        (lambda data: data[:-1], "not whole: its last line is missing"),
        (lambda data: data.replace(b"one", b"two", 1),
         "damaged: its lines do not match its last line"),
        (lambda _data: b"", "empty"),
        (lambda data: b"\0" * len(data), "not whole: nothing is written in it yet"),
    ],
)  # fmt: skip
async def test_a_file_that_is_not_whole_waits_for_the_next_time(mac, tmp_path, spoil, state):
    await mac.remember("one")
    await mac.remember("and another one")
    done = await mac.dump()
    path = tmp_path / "shared" / done.name
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    async with other(tmp_path) as reader:
        before = await reader.sync()
        taken_before = await reader.texts()
        path.write_bytes(whole)

        after = await reader.sync()

        assert [file.state for file in before.files] == [state]
        assert taken_before == []
        assert [file.state for file in after.files] == ["taken"]
        assert await reader.texts() == ["and another one", "one"]


async def test_any_cut_of_a_dump_loses_nothing(mac, tmp_path):
    await mac.remember("one")
    await mac.remember("two")
    done = await mac.dump()
    path = tmp_path / "shared" / done.name
    whole = path.read_bytes()
    async with other(tmp_path) as reader:
        for end in range(1, len(whole), 37):
            path.write_bytes(whole[:end])
            await reader.sync()
            assert await reader.texts() == []
        path.write_bytes(whole)

        await reader.sync()

        assert await reader.texts() == ["one", "two"]


@pytest.mark.parametrize(
    "copy",
    [
        "{} 2.ndjson",
        "{} (1).ndjson",
        "{} (mac's conflicted copy 2026-06-11).ndjson",
        "{} (conflicted copy 2026-06-11 093000).ndjson",
        "{}.sync-conflict-20260611-093000-ABCDEFG.ndjson",
        "{}_conflict-20260611-093000.ndjson",
        "{}.Conflict.ndjson",
    ],
)
async def test_a_copy_that_a_conflict_left_is_merged(mac, tmp_path, copy):
    await mac.remember("one")
    first = await mac.dump(keep=9)
    await mac.remember("two")
    await mac.dump(keep=9)
    folder = tmp_path / "shared"
    (folder / first.name).rename(folder / copy.format(first.name.removesuffix(".ndjson")))
    async with other(tmp_path) as reader:
        report = await reader.sync()

        assert {file.state for file in report.files} == {"taken"}
        assert [host.host for host in report.hosts] == ["mac"]
        assert await reader.texts() == ["one", "two"]


async def test_a_copy_of_a_file_that_was_taken_is_not_read_again(mac, tmp_path):
    await mac.remember("one")
    done = await mac.dump()
    folder = tmp_path / "shared"
    copy = folder / done.name.replace(".ndjson", " 2.ndjson")
    copy.write_bytes((folder / done.name).read_bytes())
    async with other(tmp_path) as reader:
        report = await reader.sync()

        assert sorted(file.state for file in report.files) == ["taken", "unchanged"]


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("mac_20260611T093000.ndjson", "mac"),
        ("mac-b.local_20260611T093000 2.ndjson", "mac-b.local"),
        ("my_old_mac_20260611T093000 (conflicted copy).ndjson", "my_old_mac"),
        ("mac-a.ndjson", "mac-a"),
        ("_20260611T093000.ndjson", "unknown"),
    ],
)
def test_the_host_is_read_from_a_name(name, host):
    assert host_of(name) == host


def test_names_of_dumps_sort_by_time_and_never_meet():
    first = dump_name("a/b c_d", BEGIN, set())
    second = dump_name("a/b c_d", BEGIN, {first})

    assert first == "a-b-c-d_20260611T093000.ndjson"
    assert second == "a-b-c-d_20260611T093001.ndjson"
    assert host_part("...") == "host"


async def test_a_folder_that_has_vanished_loses_nothing(mac, tmp_path):
    await mac.remember("one")
    (tmp_path / "shared").rmdir()

    with pytest.raises(DumpFolderError):
        await mac.sync()

    assert await mac.texts() == ["one"]


async def test_a_dump_makes_no_folder_above_its_own(mac, tmp_path):
    """Else a disk that is not mounted would be written to where it would lie."""
    mac.folder.place = str(tmp_path / "Volumes" / "Disk" / "dumps")

    with pytest.raises(DumpFolderError):
        await mac.dump()

    assert not (tmp_path / "Volumes").exists()


async def test_a_dump_that_cannot_be_written_leaves_the_older_one(mac, tmp_path):
    await mac.remember("one")
    first = await mac.dump()
    folder = tmp_path / "shared"
    mac.folder.place = str(folder / first.name)  # a file where the folder should be

    with pytest.raises(DumpFolderError):
        await mac.dump()

    assert [path.name for path in folder.iterdir()] == [first.name]


class StuckFolder:
    """A cloud that does not answer for one of its files."""

    def __init__(self, folder: Any, stuck: str) -> None:
        self.place = folder.place
        self.entries, self.tail = folder.entries, folder.tail
        self.write, self.remove = folder.write, folder.remove
        self._copy, self._stuck = folder.copy, stuck
        self.release = threading.Event()

    def copy(self, name: str, target: Any) -> None:
        if name == self._stuck:
            self.release.wait(30)
        self._copy(name, target)


async def test_a_file_that_never_comes_does_not_stop_the_others(mac, tmp_path):
    put(tmp_path, "a.ndjson", FOREIGN)
    put(tmp_path, "b.ndjson", {**FOREIGN, "content": "other"})
    mac.folder = StuckFolder(mac.folder, "a.ndjson")

    report = await mac.sync(read_s=0.2)
    mac.folder.release.set()

    assert [file.state for file in report.files] == ["not readable: no answer in 0.2 s", "taken"]
    assert await mac.texts() == ["other"]


async def test_what_a_bounded_call_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        await run_bounded(30, lambda: 1 // 0)


async def test_a_machine_whose_clock_is_ahead_loses_against_what_is_done_later(mac, tmp_path):
    async with other(tmp_path) as ahead:
        ahead.now = BEGIN + timedelta(days=800)
        await ahead.remember("one", created_at=ahead.now)
        await ahead.dump()
        report = await mac.sync()
        taken = await mac.texts()
        await mac.delete("one")
        await mac.dump()
        ahead.now = BEGIN + timedelta(hours=1)  # set right

        mended = await ahead.sync()

        assert [host.ahead for host in report.hosts] == [1]
        assert taken == ["one"]
        assert mended.mended == 1
        assert await ahead.texts() == []
        assert (await ahead.sync()).mended == 0


async def test_a_fifo_is_not_waited_for(mac, tmp_path):
    await anyio.to_thread.run_sync(os.mkfifo, tmp_path / "shared" / "pipe.ndjson")

    (file,) = (await mac.sync()).files

    assert file.state == "not a file"

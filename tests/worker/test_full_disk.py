"""No room, or no right to write: refused before it is accepted, or kept until there is room."""

from collections.abc import Generator
from pathlib import Path

import pytest

from runtime import spool
from tests.leftovers import stop_workers_below
from tests.worker.disks import SmallDisk, can_mount, files_limited_to, small_disk
from tests.worker.hooks import Hooks, assert_once, session_start, written

pytestmark = pytest.mark.process


@pytest.fixture
def disk(tmp_path: Path) -> Generator[SmallDisk]:
    """A small disk whose workers end before it goes."""
    if not can_mount(tmp_path):
        pytest.skip("mounting a disk needs root; the limit on file sizes is tested besides")
    with small_disk(tmp_path / "disk", 1200) as mounted:
        yield mounted
        stop_workers_below(tmp_path)


def test_a_full_disk_loses_nothing_that_was_accepted(disk: SmallDisk) -> None:
    """Large events first fill it up, then neither spool nor database can take any more."""
    hooks = Hooks(disk.folder / "home")
    hooks.run(written("before"))
    hooks.drained()
    hooks.served()
    disk.fill()
    accepted = []
    for number in range(12):
        marker = f"full-{number}"
        known = set(hooks.spooled())
        hooks.run(written(marker, 1000))
        if set(hooks.spooled()) - known:
            accepted.append(marker)
    disk.free()
    hooks.run(written("after"))
    hooks.drained()

    assert_once(hooks, ["before", *accepted, "after"])


def test_a_database_that_cannot_grow_keeps_events_in_the_spool(disk: SmallDisk) -> None:
    """The spool's few bytes still fit: then the event must wait there, unharmed."""
    hooks = Hooks(disk.folder / "home")
    hooks.run(written("before"))
    hooks.drained()
    hooks.served()
    spare = disk.folder / "spare"
    spare.write_bytes(b"x" * 40_000)
    disk.fill()
    spare.unlink()
    markers = [f"tight-{number}" for number in range(8)]
    for marker in markers:
        hooks.run(written(marker, 20_000))
    disk.free()
    hooks.run(written("after"))
    hooks.drained()

    recorded = set(hooks.events())
    assert {"before", "after"} <= recorded
    assert_once(hooks, recorded)
    assert [line for line in hooks.logged() if line["event"] == "worker_crashed"] == []


def test_a_read_only_home_still_answers(disk: SmallDisk) -> None:
    """Nothing can be kept, and no hook may say anything but its answer."""
    hooks = Hooks(disk.folder / "home")
    hooks.run(written("before"))
    hooks.drained()
    stop_workers_below(disk.folder)
    disk.protect(writable=False)
    try:
        answer = hooks.run(session_start("asked"))
        hooks.run(written("lost"))
    finally:
        disk.protect(writable=True)
    hooks.run(written("after"))
    hooks.drained()

    assert b"runtime search" in answer
    assert_once(hooks, ["before", "after"])


def test_events_wait_while_the_database_may_not_grow(hooks: Hooks) -> None:
    """The worker is the one that has no room; the next one has."""
    hooks.run(written("before"))
    hooks.drained()
    stop_workers_below(hooks.root)
    limit = Path(hooks.home.database).stat().st_size + 4096
    markers = [f"limit-{number}" for number in range(12)]
    for marker in markers:
        hooks.run(written(marker, 20_000), preexec_fn=files_limited_to(limit))
    hooks.served()
    stop_workers_below(hooks.root)
    waiting = hooks.spooled()
    hooks.run(written("after"))
    hooks.drained()

    assert waiting != []
    assert_once(hooks, ["before", *markers, "after"])


def test_a_spool_that_is_no_folder_costs_no_event_of_a_running_worker(hooks: Hooks) -> None:
    """What cannot be put into the spool is handed over directly, each under its own id."""
    hooks.run(written("before"))
    hooks.drained()
    worker = hooks.served()
    spool = Path(hooks.home.spool)
    spool.rmdir()
    spool.write_text("in the way", encoding="utf-8")
    hooks.run(written("one"))
    hooks.run(written("two"))
    spool.unlink()
    spool.mkdir()
    hooks.run(written("after"))
    hooks.drained()

    assert hooks.workers == [worker]
    assert_once(hooks, ["before", "one", "two", "after"])


def test_an_event_that_cannot_be_put_back_is_not_counted_against(tmp_path: Path) -> None:
    """Otherwise a disk that is full for three looks would bury it."""
    name = spool.new_id(1)
    spool.write(str(tmp_path), spool.Captured(name, {"event": "Stop"}, b"{}"))
    for _look in range(spool.TRIES_MAX + 1):
        event = spool.read(str(tmp_path), spool.pending(str(tmp_path))[0])
        assert event is not None
        assert spool.begin(str(tmp_path), event)
        (tmp_path / f"{spool.TEMP}{name}").mkdir()
        with pytest.raises(OSError, match="File exists"):
            spool.put_back(str(tmp_path), event, {}, b"{}")
        (tmp_path / f"{spool.TEMP}{name}").rmdir()

    assert spool.pending(str(tmp_path)) == [name]
    assert spool.tries(name) == 0

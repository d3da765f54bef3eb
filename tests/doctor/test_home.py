import dataclasses
import os
import shutil
import time
from pathlib import Path

import pytest

from runtime.doctor import disk, home
from runtime.setting_sections import Store
from runtime.settings import Settings
from tests.doctor.findings import level, one


def write(folder, name, *, age_s=0.0):
    path = Path(folder, name)
    path.write_bytes(b"x")
    path.chmod(0o600)
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def event_id(age_s):
    return f"{time.time_ns() - int(age_s * 1e9):020d}-1"


def test_a_fresh_home_is_fine(place):
    assert {row.finding.level for row in home.check(place)} == {"ok"}


def test_a_home_that_is_not_there_is_only_noted(place):
    shutil.rmtree(place.home.root)

    rows = home.check(place)

    assert level(rows, "home.folder") == "note"
    assert not os.path.exists(place.home.root)


def test_a_file_in_the_place_of_the_home_is_a_problem(place):
    shutil.rmtree(place.home.root)
    Path(place.home.root).write_bytes(b"")

    assert level(home.check(place), "home.folder") == "problem"


def test_what_others_can_read_is_narrowed(place):
    log = write(place.home.logs, "runtime.jsonl")
    log.chmod(0o644)
    os.chmod(place.home.spool, 0o755)
    notes = Path(place.home.notes)
    notes.chmod(0o755)

    row = one(home.check(place), "home.modes")
    assert row.finding.level == "warning"
    assert row.finding.saw.startswith("2 can be read by others")
    row.mend()

    assert level(home.check(place), "home.modes") == "ok"
    assert log.stat().st_mode & 0o777 == 0o600
    assert os.stat(place.home.spool).st_mode & 0o777 == 0o700


def test_temporary_files_older_than_a_day_go_and_younger_ones_stay(place):
    old = write(place.home.spool, "tmp-1", age_s=90_000)
    young = write(place.home.spool, "tmp-2", age_s=80_000)

    row = one(home.check(place), "spool.temporary")
    assert row.finding.level == "warning"
    row.mend()

    assert (old.exists(), young.exists()) == (False, True)
    assert level(home.check(place), "spool.temporary") == "ok"


@pytest.mark.parametrize(
    ("age_s", "expected", "shown"), [(5, "note", "seconds"), (7300, "warning", "2 hours")]
)
def test_events_that_wait_are_counted_with_the_age_of_the_oldest(place, age_s, expected, shown):
    write(place.home.spool, event_id(age_s))
    write(place.home.spool, event_id(1) + ".ask")

    row = one(home.check(place), "spool.waiting")

    assert row.finding.level == expected
    assert row.finding.saw.startswith("2 events wait")
    assert shown in row.finding.saw


def test_unreadable_events_are_noted(place):
    write(place.home.dead, event_id(5))

    assert level(home.check(place), "spool.dead") == "note"


def test_settings_that_do_not_fit_are_counted_and_not_shown(place):
    row = one(home.check(dataclasses.replace(place, setting_problems=2)), "home.settings")

    assert (row.finding.level, row.finding.saw[:1]) == ("warning", "2")


def with_home(place, root):
    return dataclasses.replace(place, home=type(place.home)(str(root)))


@pytest.mark.parametrize(
    "folder",
    [
        "Dropbox/oboegaki",
        "Dropbox (Personal)/x",
        "OneDrive - Company/x",
        "Google Drive/x",
        "Library/Mobile Documents/com~apple~CloudDocs/x",
        "Library/CloudStorage/Dropbox/x",
        "iCloudDrive/x",
    ],
)
def test_a_home_in_a_synchronised_folder_is_a_warning(place, tmp_path, folder):
    rows = disk.check(with_home(place, tmp_path / folder))

    # The database lies in it too: both are said.
    assert {row.finding.level for row in rows if row.finding.id == "disk.place"} == {"warning"}


@pytest.mark.parametrize("folder", ["dropboxes/x", "my-onedrive-notes/x", ".oboegaki"])
def test_a_name_that_only_resembles_one_is_fine(place, tmp_path, folder):
    assert level(disk.check(with_home(place, tmp_path / folder)), "disk.place") == "ok"


@pytest.mark.parametrize("kind", ["nfs4", "9p", "cifs", "drvfs", "fuse.sshfs"])
def test_a_database_on_a_network_file_system_is_a_problem(place, tmp_path, kind):
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"/dev/sda1 / ext4 rw 0 0\nserver:/x {tmp_path}/far\\040away {kind} rw 0 0\nodd\n",
        encoding="utf-8",
    )
    store = Store(path=str(tmp_path / "far away" / "memory.db"))
    rows = disk.check(
        dataclasses.replace(place, mounts=str(mounts), settings=Settings(store=store))
    )

    row = one(rows, "disk.place")
    assert row.finding.level == "problem"
    assert kind in row.finding.saw


def test_the_deepest_mount_decides(tmp_path):
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "a / nfs rw 0 0\nb /home ext4 rw 0 0\nc /home/far nfs rw 0 0\n", encoding="utf-8"
    )

    assert disk.mounted_as("/home/a", str(mounts)) == "ext4"
    assert disk.mounted_as("/homely", str(mounts)) == "nfs"
    assert disk.mounted_as("/home/far/x", str(mounts)) == "nfs"
    assert disk.mounted_as("/x", str(tmp_path / "none")) == ""


@pytest.mark.parametrize(
    ("free_bytes", "expected"), [(10**10, "ok"), (5 * 10**8, "warning"), (10**6, "problem")]
)
def test_little_space_is_said_before_events_are_lost(free_bytes, expected):
    assert disk.judge_space(free_bytes).finding.level == expected

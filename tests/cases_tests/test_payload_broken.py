"""Stores, homes, settings and disks that cannot be used: the hook ends with 0."""

import contextlib
import ctypes
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cases_tests.playground import (
    Make,
    Playground,
    check,
    session_start,
)
from tests.cases_tests.starting import CLIENT, run_hook

BROKEN: Final = ("a directory", "no database", "a file for a folder", "another program's", "newer")


def configure_store(ground: Playground, path: str) -> None:
    """Set the store's path in the file: what an event waits for is then mended there."""
    ground.product.home.mkdir(parents=True, exist_ok=True)
    config = ground.product.home / "config.toml"
    config.write_text(f'[store]\npath = "{path}"\n', encoding="utf-8")


@pytest.fixture
def broken(request: pytest.FixtureRequest, make: Make) -> Playground:
    """A product whose store cannot be used, in the way that the test asks for."""
    ground = make("P10")
    (ground.notes / "CONTEXT.md").write_text("## 2026-06-01 今\nnowword\n", encoding="utf-8")
    home = ground.product.home
    home.mkdir(mode=0o700)
    store = home / "memory.db"
    if request.param == "a directory":
        store.mkdir()
    elif request.param == "no database":
        store.write_text("not a database", encoding="utf-8")
    elif request.param == "a file for a folder":
        configure_store(ground, "/dev/null/memory.db")
    elif request.param == "another program's":
        configure_store(ground, "/proc/version")
    else:
        other = make_newer(ground)
        shutil.copy(other, store)
    return ground


def make_newer(ground: Playground) -> Path:
    """Return a database of a version to come."""
    path = ground.root / "newer.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    return path


@pytest.mark.parametrize("broken", BROKEN, indirect=True)
def test_without_a_store_the_notes_are_still_told_and_events_wait(broken: Playground) -> None:
    event = broken.payload("stop.json", last_assistant_message="待つ出来事 waitword")

    stopped = broken.hook(event)
    skilled = broken.hook(broken.payload("pretooluse_skill.json"))
    started = broken.hook(session_start())

    assert stopped.out == b""
    assert skilled.out == b""
    assert "nowword" in started.context
    is_aside = broken.logged("store_moved_aside") != []
    assert is_aside or broken.logged("store_unusable") != []
    assert "waitword" in broken.product.everything().decode(errors="replace") or is_aside

    config = broken.product.home / "config.toml"
    if config.exists():
        config.unlink()
    elif not is_aside:
        store = broken.product.home / "memory.db"
        store.rename(broken.root / "broken-store")
    assert broken.product.finds("waitword")


PR_CAPBSET_DROP: Final = 24
OVERRIDES: Final = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH."""
LIBC: Final = ctypes.CDLL(None)


def obey_permissions() -> None:
    """Let permissions bind root too, from the next exec on; nothing for anybody else."""
    for capability in OVERRIDES:
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.mark.parametrize("name", ["stop.json", "pretooluse_skill.json"])
def test_a_store_and_a_home_that_cannot_be_written_are_no_failure(name: str, make: Make) -> None:
    shared = make("P10")
    home = shared.product.home
    home.mkdir()
    (home / "memory.db").write_bytes(b"")
    (home / "memory.db").chmod(0o444)
    home.chmod(0o555)

    ran = run_hook(shared, json.dumps(shared.payload(name)).encode(), before=obey_permissions)

    home.chmod(0o700)
    check(ran)
    assert ran.out == b""
    assert sorted(os.listdir(home)) == ["memory.db"]


def test_a_store_that_cannot_be_written_leaves_events_in_the_spool(make: Make) -> None:
    """The home can be written, the database cannot: nothing is lost."""
    shared = make("P10")
    home = shared.product.home
    shared.hook(session_start())
    folder = shared.root / "store"
    folder.mkdir()
    shutil.move(home / "memory.db", folder / "memory.db")
    (folder / "memory.db").chmod(0o444)
    folder.chmod(0o555)
    shared.product.environ["OBOEGAKI_STORE_PATH"] = str(folder / "memory.db")
    event = shared.payload("stop.json", last_assistant_message="待つ出来事 waitword")

    ran = run_hook(shared, json.dumps(event).encode(), before=obey_permissions)

    check(ran)
    assert ran.out == b""
    assert len(os.listdir(home / "spool")) == 1
    folder.chmod(0o755)
    (folder / "memory.db").chmod(0o644)
    assert shared.product.finds("waitword")


HOMES: Final[dict[str, dict[str, str | None]]] = {
    "below a device": {"OBOEGAKI_HOME": "/dev/null/x"},
    "in proc": {"OBOEGAKI_HOME": "/proc/oboegaki"},
    "a NUL-free but endless name": {"OBOEGAKI_HOME": "/tmp/" + "x" * 5000},
    "below the home of nobody": {"OBOEGAKI_HOME": None, "HOME": "/dev/null/x"},
    "empty": {"OBOEGAKI_HOME": "", "HOME": "/dev/null/x"},
}


@pytest.mark.parametrize("why", HOMES)
def test_a_home_that_cannot_be_made_is_no_failure(why: str, make: Make) -> None:
    ground = make("P10")

    for name in ("stop.json", "pretooluse_skill.json"):
        ran = run_hook(ground, json.dumps(ground.payload(name)).encode(), environ=HOMES[why])
        check(ran)
        assert ran.out == b""


NOBODY: Final = """
import pwd

def getpwuid(uid):
    raise KeyError(uid)

pwd.getpwuid = getpwuid
"""


def test_without_any_home_variable_the_hook_ends_quietly(make: Make) -> None:
    """The user database may know no home either: then there is no place, and no failure."""
    ground = make("P10")

    ran = run_hook(
        ground,
        json.dumps(ground.payload("stop.json")).encode(),
        environ={"OBOEGAKI_HOME": None, "HOME": None},
        command=[sys.executable, "-I", "-c", NOBODY + CLIENT],
    )

    check(ran)
    assert ran.out == b""


def test_home_unset_does_not_matter_where_the_products_home_is_given(make: Make) -> None:
    ground = make("P10")
    event = ground.payload("stop.json", last_assistant_message="家のない出来事 homelessword")

    check(run_hook(ground, json.dumps(event).encode(), environ={"HOME": None}))

    assert ground.product.finds("homelessword")


@pytest.mark.parametrize(
    "config",
    [
        b"[notes\nkeep_blocks = ",
        b"\xff\xfe\x00",
        b'[notes]\nkeep_blocks = "many"\n',
        b"[unknown]\nx = 1\n",
        b"notes = 3\n",
        b'{"notes": {}}',
        b"[logs]\nlevel = 'loud'\n",
        b"[capture]\nmin_chars = -1\n[store]\nbusy_timeout_s = 1e9\n",
    ],
)
def test_a_config_file_that_does_not_fit_is_reported_and_its_defaults_used(
    config: bytes, make: Make
) -> None:
    ground = make("P10")
    ground.product.home.mkdir()
    path = ground.product.home / "config.toml"
    path.write_bytes(config)

    ran = ground.hook(ground.payload("stop.json", last_assistant_message="設定の試験 configword"))

    assert ran.out == b""
    assert ground.logged("setting_ignored") != []
    assert ground.memories() == ["[assistant] 設定の試験 configword"]
    assert path.read_bytes() == config


def limit_files(size: int) -> Callable[[], None]:
    """Let no file grow beyond a size, as a full disk would."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("size", [0, 1, 100, 1000, 5000, 40_000, 100_000])
def test_a_disk_that_is_full_while_writing_is_no_failure(size: int, make: Make) -> None:
    """The next hook finds a store it can use, and every event that was spooled."""
    ground = make("P10")
    event = ground.payload("stop.json", last_assistant_message="満杯の試験 fullword")
    for payload in (event, ground.payload("pretooluse_skill.json")):
        ran = run_hook(ground, json.dumps(payload).encode(), before=limit_files(size))
        check(ran)
        assert ran.out == b""

    assert not [name for name in os.listdir(ground.product.home / "spool") if "tmp" in name]
    ground.hook(event)
    assert ground.product.finds("fullword")


def test_a_tiny_disk_that_is_full_is_no_failure(make: Make) -> None:
    """The real thing, where this may be mounted."""
    ground = make("P10")
    home = ground.product.home
    home.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(home)),
            capture_output=True,
            check=False,
        ).returncode
    )
    try:
        event = ground.payload("stop.json", last_assistant_message="満杯の試験 fullword")
        for payload in (event, ground.payload("pretooluse_skill.json"), event):
            ran = run_hook(ground, json.dumps(payload).encode())
            check(ran)
            assert ran.out == b""
    finally:
        if mounted:
            subprocess.run(("umount", "-l", str(home)), check=True)
    assert mounted or ground.product.finds("fullword")


@pytest.mark.parametrize(
    "arguments",
    [["--no-such-flag"], ["Stop", "--x"], ["a", "b", "c"], ["-n", "5"], [""]],
)
def test_arguments_that_nobody_knows_are_no_usage_error(arguments: list[str], make: Make) -> None:
    ground = make("P10")

    ran = ground.hook(ground.payload("stop.json"), arguments=arguments)

    assert ran.out == b""


def test_the_hook_can_be_switched_off(make: Make) -> None:
    ground = make("P10")

    ran = ground.hook(ground.payload("stop.json"), environ={"OBOEGAKI_DISABLE": "1"})

    assert ran.out == b""
    assert not ground.product.home.exists()

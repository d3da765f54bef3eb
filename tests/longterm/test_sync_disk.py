"""A full disk, here or there: what was begun is as if it had not been, and nothing is lost."""

from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from tests.longterm.machines import machine
from tests.processes import Product
from tests.store.indexes import check_index
from tests.worker.disks import SmallDisk, can_mount, small_disk

pytestmark = pytest.mark.process
MEMORIES = 400
ROOM = 300_000
"""Enough to begin with."""


@pytest.fixture
def disk(tmp_path: Path) -> Generator[SmallDisk]:
    if not can_mount(tmp_path):
        pytest.skip("mounting a disk needs root")
    with small_disk(tmp_path / "disk", 2400) as mounted:
        yield mounted


async def fill_shared(tmp_path: Path) -> None:
    async with machine(tmp_path, "mac-b", tmp_path / "shared") as other:
        for number in range(MEMORIES):
            await other.remember(f"memory {number} " + "word " * 40)
        await other.dump()


def test_a_store_that_cannot_grow_takes_a_file_whole_or_not_at_all(disk: SmallDisk, tmp_path: Path):
    anyio.run(fill_shared, tmp_path)
    product = Product(disk.folder / "home")
    product.command("stats")
    disk.fill()
    disk.free(ROOM)

    full = product.command("longterm", "sync", str(tmp_path / "shared"))
    disk.free()
    between = product.command("stats", "--json").json["memories"]
    again = product.command("longterm", "sync", str(tmp_path / "shared"))

    assert full.code == 1
    assert between == 0
    assert again.code == 0, again.err
    assert product.command("stats", "--json").json["memories"] == MEMORIES
    check_index(str(product.home / "memory.db"))


def test_a_dump_that_finds_no_room_leaves_the_older_one_and_no_half(
    disk: SmallDisk, tmp_path: Path
):
    anyio.run(fill_shared, tmp_path)
    product = Product(tmp_path / "home")
    product.command("longterm", "sync", str(tmp_path / "shared"))
    place = disk.folder / "dumps"
    product.command("longterm", "dump", str(place))
    before = sorted(path.name for path in place.iterdir())
    disk.fill()

    ran = product.command("longterm", "dump", str(place))

    assert ran.code == 1
    assert "cannot be written (No space left on device)" in ran.err
    assert sorted(path.name for path in place.iterdir()) == before

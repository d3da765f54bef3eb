"""Machines that share a folder of dumps."""

import json
import shutil
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.longterm.machines import machine
from tests.processes import Product


@pytest.mark.process
def test_files_that_are_not_there_yet_are_named_and_the_others_taken(
    product: Product, cases_dir: Path, tmp_path: Path
):
    folder = Path(shutil.copytree(cases_dir / "Y02" / "dumps", tmp_path / "dumps"))

    ran = product.command("longterm", "sync", str(folder))

    assert ran.code == 0, ran.err
    assert ran.out.decode().splitlines()[:3] == [
        "mac-a.ndjson: 3 lines",
        "mac-b.ndjson: not downloaded yet",
        "mac-d.ndjson: empty",
    ]
    assert all(product.finds(f"fromA{number}") for number in range(3))
    assert not product.finds("tmpword")


@pytest.mark.process
def test_notes_that_are_only_a_placeholder_now_keep_their_rows(
    product: Product, cases_dir: Path, tmp_path: Path
):
    folder = Path(shutil.copytree(cases_dir / "Y02" / "mem", tmp_path / "mem"))
    (folder / "note.md").write_text("## 2026-06-01 別\n本文 cloudfile\n", encoding="utf-8")
    environ = {"OBOEGAKI_NOTES_DIRS": str(folder)}
    product.environ.update(environ)
    product.command("reindex")
    (folder / "note.md").unlink()

    assert product.finds("herefile")
    assert product.finds("cloudfile")


async def test_a_deleted_memory_stays_deleted_on_every_machine(cases_dir: Path, tmp_path: Path):
    text = "共有の記憶 1 tomb1"
    shared = tmp_path / "shared"
    for name in ("a", "b"):
        await anyio.Path(tmp_path / f"from-{name}").mkdir()
        source = cases_dir / "Y05" / f"mac-{name}.ndjson"
        await anyio.to_thread.run_sync(shutil.copy, source, tmp_path / f"from-{name}")
    async with AsyncExitStack() as stack:
        a = await stack.enter_async_context(machine(tmp_path, "a", tmp_path / "from-a"))
        b = await stack.enter_async_context(machine(tmp_path, "b", tmp_path / "from-b"))
        await a.sync()
        await b.sync()
        await a.delete(text)
        a.folder.place = str(tmp_path / "from-b")

        await a.sync()
        after_two = await a.texts()
        a.folder.place = b.folder.place = str(shared)
        await a.dump()
        await b.sync()
        after_three = await b.texts()
        await b.dump()
        await a.sync()
        after_four = await a.texts()
        await a.restore(text)
        await a.dump()
        await b.sync()
        after_five = await a.texts(), await b.texts()
        await a.purge(text)
        await a.dump(keep=1)
        await b.sync()
        await b.dump(keep=1)

        assert (len(after_two), text in after_two) == (3, False)
        assert text not in after_three
        assert text not in after_four
        assert text in after_five[0]
        assert text in after_five[1]
        assert text not in await a.texts()
        assert text not in await b.texts()
    dumped = b"".join([await path.read_bytes() async for path in anyio.Path(shared).iterdir()])
    assert b"tomb1" not in dumped
    assert b'"op":"delete"' in dumped


@pytest.mark.process
def test_a_hook_never_looks_into_the_folder(product: Product, tmp_path: Path):
    """A FIFO would keep whoever opens it waiting for ever."""
    config: dict[str, Any] = {"OBOEGAKI_SYNC_DIR": str(tmp_path / "gone" / "dumps")}
    product.environ.update(config)

    ran = product.hook(json.dumps({"hook_event_name": "Stop", "session_id": "s"}).encode())

    assert ran.code == 0
    assert not (tmp_path / "gone").exists()

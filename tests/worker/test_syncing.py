"""`sync.auto`: the worker has machines synced when a turn or a session has ended."""

import json
from pathlib import Path

import anyio
import pytest

from runtime.context import AppContext
from runtime.settings import Settings
from runtime.worker.syncing import Syncing
from tests.leftovers import until
from tests.longterm.machines import machine
from tests.worker.hooks import Hooks

STOP = {
    "hook_event_name": "Stop",
    "session_id": "s",
    "transcript_path": "",
    "cwd": "/nowhere/shop",
    "stop_hook_active": False,
    "last_assistant_message": "The answer is a zebra, after all that was said about it.",
}


def dumps(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.ndjson"))


async def dump_elsewhere(tmp_path: Path, shared: Path) -> None:
    async with machine(tmp_path, "mac-b", shared) as other:
        await other.remember("walrus")
        await other.dump()


@pytest.mark.process
def test_a_turn_that_ends_is_dumped_and_others_are_taken_over(hooks: Hooks, tmp_path: Path):
    shared = tmp_path / "shared"
    anyio.run(dump_elsewhere, tmp_path, shared)
    hooks.configure(f'host = "mac-a"\n[sync]\nauto = true\ndir = "{shared}"\n')

    hooks.run(STOP)

    until(lambda: len(dumps(shared)) == 2)
    until(lambda: "walrus" in hooks.memories())
    lines = [json.loads(line) for line in dumps(shared)[0].read_bytes().splitlines()]
    assert "zebra" in lines[0]["content"]


@pytest.mark.process
def test_it_is_off_by_default(hooks: Hooks, tmp_path: Path):
    hooks.configure(f'[sync]\ndir = "{tmp_path / "shared"}"\n')

    hooks.run(STOP)
    hooks.served()
    hooks.drained()

    assert not (tmp_path / "shared").exists()
    assert hooks.logged("sync_by_itself") == []


async def test_only_the_end_of_a_turn_or_a_session_makes_it_due(app: AppContext):
    settings = Settings.model_validate({"sync": {"auto": True}})
    context = AppContext(app.home, settings, app.store, "mac", app.services)
    syncing = Syncing(app.home)

    await syncing.consider(context)

    assert not syncing.is_due

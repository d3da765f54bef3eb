"""Any order of syncs of any set of dumps ends in the same memories, on real stores."""

import random
import shutil
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from tests.longterm.machines import BEGIN, machine

TEXTS = ["zero", "one", "two"]


@pytest.mark.parametrize("seed", range(6))
async def test_machines_that_read_the_same_dumps_in_any_order_are_equal(tmp_path: Path, seed: int):
    dice = random.Random(seed)
    shared = tmp_path / "shared"
    async with AsyncExitStack() as stack:
        machines = []
        for number in range(3):
            now = BEGIN + timedelta(milliseconds=number)
            opened = await stack.enter_async_context(
                machine(tmp_path, f"mac-{number}", tmp_path / f"shared-{number}", now)
            )
            machines.append(opened)
        for _ in range(24):
            one = dice.choice(machines)
            one.now = max(each.now for each in machines) + timedelta(milliseconds=7)
            action = dice.choice(["remember", "grow", "delete", "restore", "purge", "pin", "meet"])
            text = dice.choice(TEXTS)
            match action:
                case "remember":
                    await one.remember(text)
                case "grow":
                    key = f"turn:{dice.randrange(2)}"
                    await one.remember(text * dice.randrange(1, 4), key, may_grow=True)
                case "meet":
                    other = dice.choice(machines)
                    await other.dump(keep=9)
                    place, one.folder.place = one.folder.place, other.folder.place
                    await one.sync()
                    one.folder.place = place
                case _:
                    await getattr(one, action)(text)
        await anyio.to_thread.run_sync(shared.mkdir)
        for each in machines:
            await each.dump(keep=9)
            for entry in await anyio.to_thread.run_sync(each.folder.entries):
                source = Path(each.folder.place) / entry.name
                await anyio.to_thread.run_sync(shutil.copy, source, shared)

        for each in machines:
            each.folder.place = str(shared)
            await each.sync()

        first, *others = [await each.living() for each in machines]
        assert others == [first, first]

"""Two machines in one folder, with everything that happens to such folders."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from tests.longterm.machines import Machine, machine
from tests.processes import COMMAND, PATIENCE_S, Product

HOSTS: Final = ("mac-a", "mac-b")
ROUNDS: Final = 4


class Simulation:
    """What was done, so what must be there in the end, and the means to do it."""

    def __init__(self, folder: Path, count: int, seed: int) -> None:
        self.folder = folder
        self.shared = folder / "shared"
        self.count = count
        self.dice = random.Random(seed)
        self.products = [
            Product(folder / host, OBOEGAKI_HOST=host, OBOEGAKI_SYNC_DIR=str(self.shared))
            for host in HOSTS
        ]
        for product in self.products:
            product.patience_s = PATIENCE_S + count / 10
        self.alive: dict[str, bool] = {}
        """By key: the last of all lives and deletions, whichever machine it was on."""
        self.texts: dict[str, str] = {}
        """By key: the longest text."""
        self._seconds = 0

    async def run(self) -> None:
        """Let both machines work, each ignorant of the other until they meet."""
        self.shared.mkdir()
        for product in self.products:
            product.command("longterm", "sync")
        for number in range(ROUNDS):
            for host, product in zip(HOSTS, self.products, strict=True):
                async with (
                    machine(product.home / "memory.db", host, self.shared) as opened,
                    opened.batch(),
                ):
                    await self._work(opened, first=number == 0)
            for product in self.products:
                self._interrupted(product, "dump", *(["--incremental"] if number % 2 else []))
                self._spoil()
                self._interrupted(product, "sync")
        for command in ("dump", "sync", "dump", "sync"):
            for product in self.products:
                ran = product.command("longterm", command)
                assert ran.code == 0, ran.err

    async def states(self) -> list[dict[str, str]]:
        """Return what is alive on each machine: text by key."""
        found = []
        for host, product in zip(HOSTS, self.products, strict=True):
            async with machine(product.home / "memory.db", host, self.shared) as opened:
                found.append({row[0]: row[1] for row in await opened.living()})
        return found

    async def _work(self, opened: Machine, *, first: bool) -> None:
        """Remember, let grow, delete and restore; one moment of a common clock for each."""
        opened.now += timedelta(seconds=self._seconds)
        begun = opened.now
        for number in range(self.count if first else self.count // 20):
            key = f"turn:{opened.host}-{'first' if first else self._seconds}-{number}"
            await self._remember(opened, key, f"[user] 質問 {key} word{number}")
        for row in self._some(await _rows(opened, "IS NULL")):
            if row["key"].startswith("turn:"):
                await self._remember(opened, row["key"], row["content"] + " and more")
        for row in self._some(await _rows(opened, "IS NULL")):
            await opened.delete(row["content"])
            self.alive[row["key"]] = False
        for row in self._some(await _rows(opened, "IS NOT NULL AND content <> ''")):
            await opened.restore(row["content"])
            self.alive[row["key"]] = True
        for row in self._some(await _rows(opened, "IS NULL"))[:3]:
            await opened.pin(row["content"])
        self._seconds += int((opened.now - begun).total_seconds()) + 1

    async def _remember(self, opened: Machine, key: str, text: str) -> None:
        await opened.remember(text, key, may_grow=True)
        self.alive.setdefault(key, True)
        self.texts[key] = max(text, self.texts.get(key, ""), key=len)

    def _some(self, rows: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        return self.dice.sample(rows, min(len(rows), max(5, self.count // 50)))

    def _spoil(self) -> None:
        """Leave what sync programs leave: a copy, half a file, a placeholder."""
        dumps = sorted(path for path in self.shared.glob("*.ndjson") if path.stat().st_size)
        if not dumps:
            return
        chosen = self.dice.choice(dumps)
        shutil.copyfile(chosen, chosen.with_name(f"{chosen.stem} 2.ndjson"))
        data = chosen.read_bytes()
        half = self.shared / f"{chosen.stem} 3.ndjson"
        half.write_bytes(data[: self.dice.randrange(len(data))])
        (self.shared / ".mac-c_20260611T000000.ndjson.icloud").write_bytes(b"bplist00")

    def _interrupted(self, product: Product, *arguments: str) -> None:
        """Start a command and kill it at whatever moment; then let it end once undisturbed."""
        process = subprocess.Popen(
            [*COMMAND, "longterm", *arguments], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, **product.environ},
        )  # fmt: skip
        # Not a wait for something: the moment of the kill is what is being tried out.
        time.sleep(self.dice.uniform(0.2, 1.5 + self.count / 2000))
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
        if self.dice.random() < 0.5:
            ran = product.command("longterm", *arguments)
            assert ran.code == 0, ran.err


async def _rows(opened: Machine, deleted: str) -> list[Mapping[str, Any]]:
    rows = await opened.store.connection.execute_fetchall(
        f"SELECT key, content FROM memories WHERE deleted_at {deleted} ORDER BY id"
    )
    return list(rows)

"""`hook.durable`: from the hook process's start to the commit, nothing that a power cut undoes."""

import json
import os
import subprocess
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import anyio
import pytest

from runtime.context import AppContext
from runtime.contexts import Contexts
from runtime.paths import NO, Home
from runtime.pipeline import handle
from runtime.settings import Settings, load
from tests.processes import HOOK, PATIENCE_S, Product
from tests.spooled import BASE, put

ON: Final = "[hook]\ndurable = true\n"
SYNCED: Final = "synced"
OBSERVED: Final = f"""
import os, posix, sys
real = posix.fsync
def fsync(fd):
    print("{SYNCED}", os.readlink("/proc/self/fd/%d" % fd).rpartition("/")[2][:4], file=sys.stderr)
    real(fd)
posix.fsync = os.fsync = fsync
from runtime.__main__ import main
main()
"""
FULL: Final = 2


def syncs(product: Product, environ: Mapping[str, str]) -> list[str]:
    """Run a hook whose event nobody handles; return the names of what it synced, cut short."""
    done = subprocess.run(
        [*HOOK[:-2], OBSERVED, "hook"],
        input=json.dumps({**BASE, "hook_event_name": "Later"}).encode(),
        capture_output=True,
        timeout=PATIENCE_S,
        env={**os.environ, **product.environ, **environ},
        check=True,
    )
    words = [line.split() for line in done.stderr.decode().splitlines()]
    return [word[1] for word in words if word[:1] == [SYNCED]]


@pytest.mark.process
@pytest.mark.parametrize(
    ("environ", "config", "expected", "why"),
    [
        ({}, "", [], "off by default"),
        ({"OBOEGAKI_HOOK_DURABLE": "1"}, "", ["tmp-", "spoo"], "the file, then its folder"),
        ({"OBOEGAKI_HOOK_DURABLE": "true"}, "", ["tmp-", "spoo"], "as the settings take it"),
        ({"OBOEGAKI_HOOK_DURABLE": ""}, "", [], "empty is not set"),
        ({}, ON, ["tmp-", "spoo"], "config.toml, once it has been read"),
        ({"OBOEGAKI_HOOK_DURABLE": "off"}, ON, [], "the environment wins"),
    ],
)
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="shows what was synced, on Linux")
def test_a_hook_waits_for_the_disk_when_it_is_told_to(product, environ, config, expected, why):
    product.home.mkdir()
    (product.home / "config.toml").write_text(config, encoding="utf-8")
    product.command("config", "check")
    seen = syncs(product, environ)

    assert seen[: len(expected) or None] == expected, why


@pytest.mark.parametrize("word", [*NO, "Off", " no ", "1", "true", "yes", "on"])
def test_the_hook_process_reads_a_word_as_the_settings_do(word):
    settings = load("/nowhere", {"OBOEGAKI_HOOK_DURABLE": word.strip()}).settings

    assert settings.hook.durable is (word.strip().lower() not in NO)


async def test_the_mark_follows_the_file_and_not_the_environment(tmp_path: Path):
    home = Home(str(tmp_path))
    await anyio.to_thread.run_sync(home.prepare)
    seen = []

    async with AsyncExitStack() as stack:
        contexts = Contexts(home, stack)
        for config, environ in [
            ("", {}),
            (ON, {}),
            (ON, {"env.OBOEGAKI_HOOK_DURABLE": "0"}),
            ("# off\n", {}),
            ("# off, again\n", {"env.OBOEGAKI_HOOK_DURABLE": "1"}),
            ("[hook]\ndurable = 'perhaps'\n", {}),
        ]:
            await anyio.Path(home.config).write_text(config, encoding="utf-8")
            await contexts.settings(environ)
            seen.append(await anyio.Path(home.durable).exists())

    assert seen == [False, True, True, False, False, False]


@pytest.mark.parametrize("is_durable", [True, False])
async def test_the_commit_of_a_durable_event_waits_for_the_disk(app: AppContext, is_durable: bool):
    """Otherwise the event's file would be gone and the power cut would undo the commit."""
    settings = Settings.model_validate({"hook": {"durable": is_durable}})

    await handle(put(app.home, {"hook_event_name": "Later"}), app._replace(settings=settings))

    async with app.opened.connection.execute("PRAGMA synchronous") as cursor:
        row = await cursor.fetchone()
    assert row is not None
    assert (row[0] == FULL) is is_durable

"""The playground of every case."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
import structlog

from runtime import logs
from runtime.app import open_app
from runtime.paths import Home
from runtime.setting_sections import Notes
from runtime.settings import Settings
from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import Make, Playground, check
from tests.processes import PATIENCE_S, Ran


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Give a function that makes the playground of a case: `make("P01")`."""

    def make(case: str = "", **environ: str) -> Playground:
        return Playground(tmp_path, case, **environ)

    return make


RunScript = Callable[..., Ran]


@pytest.fixture
def run_script() -> RunScript:
    """Give a function that runs a hook whose start is a script, such as one with other routes."""

    def run_script(ground: Playground, script: str, payload: Mapping[str, Any]) -> Ran:
        done = subprocess.run(
            (sys.executable, "-I", "-c", script),
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
            env={**os.environ, **ground.product.environ},
        )
        ran = Ran(done.returncode, done.stdout, done.stderr.decode(errors="replace"))
        check(ran, payload)
        return ran

    return run_script


@pytest.fixture
async def pipeline(tmp_path: Path) -> AsyncGenerator[Pipeline]:
    """The pipeline over a fresh home and a folder of notes."""
    home = Home(str(tmp_path / "home"))
    notes = tmp_path / "notes"
    notes.mkdir()
    await anyio.to_thread.run_sync(home.prepare)
    settings = Settings(notes=Notes(dirs=(str(notes),)))
    configured = structlog.get_config()
    logs.configure(home, settings.logs)
    async with open_app(home, settings) as app:
        yield Pipeline(app, notes)
    structlog.configure(**configured)

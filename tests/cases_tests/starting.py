"""Hooks started in ways that `Product` does not offer."""

import os
import subprocess
from collections.abc import Callable, Mapping
from typing import Final

from tests.cases_tests.playground import Playground
from tests.processes import HOOK, PATIENCE_S, Ran

CLIENT: Final = "from runtime.client import main\nmain([])\n"
"""The end of a script that is a hook."""


def run_hook(
    ground: Playground,
    payload: bytes,
    *,
    command: list[str] | tuple[str, ...] = HOOK,
    before: Callable[[], None] | None = None,
    environ: Mapping[str, str | None] | None = None,
) -> Ran:
    """Run a hook in ways that `Product` does not offer."""
    merged: dict[str, str | None] = {**os.environ, **ground.product.environ, **(environ or {})}
    done = subprocess.run(
        command,
        input=payload,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        env={name: value for name, value in merged.items() if value is not None},
        preexec_fn=before,
        start_new_session=True,
        cwd=ground.folder,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

"""Claude Code itself: whether it is new enough for our hooks."""

import os
import re
import shutil
import subprocess
from typing import Final

from runtime.doctor.check import Checked, Place, found

MINIMUM: Final = (2, 1, 139)
"""The first version that starts hooks without a shell (`args`), by its change log."""
WAIT_S: Final = 10.0
ENOUGH_BYTES: Final = 200


def check(place: Place) -> list[Checked]:
    """Ask the `claude` on PATH for its version."""
    program = shutil.which("claude", path=place.environ.get("PATH", os.defpath))
    if program is None:
        return [found("client.version", "note", "no `claude` on PATH")]
    try:
        done = subprocess.run(  # noqa: S603 - the program that the person runs by this name
            [program, "--version"],
            capture_output=True,
            timeout=WAIT_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=dict(place.environ),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        saw = f"{program} --version gave no answer: {type(error).__name__}"
        return [found("client.version", "note", saw)]
    return [judge(done.stdout[:ENOUGH_BYTES].decode("ascii", "replace"))]


def judge(said: str) -> Checked:
    """Return the finding for what `claude --version` printed."""
    numbers = re.match(r"\s*v?(\d+)\.(\d+)\.(\d+)", said)
    if numbers is None:
        return found("client.version", "note", "`claude --version` names no version")
    version = tuple(map(int, numbers.groups()))
    shown = ".".join(numbers.groups())
    if version < MINIMUM:
        needed = ".".join(map(str, MINIMUM))
        saw = f"Claude Code {shown} does not know `args`: hooks run as a bare interpreter"
        return found("client.version", "problem", saw, f"upgrade it to {needed} or newer")
    return found("client.version", "ok", f"Claude Code {shown}")

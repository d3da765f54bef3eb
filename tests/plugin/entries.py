"""The plugin's hook entries, spawned the way Claude Code spawns them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parent.parent.parent
PLACEHOLDER: Final = "${CLAUDE_PLUGIN_ROOT}"
TOOLS: Final = "/usr/bin:/bin"
"""A PATH without the project's own commands."""
PATIENCE_S: Final = 30

SHELLS: Final[dict[str, Sequence[str]]] = {
    "sh": ["/bin/sh"],
    **({"bash": [bash, "--posix"]} if (bash := shutil.which("bash")) else {}),
}
"""What /bin/sh is somewhere: dash on Debian and Ubuntu, bash on macOS and Fedora."""


def hooks_document() -> dict[str, Any]:
    """Return hooks.json."""
    document: dict[str, Any] = json.loads((ROOT / "hooks.json").read_text(encoding="utf-8"))
    return document


def events() -> list[str]:
    """Return the events that have an entry."""
    return list(hooks_document()["hooks"])


class Ended(NamedTuple):
    """A hook entry's process that has ended."""

    code: int
    out: bytes
    err: bytes


def run_entry(
    event: str,
    root: str | Path | None,
    *,
    stdin: bytes = b"{}",
    environ: Mapping[str, str] | None = None,
    path: str = TOOLS,
    shell: Sequence[str] = (),
    cwd: Path | None = None,
) -> Ended:
    """
    Spawn an event's entry without a shell of our own, the root put in verbatim.

    None for a root leaves the placeholder as it stands, as in a file that was
    copied out of the plugin. `shell` stands in for the entry's program.
    """
    entry = hooks_document()["hooks"][event][0]["hooks"][0]
    given = PLACEHOLDER if root is None else str(root)
    arguments = [word.replace(PLACEHOLDER, given) for word in entry["args"]]
    done = subprocess.run(
        [*(shell or [entry["command"]]), *arguments],
        input=stdin,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
        cwd=cwd,
        env={"PATH": path, "HOME": os.environ["HOME"], **(environ or {})},
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def make_plugin(root: Path, *, environment: bool = True) -> Path:
    """
    Make a plugin's folder of the launcher and links to the project.

    With an environment it is what a prepared working copy is.
    """
    shutil.copytree(ROOT / "bin", root / "bin")
    for name in ("runtime", "handlers", "schemas"):
        (root / name).symlink_to(ROOT / name)
    if environment:
        (root / ".venv").symlink_to(sys.prefix)
    return root


def write_program(path: Path, text: str) -> Path:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path

"""The project as a plugin: the command of its own hooks file, in an environment that is ready."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.latency.install import ROOT, Installed

PLACEHOLDER: Final = "${CLAUDE_PLUGIN_ROOT}"
FILES: Final = ("hooks.json", "bin/hook.sh")
"""What a hook needs of the plugin's folder. No `.venv` in it: a user's has none."""


class Plugin(NamedTuple):
    """A plugin's folder with its data beside it."""

    root: Path
    data: Path

    def commands(self, events: Sequence[str]) -> dict[str, list[str]]:
        """Return program and arguments of each event's hook, as the client fills them in."""
        hooks = json.loads((self.root / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        return {event: self._filled(hooks[event][0]["hooks"][0]) for event in events}

    def environ(self) -> Mapping[str, str]:
        """Return the variables that the client gives a plugin's hooks."""
        return {"CLAUDE_PLUGIN_ROOT": str(self.root), "CLAUDE_PLUGIN_DATA": str(self.data)}

    def _filled(self, entry: Mapping[str, object]) -> list[str]:
        arguments = entry["args"]
        words = [entry["command"], *(arguments if isinstance(arguments, list) else ())]
        return [str(word).replace(PLACEHOLDER, str(self.root)) for word in words]


def plugin(folder: Path, installed: Installed) -> Plugin:
    """Lay out the plugin in a folder, around the environment that all variants share."""
    made = Plugin(folder / "plugin", folder / "plugin-data")
    for name in FILES:
        (made.root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, made.root / name)
    launcher = (made.root / "bin" / "hook.sh").read_text(encoding="utf-8")
    version = re.search(r"^version=(\S+)$", launcher, re.MULTILINE)
    if version is None:
        raise RuntimeError("bin/hook.sh names no version")
    made.data.mkdir()
    environment = Path(installed.python).parent.parent
    (environment / "ready").touch()
    (made.data / f"venv-{version[1]}").symlink_to(environment)
    return made

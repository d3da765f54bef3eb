"""The plugin's environment is made once, in the background, while hooks say nothing."""

import fcntl
import os
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.plugin.entries import ROOT, TOOLS, Ended, make_plugin, run_entry, write_program

UV: Final = """\
#!/bin/sh
# Stands in for uv: notes each call, waits at first where told to, makes an interpreter that echoes,
# and that knows what the extra for MCP requires.
echo "$*" >>"{folder}/calls"
[ "$1" = venv ] && [ -p "{folder}/gate" ] && read -r _ <"{folder}/gate"
[ -e "{folder}/broken" ] && exit 1
case "$*" in *mcp-package*) [ ! -e "{folder}/no-mcp" ] || exit 1 ;; esac
[ "$1" = venv ] || exit 0
mkdir -p "$4/bin"
printf '#!/bin/sh\\ncase "$*" in *requires*) echo mcp-package;; *) printf "%%s|" "$@";; esac\\n' \\
    >"$4/bin/python"
chmod +x "$4/bin/python"
"""


class Plugin:
    """An installed plugin without an environment, a scripted `uv`, and a folder for data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = make_plugin(folder / "plug in", environment=False)
        self.data = folder / "data" / "oboegaki-market"
        self.tools = folder / "tools"
        write_program(self.tools / "uv", UV.format(folder=folder))
        write_program(self.tools / "python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')

    def hook(self) -> Ended:
        """Run one entry, as the client does."""
        return run_entry(
            "Stop",
            self.root,
            environ={"CLAUDE_PLUGIN_DATA": str(self.data)},
            path=f"{self.tools}:{TOOLS}",
        )

    def wait(self) -> None:
        """Wait until nobody builds."""
        lock = os.open(self.data / "prepare.lock", os.O_RDWR)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.close(lock)

    @property
    def venv(self) -> Path:
        """The environment's folder."""
        launcher = (ROOT / "bin" / "hook.sh").read_text(encoding="utf-8")
        version = launcher.partition("version=")[2].partition("\n")[0]
        return self.data / f"venv-{version}"

    @property
    def calls(self) -> list[str]:
        """The first word of each call of `uv`."""
        lines = (self.folder / "calls").read_text(encoding="utf-8").splitlines()
        return [line.split()[0] for line in lines]

    @property
    def log(self) -> str:
        """What the build wrote."""
        return (self.data / "prepare.log").read_text(encoding="utf-8")


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    """A plugin that was just installed."""
    return Plugin(tmp_path)


def test_hooks_say_nothing_until_the_environment_is_ready(plugin: Plugin):
    os.mkfifo(plugin.folder / "gate")

    first = plugin.hook()
    second = plugin.hook()

    assert (first, second) == ((0, b"", b""), (0, b"", b""))
    with (plugin.folder / "gate").open("w", encoding="utf-8") as gate:
        gate.write("go\n")
    plugin.wait()
    assert plugin.calls == ["venv", "pip", "pip"]
    assert plugin.hook().out.decode().split("|")[-2:] == ["Stop", ""]


def test_a_build_that_was_cut_off_is_done_again(plugin: Plugin):
    (plugin.venv / "bin").mkdir(parents=True)
    (plugin.venv / "bin" / "python").touch()

    plugin.hook()
    plugin.wait()

    assert (plugin.venv / "ready").exists()


def test_a_build_that_failed_is_not_tried_at_every_event(plugin: Plugin):
    (plugin.folder / "broken").touch()
    plugin.hook()
    plugin.wait()

    ended = plugin.hook()

    assert ended == (0, b"", b"")
    assert plugin.calls == ["venv"]
    assert "returned non-zero exit status 1" in plugin.log


def test_a_build_that_failed_long_ago_is_tried_again(plugin: Plugin):
    (plugin.folder / "broken").touch()
    plugin.hook()
    plugin.wait()
    (plugin.folder / "broken").unlink()
    os.utime(f"{plugin.venv}.failed", (0, 0))

    plugin.hook()
    plugin.wait()

    assert (plugin.venv / "ready").exists()


def test_the_log_says_what_is_missing(plugin: Plugin):
    (plugin.tools / "uv").unlink()
    for name in ("python3.11", "python3.12", "python3.13", "python3.14"):
        write_program(plugin.tools / name, "#!/bin/sh\nexit 1\n")
    write_program(
        plugin.tools / "python3",
        f'#!/bin/sh\n[ "$2" = -c ] && exit 1\nexec "{sys.executable}" "$@"\n',
    )

    plugin.hook()
    plugin.wait()

    assert "no Python 3.11 or newer with venv and pip on PATH; or install uv" in plugin.log


def test_the_last_environment_but_one_stays_for_sessions_that_run(plugin: Plugin):
    for age, version in enumerate(("0.0.1", "0.0.2", "0.0.3"), start=1):
        folder = plugin.data / f"venv-{version}"
        folder.mkdir(parents=True)
        os.utime(folder, (age, age))

    plugin.hook()
    plugin.wait()

    kept = {path.name for path in plugin.data.glob("venv-*") if path.is_dir()}
    assert kept == {"venv-0.0.3", plugin.venv.name}

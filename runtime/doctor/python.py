"""The interpreter and what is installed in it."""

import os
import shutil
import site
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Final

from runtime import __version__
from runtime.doctor.check import Checked, Place, found

COMMAND: Final = "runtime"
DISTRIBUTION: Final = "oboegaki"
DEPENDENCIES: Final = ("aiosqlite", "anyio", "click", "pydantic", "structlog")
OWN_NAMES: Final = ("handlers", "runtime", "schemas")
SHIM_FOLDERS: Final = ("/shims/", "/.asdf/", "/mise/shims/")
STARTS: Final = 5
"""Bare starts timed each way; the shortest counts."""


def check(place: Place) -> list[Checked]:
    """Look at interpreter, versions, rival packages and `.pth` files."""
    return [
        _interpreter(place),
        _command(place),
        *_versions(),
        _owners(),
        _pth_files(site_folders(), place),
    ]


def is_shim(program: str) -> bool:
    """Tell whether a program only looks for the interpreter, at each start anew."""
    return any(folder in program for folder in SHIM_FOLDERS)


def _interpreter(place: Place) -> Checked:
    version = ".".join(map(str, sys.version_info[:3]))
    saw = f"Python {version}, {place.executable}"
    if is_shim(place.executable):
        advice = "a shim costs more than a hook: install into an environment of its own"
        return found("python.interpreter", "warning", saw, advice)
    return found("python.interpreter", "ok", saw)


def _command(place: Place) -> Checked:
    found_at = shutil.which(COMMAND, path=place.environ.get("PATH", ""))
    if found_at:
        return found("python.command", "ok", f"`{COMMAND}` is {found_at}")
    saw = f"no `{COMMAND}` on PATH: sessions are told to search and to save with it"
    ours = os.path.join(os.path.dirname(place.executable), COMMAND)
    advice = f"link it: `ln -s {ours} ~/.local/bin/`; the plugin brings its own"
    return found("python.command", "note", saw, advice)


def _versions() -> list[Checked]:
    installed, missing = [], []
    for name in (DISTRIBUTION, *DEPENDENCIES):
        try:
            installed.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    advice = "install oboegaki again, into an environment of its own"
    rows = [found("python.versions", "ok", ", ".join(installed))]
    if missing:
        rows = [found("python.versions", "problem", f"not installed: {', '.join(missing)}", advice)]
    elif metadata.version(DISTRIBUTION) != __version__:
        saw = f"installed as {metadata.version(DISTRIBUTION)}, the code says {__version__}"
        rows.append(found("python.code", "warning", saw, advice))
    return rows


def _owners() -> Checked:
    """Two wheels with one top-level name overwrite each other without a word."""
    owners = metadata.packages_distributions()
    foreign = sorted(
        {
            f"{name}/ of {other}"
            for name in OWN_NAMES
            for other in owners.get(name, [])
            if other.lower() != DISTRIBUTION
        }
    )
    if not foreign:
        return found("python.owners", "ok", "nobody else brings handlers, runtime or schemas")
    return found(
        "python.owners",
        "problem",
        f"also installed here: {', '.join(foreign)}",
        "install oboegaki into an environment of its own (`uv tool install`, pipx)",
    )


def site_folders() -> list[str]:
    """Return the folders in which Python reads `.pth` files at each start."""
    folders = site.getsitepackages()
    return [*folders, site.getusersitepackages()] if site.ENABLE_USER_SITE else folders


def _pth_files(folders: list[str], place: Place) -> Checked:
    files = [path for folder in folders for path in sorted(Path(folder).glob("*.pth"))]
    running = [path.name for path in files if _runs_code(path)]
    saw = f"{len(running)} of {len(files)} `.pth` files run code at each start"
    if running:
        saw += f": {', '.join(running)}"
    if place.is_slow:
        saw += f"; site costs {_site_cost_ms(place):.0f} ms per start"
    if not running:
        return found("python.pth", "ok", saw)
    advice = "hooks start without them (-S), commands and the worker do not: remove what is unused"
    return found("python.pth", "note", saw, advice)


def _runs_code(path: Path) -> bool:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return any(line.startswith(("import ", "import\t")) for line in lines)


def _site_cost_ms(place: Place) -> float:
    def shortest(*flags: str) -> float:
        times = []
        for _ in range(STARTS):
            started = time.perf_counter()
            command = [place.executable, *flags, "-c", "pass"]
            subprocess.run(  # noqa: S603 - our own interpreter
                command, check=False, stdin=subprocess.DEVNULL, env=dict(place.environ)
            )
            times.append(time.perf_counter() - started)
        return min(times)

    return max(0.0, shortest("-I") - shortest("-I", "-S")) * 1000

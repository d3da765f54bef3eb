"""
A clean environment with the project installed in it as users install it.

No `.pth` file, which every Python of the environment would pay for; a wheel and
not an editable install; bytecode on disk. Kept by the hash of what it is made
from, so that a second run is quick.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / ".cache" / "hook_latency"
PACKAGES: Final = ("runtime", "handlers", "schemas")
RECIPE: Final = ("pyproject.toml", "uv.lock", "README.md", "benchmarks/latency/world.py")
COMMANDS: Final = """
import json, sys
from runtime.launch import hook_command
print(json.dumps({name: hook_command(name) for name in sys.argv[1:]}))
"""
VERSIONS: Final = """
import json, platform, sqlite3
print(json.dumps({"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}))
"""


class Installed(NamedTuple):
    """The environment to measure."""

    folder: Path
    """Of the cache, for whatever else depends on the same source."""
    python: str

    def commands(self, events: Sequence[str]) -> dict[str, list[str]]:
        """Return program and arguments of each event's hook, as this installation gives them."""
        commands: dict[str, list[str]] = json.loads(self._says(COMMANDS, *events))
        return commands

    def versions(self) -> dict[str, str]:
        """Return the versions that the measurement depends on."""
        versions: dict[str, str] = json.loads(self._says(VERSIONS))
        return versions

    def _says(self, code: str, *arguments: str) -> bytes:
        return subprocess.run(
            [self.python, "-I", "-c", code, *arguments], check=True, capture_output=True
        ).stdout


def installed() -> Installed:
    """Return the environment for the source as it is now, making it when it is not there."""
    folder = CACHE / _key()
    python = folder / "venv" / "bin" / "python"
    if not (folder / "ready").exists():
        shutil.rmtree(CACHE, ignore_errors=True)
        folder.mkdir(parents=True)
        _make(folder / "venv", python)
        (folder / "ready").touch()
    return Installed(folder, str(python))


def _key() -> str:
    """Return a hash of all that goes into the environment, and of the interpreter."""
    files = [path for name in PACKAGES for path in sorted((ROOT / name).rglob("*"))]
    files += [ROOT / name for name in RECIPE]
    digest = hashlib.sha256(f"{sys.base_prefix} {sys.version} {ROOT}".encode())
    for path in files:
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _make(venv: Path, python: Path) -> None:
    uv = os.environ.get("UV") or shutil.which("uv")
    pins = venv.with_name("pins.txt")
    pins.write_text(_pins(), encoding="utf-8")
    if uv:
        _run([sys.executable, "-m", "venv", "--without-pip", str(venv)])
        into = [uv, "pip", "install", "--quiet", "--python", str(python)]
        _run([*into, "--constraint", str(pins), "--reinstall-package", "oboegaki", str(ROOT)])
    else:
        _run([sys.executable, "-m", "venv", str(venv)])
        pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "install", "--constraint", str(pins), str(ROOT)])
        _run([*pip, "uninstall", "--yes", "setuptools"])
    site = next((venv / "lib").glob("python*")) / "site-packages"
    for path in site.glob("*.pth"):
        path.unlink()
    # Some packages ship templates that are no valid Python: those may fail.
    _run([str(python), "-m", "compileall", "-q", "-q", str(site)], check=False)


def _pins() -> str:
    """Return the locked version of each package, one a line."""
    locked = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    pins = [f"{item['name']}=={item['version']}" for item in locked if "registry" in item["source"]]
    names = [pin.partition("==")[0] for pin in pins]
    return "\n".join(pin for pin in pins if names.count(pin.partition("==")[0]) == 1)


def _run(command: Sequence[str], *, check: bool = True) -> None:
    # Set in many containers and CI jobs: with it no bytecode would be written.
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=check, env=environ, stdout=subprocess.DEVNULL)

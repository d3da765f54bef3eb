"""
Build the sdist, build the wheel from it, and run what was built.

The wheel is installed into an environment without any development package, so
a dependency that only the tests bring is noticed. Everything happens in a
temporary folder. Exits with 1 and one sentence when something is wrong.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGES: Final = frozenset({"handlers", "runtime", "schemas"})
SDIST_NEEDS: Final = frozenset({"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "tests"})
PIP: Final = ("-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check")


def main() -> None:
    """Build, look inside, install, run; print what was found on the way."""
    with tempfile.TemporaryDirectory(prefix="package-") as name:
        folder = Path(name)
        python = folder / "venv" / "bin" / "python"
        venv.create(folder / "venv", with_pip=True)
        sdist = build_sdist(python, folder)
        run([python, *PIP, "wheel", "--no-deps", "--wheel-dir", folder / "dist", sdist], folder)
        wheel = only(folder / "dist", "*.whl")
        check_names(sdist, SDIST_NEEDS - sdist_names(sdist), "is missing")
        check_names(wheel, wheel_names(wheel) ^ PACKAGES, "should hold these packages alone, not")
        run([python, *PIP, "install", wheel], folder)
        shown = run([python.with_name("runtime"), "--help"], folder)
        if "Usage:" not in shown:
            fail(f"`runtime --help` of {wheel.name} shows no usage: {shown!r}")
        check_skills(run([python.with_name("runtime"), "install", "--skills", "--dry-run"], folder))
        print(f"{sdist.name} and {wheel.name}: built, installed alone, `runtime --help` runs")


def build_sdist(python: Path, folder: Path) -> Path:
    """Run the build backend that pyproject.toml names, kept out of the environment."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        backend = tomllib.load(file)["build-system"]["requires"]
    run([python, *PIP, "install", "--target", folder / "backend", *backend], folder)
    build: list[str | Path] = [python, "-m", "hatchling", "build", "-t", "sdist"]
    run([*build, "-d", folder / "dist"], ROOT, PYTHONPATH=str(folder / "backend"))
    return only(folder / "dist", "*.tar.gz")


def sdist_names(sdist: Path) -> set[str]:
    """List what lies directly in the sdist's one folder."""
    with tarfile.open(sdist) as archive:
        return {name.split("/")[1] for name in archive.getnames() if "/" in name}


def wheel_names(wheel: Path) -> set[str]:
    """List the wheel's top level, the metadata folder aside."""
    with zipfile.ZipFile(wheel) as archive:
        top = {name.split("/")[0] for name in archive.namelist()}
    return {name for name in top if not name.endswith(".dist-info")}


def check_names(archive: Path, names: set[str] | frozenset[str], what: str) -> None:
    """Fail when there are names to complain about."""
    if names:
        fail(f"{archive.name} {what}: {', '.join(sorted(names))}; see [tool.hatch] in pyproject")


def check_skills(shown: str) -> None:
    """Fail unless the installed package brings each skill along."""
    names = sorted(path.name for path in (ROOT / "skills").iterdir())
    missing = [name for name in names if f"{name}/SKILL.md: would be written" not in shown]
    if missing or not names:
        fail(f"`runtime install --skills` of the wheel has no skill {', '.join(missing)}")


def only(folder: Path, pattern: str) -> Path:
    """Give the one match; several builds in one folder would be a mistake here."""
    (found,) = folder.glob(pattern)
    return found


def run(command: Sequence[str | Path], cwd: Path, **extra: str) -> str:
    """Run in `cwd` with an empty home; give stdout, or fail with what the command said."""
    home = {"HOME": str(cwd), "OBOEGAKI_HOME": str(cwd / "home")} if cwd != ROOT else {}
    env = {**os.environ, **home, **extra}
    done = subprocess.run(  # noqa: S603 - the commands are written above
        command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        shown = " ".join(map(str, command))
        fail(f"`{shown}` exited with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def fail(message: str) -> None:
    """End with one sentence on stderr."""
    sys.exit(f"package: {message}")


if __name__ == "__main__":
    main()

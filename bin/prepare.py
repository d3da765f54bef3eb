"""
Make the plugin's environment, once, in the background.

    python3 -I prepare.py PLUGIN_ROOT VENV

A hook starts this while there is no environment, so it returns at once and works
on in a process of its own. VENV holds a file `ready` when it can be used; what
happened stands in `prepare.log` beside it. What the MCP servers need comes after that,
so that hooks need not wait for it: then there is a file `ready-mcp`. Runs on any
Python 3.8 that the system may have: the environment's own Python is looked for here.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

RETRY_S = 600
"""After a failure hooks leave it alone for that long: most likely there is no network."""
STEP_S = 600
READY, READY_MCP = "ready", "ready-mcp"
"""In the environment: it can be used, and so can the MCP servers."""
FAILED, FAILED_MCP = ".failed", ".failed-mcp"
"""Beside the environment, behind its name: when the last attempt at either failed."""
CHECK = "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))"
REQUIRES = """
import sys
from importlib.metadata import requires
for line in requires("oboegaki"):
    requirement, _, condition = line.partition(";")
    if "extra ==" in condition and sys.argv[1] in condition:
        print(requirement.strip())
"""
PYTHONS = ("python3", "python3.14", "python3.13", "python3.12", "python3.11")
KEPT_OLDER = 1
"""Environments of earlier versions that stay: running sessions may still use one."""
DROPPED = ("CLAUDE", "ANTHROPIC", "OBOEGAKI_", "MEMORY_", "PYTHON", "VIRTUAL_ENV")
"""Variables of the session, and what would steer an installer to some other environment."""


def main(root: str, venv: str) -> None:
    """Detach, then build what is missing unless somebody builds or has just failed."""
    folder = os.path.dirname(venv)
    log_path = os.path.join(folder, "prepare.log")
    is_made = os.path.exists(os.path.join(venv, READY))
    if failed_lately(venv + (FAILED_MCP if is_made else FAILED)):
        return
    os.makedirs(folder, mode=0o700, exist_ok=True)
    lock = os.open(os.path.join(folder, "prepare.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    if os.fork():
        return
    # The lock came along. The client waits for whoever holds a pipe of a hook.
    os.setsid()
    log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    null = os.open(os.devnull, os.O_RDWR)
    for fd, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(fd, target)
    os.chdir(folder)
    if not os.path.exists(os.path.join(venv, READY)):
        build(root, venv)
    is_made = os.path.exists(os.path.join(venv, READY))
    if is_made and not os.path.exists(os.path.join(venv, READY_MCP)):
        add_mcp(venv)


def failed_lately(mark: str) -> bool:
    """Tell whether the last attempt failed a short time ago."""
    try:
        return 0 <= time.time() - os.stat(mark).st_mtime < RETRY_S
    except OSError:
        return False


def build(root: str, venv: str) -> None:
    """Create, install, compile; leave `ready`, or a mark of the failure."""
    shutil.rmtree(venv, ignore_errors=True)
    if run(lambda: steps(root, venv)):
        finish(venv, READY)
        forget_older(venv)
    else:
        touch(venv + FAILED)


def add_mcp(venv: str) -> None:
    """Install what the MCP servers need; leave `ready-mcp`, or a mark of the failure."""
    # One of the servers reaches esa, if the person has it so.
    if run(lambda: [installation(extra("mcp", venv) + extra("esa", venv), venv)]):
        finish(venv, READY_MCP)
    else:
        touch(venv + FAILED_MCP)


def run(commands: "Callable[[], list[list[str]]]") -> bool:
    """Run commands one after the other; tell whether all of them went well."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith(DROPPED)}
    try:
        for step in commands():
            print("+", *step, flush=True)
            subprocess.run(step, check=True, timeout=STEP_S, env=environ)
    except (OSError, subprocess.SubprocessError) as error:
        print(error, flush=True)
        return False
    return True


def finish(venv: str, mark: str) -> None:
    """Compile what was installed and say that it can be used."""
    # Some packages hold templates that are no valid Python: what fails to compile is not ours.
    subprocess.run([python_of(venv), "-m", "compileall", "-q", "-q", venv], check=False)
    touch(os.path.join(venv, mark))


def steps(root: str, venv: str) -> "list[list[str]]":
    """Return the commands: with uv when there is one, since it brings a Python along."""
    uv = shutil.which("uv")
    make = [uv, "venv", "--python", ">=3.11", venv] if uv else [find_python(), "-m", "venv", venv]
    return [make, installation([root], venv)]


def installation(what: "list[str]", venv: str) -> "list[str]":
    """Return the command that installs into the environment."""
    uv = shutil.which("uv")
    if uv:
        return [uv, "pip", "install", "--python", python_of(venv), *what]
    return [python_of(venv), "-m", "pip", "--disable-pip-version-check", "install", *what]


def extra(name: str, venv: str) -> "list[str]":
    """
    Return what an extra requires.

    Naming the extra itself would install the project again, under hooks that run.
    """
    command = [python_of(venv), "-I", "-c", REQUIRES, name]
    done = subprocess.run(command, check=True, timeout=STEP_S, stdout=subprocess.PIPE)
    return done.stdout.decode().split("\n")[:-1]


def python_of(venv: str) -> str:
    """Return the environment's interpreter."""
    return os.path.join(venv, "bin", "python")


def find_python() -> str:
    """Return the first Python 3.11 with venv and pip. Raises FileNotFoundError."""
    for name in PYTHONS:
        path = shutil.which(name)
        if path and subprocess.run([path, "-I", "-c", CHECK], check=False).returncode == 0:
            return path
    raise FileNotFoundError("no Python 3.11 or newer with venv and pip on PATH; or install uv")


def forget_older(venv: str) -> None:
    """Remove environments of earlier versions, the last one aside."""
    folder = os.path.dirname(venv)
    names = [name for name in os.listdir(folder) if name.startswith("venv-")]
    paths = [os.path.join(folder, name) for name in names if name != os.path.basename(venv)]
    older = sorted((path for path in paths if os.path.isdir(path)), key=os.path.getmtime)
    for path in older[:-KEPT_OLDER]:
        shutil.rmtree(path, ignore_errors=True)


def touch(path: str) -> None:
    """Create the file, or renew its time."""
    with open(path, "w", encoding="utf-8"):
        os.utime(path)


if __name__ == "__main__":
    main(*sys.argv[1:3])

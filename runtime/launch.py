"""
The command with which Claude Code starts the hook process.

`python -I -S -c …`: isolated, so that neither PYTHONPATH nor a project with its
own `runtime/` folder can stand in for us; without `site`, so that no `.pth` file
is paid for; and as code rather than as a file, since Python exits 2 for a file
that is missing, and 2 blocks the person's prompts and tools.
"""

import os
import sys
from importlib.util import find_spec
from typing import Final

MARK: Final = "# oboegaki hook"
"""Stands in every hook command of ours, of any version: by it our entries are known again."""
CODE: Final = f"""\
import sys {MARK}
try:
 sys.path[:0]={{paths!r}}
 from runtime.client import main
 main(sys.argv[1:])
except BaseException:
 pass
"""
DEPENDENCY: Final = "anyio"
"""Where this package lies, all others that we need lie too."""


def hook_command(event: str) -> list[str]:
    """Return program and arguments of the hook for an event, for this installation."""
    return [sys.executable, "-I", "-S", "-c", CODE.format(paths=import_paths()), event]


def import_paths() -> list[str]:
    """Return the folders that hold our package and, if elsewhere, its dependencies."""
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = find_spec(DEPENDENCY)
    theirs = ours
    if found is not None and found.origin is not None:
        theirs = os.path.dirname(os.path.dirname(found.origin))
    return list(dict.fromkeys((ours, theirs)))

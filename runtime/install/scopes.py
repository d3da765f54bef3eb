"""Where Claude Code reads its settings from, per scope."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, get_args

Scope = Literal["user", "project", "local"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)


def settings_path(scope: Scope, environ: Mapping[str, str], cwd: str) -> Path:
    """
    Return a scope's settings file; it need not exist.

    The user's lies in `$CLAUDE_CONFIG_DIR`, else in `~/.claude`; the other two in
    `.claude` of the repository around `cwd`, else of `cwd` itself.
    """
    if scope == "user":
        chosen = environ.get("CLAUDE_CONFIG_DIR")
        folder = chosen or os.path.join(environ.get("HOME") or "~", ".claude")
        return Path(os.path.abspath(os.path.expanduser(folder)), "settings.json")
    name = "settings.json" if scope == "project" else "settings.local.json"
    return Path(project_root(cwd), ".claude", name)


def project_root(cwd: str) -> str:
    """Return the nearest folder at or above `cwd` with a `.git` in it, else `cwd`."""
    start = Path(os.path.abspath(cwd))
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return str(folder)
    return str(start)

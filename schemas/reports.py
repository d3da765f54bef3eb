"""What `runtime install` and `runtime uninstall` did, and what `runtime doctor` found."""

from typing import Literal

from schemas.base import Own


class Installed(Own):
    """One settings file, changed or not."""

    path: str
    changed: bool
    """With `--dry-run`: whether it would be."""
    backup: str | None
    """Where the file as it was before lies; None when nothing was overwritten."""
    diff: str
    removed: bool = False
    """The file is gone: nothing but our hooks was in it, and `runtime install` had made it."""


Level = Literal["ok", "note", "warning", "problem"]
"""How much something matters: nothing, good to know, look into it, memory does not work."""


class Finding(Own):
    """One thing that was looked at."""

    id: str
    """Stable, `family.thing`: for scripts."""
    level: Level
    saw: str
    advice: str = ""
    """What to do; "" where there is nothing to do."""


class Examination(Own):
    """Everything that `runtime doctor` found."""

    findings: tuple[Finding, ...]
    fixed: tuple[str, ...] = ()
    """What `--fix` did, in order; the findings are those after it."""

"""What every check is given, and what it gives back."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from runtime.paths import Home
from runtime.settings import Settings
from schemas.reports import Finding, Level

Mend = Callable[[], str]
"""Repairs what was found; blocking. Returns what it did, one phrase. May raise OSError."""


class Checked(NamedTuple):
    """A finding, and the repair that is safe to make without asking."""

    finding: Finding
    mend: Mend | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The installation that is examined. Everything outside comes in here."""

    home: Home
    settings: Settings
    setting_problems: int = 0
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cwd: str = field(default_factory=os.getcwd)
    now_s: float = field(default_factory=time.time)
    executable: str = sys.executable
    mounts: str = "/proc/mounts"
    is_slow: bool = False
    """Also take measurements that need seconds."""


def found(name: str, level: Level, saw: str, advice: str = "", mend: Mend | None = None) -> Checked:
    """Return a finding."""
    return Checked(Finding(id=name, level=level, saw=saw, advice=advice), mend)


def age(seconds: float) -> str:
    """Return a duration in its largest fitting unit, for people."""
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} seconds"

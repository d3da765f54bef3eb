"""What commands did: `runtime install`, `doctor`, `notes import`."""

from typing import Literal

from pydantic import Field

from schemas.base import Own

SkillOutcome = Literal["written", "same", "removed", "kept"]
"""What became of a skill's file: kept is somebody else's, or edited."""


class InstalledSkill(Own):
    """One skill's file."""

    path: str
    outcome: SkillOutcome


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
    skills: tuple[InstalledSkill, ...] = ()
    """Where skills were asked for, or taken out."""


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


Outcome = Literal["copied", "renamed", "identical", "registered", "left out", "failed"]
"""What became of a file: renamed is copied beside another of its name."""


class ImportedFile(Own):
    """One file of a folder that was taken over."""

    source: str
    outcome: Outcome
    target: str | None = None
    """Where it lies now, or would."""
    reason: str = ""
    """Why it was left out or failed."""


class RuleBreak(Own):
    """Something that stands in a note and could not be written there today."""

    file: str
    rule: Literal["undated", "oversized"]
    line: int = Field(ge=1)
    heading: str
    chars: int
    """Of the block; of the whole file where that is oversized."""


class HeldSecret(Own):
    """A file that holds something secret; what it is stays unsaid."""

    file: str
    kinds: tuple[str, ...]
    """Such as `assigned-secret`, `private-key`; at least one."""


class Imported(Own):
    """A folder that was taken over, or would be."""

    folder: str
    target: str
    """The folder that the copies went to, or the settings file that names the folder now."""
    dry_run: bool
    files: tuple[ImportedFile, ...]
    breaks: tuple[RuleBreak, ...]
    secrets: tuple[HeldSecret, ...]
    """Files that are taken as they are; their secrets are masked in the index."""
    others: int
    """Files that are no Markdown, such as memory_index.db: not needed, the index is made anew."""

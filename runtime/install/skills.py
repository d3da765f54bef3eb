"""
Our skills in a folder that Claude Code reads, and out of it again.

The plugin brings them along; this is for who has the hooks in the settings. A
file of that name that is not ours, or that somebody has edited since, is left
alone both ways.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import runtime
from runtime.files import write_atomic
from runtime.install.record import Record
from schemas.reports import InstalledSkill, SkillOutcome

NAMES: Final = (
    "long-term-memory-cleanup",
    "long-term-memory-dump",
    "long-term-memory-search",
    "long-term-memory-stats",
    "long-term-memory-sync",
    "memory-gc",
    "permanent-memory-archive",
    "permanent-memory-organize",
    "recall",
    "remember",
)
FILE: Final = "SKILL.md"
MADE: Final = "made"
"""Noted about a folder that was not there before us."""


def put_in(folder: Path, record: Record, *, dry_run: bool) -> list[InstalledSkill]:
    """Copy the skills below *folder*, which is `skills` of some `.claude`."""
    done = []
    for name in NAMES:
        path = folder / name / FILE
        text = (originals() / name / FILE).read_text(encoding="utf-8")
        outcome = _outcome(path, text, record)
        if outcome == "written" and not dry_run:
            for made in _make_folders(path.parent):
                record.note(made, [MADE])
            write_atomic(path, text)
            record.note(path, [_digest(text.encode())])
        done.append(InstalledSkill(path=str(path), outcome=outcome))
    return done


def take_out(folder: Path, record: Record, *, dry_run: bool) -> list[InstalledSkill]:
    """Remove the skills that `put_in` wrote, and the folders it made when nothing else is there."""
    done: list[InstalledSkill] = []
    for name in NAMES:
        path = folder / name / FILE
        noted = record.of(path)
        if not noted:
            continue
        is_ours = _digest_of(path) in noted
        is_gone = not os.path.lexists(path)
        if not is_gone:
            done.append(InstalledSkill(path=str(path), outcome="removed" if is_ours else "kept"))
        if dry_run:
            continue
        if is_ours:
            path.unlink()
        record.note(path, [])
        _remove_if_made(path.parent, record)
    if not dry_run:
        _remove_if_made(folder, record)
    return done


def originals() -> Path:
    """Return the folder of the skills: in the package, or beside it in a working copy."""
    package = Path(runtime.__file__).parent
    inside = package / "skills"
    return inside if inside.is_dir() else package.parent / "skills"


def _outcome(path: Path, text: str, record: Record) -> SkillOutcome:
    found = _digest_of(path)
    if found == _digest(text.encode()):
        return "same"
    if found is None:
        return "kept" if os.path.lexists(path) else "written"
    return "written" if found in record.of(path) else "kept"


def _digest_of(path: Path) -> str | None:
    try:
        return _digest(path.read_bytes())
    except OSError:
        return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _make_folders(folder: Path) -> Iterator[Path]:
    """Make a skill's folder and the one above it; yield those that were not there."""
    for path in (folder.parent, folder):
        if not path.is_dir():
            path.mkdir(parents=True)
            yield path


def _remove_if_made(folder: Path, record: Record) -> None:
    if MADE not in record.of(folder):
        return
    try:
        folder.rmdir()
    except OSError:
        return  # something else is in it by now
    record.note(folder, [])

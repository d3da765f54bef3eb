"""Our skills beside the hooks: put in when asked for, and taken out exactly."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from runtime.install.command import Installer
from runtime.install.skills import FILE, NAMES, originals
from schemas.reports import Installed

RECALL = NAMES.index("recall")
NOW = datetime(2026, 11, 24, tzinfo=UTC)


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    environ = {"HOME": str(tmp_path), "OBOEGAKI_HOME": str(tmp_path / "home")}
    return Installer("user", environ, str(tmp_path))


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    return tmp_path / ".claude" / "skills"


def install(installer: Installer, *, dry_run: bool = False) -> Installed:
    return installer.install(NOW, dry_run=dry_run, force=False, with_skills=True)


def outcomes(done: Installed) -> list[str]:
    return [skill.outcome for skill in done.skills]


def each(outcome: str, **others: str) -> list[str]:
    """Return one outcome for every skill, but for those that are named."""
    return [others.get(name, outcome) for name in NAMES]


def test_each_skill_is_there_as_it_was_written(installer: Installer, skills: Path) -> None:
    done = install(installer)

    assert outcomes(done) == each("written")
    for name in NAMES:
        assert (skills / name / FILE).read_bytes() == (originals() / name / FILE).read_bytes()


def test_every_skill_of_the_project_is_known() -> None:
    assert sorted(path.name for path in originals().iterdir()) == list(NAMES)


def test_without_asking_there_are_none(installer: Installer, skills: Path) -> None:
    installer.install(NOW, dry_run=False, force=False)

    assert not skills.exists()


@pytest.mark.parametrize("was_there", [False, True])
def test_uninstall_leaves_everything_as_it_was(
    installer: Installer, skills: Path, was_there: bool
) -> None:
    if was_there:
        (skills / "mine").mkdir(parents=True)
        (skills / "mine" / FILE).write_text("mine", encoding="utf-8")
    before = sorted(skills.parent.rglob("*")) if was_there else []
    install(installer)
    install(installer)

    done = installer.uninstall(NOW, dry_run=False)

    assert outcomes(done) == each("removed")
    left = [path for path in skills.parent.rglob("*") if "settings.json" not in path.name]
    assert sorted(left) == before


def test_a_folder_that_was_empty_before_us_stays(installer: Installer, skills: Path) -> None:
    skills.mkdir(parents=True)
    install(installer)
    installer.uninstall(NOW, dry_run=False)

    assert list(skills.iterdir()) == []


def test_a_second_time_nothing_is_written(installer: Installer) -> None:
    install(installer)

    assert outcomes(install(installer)) == each("same")


def test_a_skill_of_an_earlier_version_is_replaced(
    installer: Installer, skills: Path, tmp_path: Path
) -> None:
    """What we wrote and nobody edited is ours, whatever version wrote it."""
    install(installer)
    path = skills / "recall" / FILE
    path.write_text("older words", encoding="utf-8")
    installer._record.note(path, ["4b6fcf39a4a1f7d5c0a3c4f1f1b9b7de"])
    kept = outcomes(install(installer))[RECALL]
    installer._record.note(path, [hashlib.sha256(b"older words").hexdigest()])

    assert kept == "kept"
    assert outcomes(install(installer))[RECALL] == "written"
    assert path.read_bytes() == (originals() / "recall" / FILE).read_bytes()


RECALL = NAMES.index("recall")


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_somebody_else_s_skill_of_that_name_stays(
    installer: Installer, skills: Path, kind: str
) -> None:
    path = skills / "recall" / FILE
    path.parent.mkdir(parents=True)
    if kind == "file":
        path.write_text("theirs", encoding="utf-8")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(skills / "nowhere")

    done = install(installer)
    installer.uninstall(NOW, dry_run=False)

    assert outcomes(done) == each("written", recall="kept")
    assert path.is_symlink() or path.exists()
    assert not (skills / "remember").exists()


def test_an_edited_skill_is_not_removed(installer: Installer, skills: Path) -> None:
    install(installer)
    path = skills / "recall" / FILE
    path.write_text("edited", encoding="utf-8")

    done = installer.uninstall(NOW, dry_run=False)

    assert outcomes(done) == each("removed", recall="kept")
    assert path.read_text("utf-8") == "edited"
    assert outcomes(installer.uninstall(NOW, dry_run=False)) == []


def test_a_dry_run_shows_and_writes_nothing(installer: Installer, skills: Path) -> None:
    assert outcomes(install(installer, dry_run=True)) == each("written")
    assert not skills.exists()
    install(installer)
    assert outcomes(installer.uninstall(NOW, dry_run=True)) == each("removed")
    assert (skills / "recall" / FILE).exists()

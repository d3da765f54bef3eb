import dataclasses

from runtime.doctor import notes
from runtime.setting_sections import Notes
from runtime.settings import Settings
from tests.doctor.findings import level, one


def with_notes(place, **values):
    return dataclasses.replace(place, settings=Settings(notes=Notes.model_validate(values)))


def test_the_folder_in_the_home_is_fine(place):
    assert level(notes.check(place), "notes.folders") == "ok"


def test_a_folder_that_is_missing_is_named(place, tmp_path):
    """A typing error in the settings looks like a memory that knows nothing."""
    (tmp_path / "there").mkdir()
    rows = notes.check(with_notes(place, dirs=(f"{tmp_path}/there", f"{tmp_path}/thre")))

    finding = one(rows, "notes.folders").finding

    assert finding.level == "warning"
    assert f"{tmp_path}/thre" in finding.saw
    assert f"{tmp_path}/there" not in finding.saw


def test_folders_that_are_there_are_fine(place, tmp_path):
    rows = notes.check(with_notes(place, dirs=(str(tmp_path),)))

    assert level(rows, "notes.folders") == "ok"


def test_a_context_that_is_not_there_is_noted(place, tmp_path):
    rows = notes.check(with_notes(place, context=f"{tmp_path}/CONTEXT.md"))
    (tmp_path / "CONTEXT.md").write_text("## x\n", encoding="utf-8")
    after = notes.check(with_notes(place, context=f"{tmp_path}/CONTEXT.md"))

    assert level(rows, "notes.context") == "note"
    assert [row.finding.id for row in after] == ["notes.folders"]

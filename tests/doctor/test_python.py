import compileall
import dataclasses
from pathlib import Path

import pytest

from runtime.doctor import bytecode, python
from runtime.doctor.bytecode import HOT_MODULES, ROOT
from tests.doctor.findings import level, one


def test_this_installation_is_fine(place):
    rows = python.check(place)

    assert level(rows, "python.interpreter") == "ok"
    assert level(rows, "python.versions") == "ok"
    assert level(rows, "python.owners") == "ok"
    assert "pydantic" in one(rows, "python.versions").finding.saw


@pytest.mark.parametrize(
    "program", ["/home/a/.pyenv/shims/python3", "/home/a/.local/share/mise/shims/python"]
)
def test_an_interpreter_behind_a_shim_is_a_warning(place, program):
    rows = python.check(dataclasses.replace(place, executable=program))

    assert level(rows, "python.interpreter") == "warning"


def test_another_package_with_our_top_level_name_is_a_problem(place, tmp_path, monkeypatch):
    info = tmp_path / "site" / "rival-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "RECORD").write_text("schemas/__init__.py,,\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "site")

    row = one(python.check(place), "python.owners")

    assert row.finding.level == "problem"
    assert "schemas/ of rival" in row.finding.saw


def test_a_dependency_that_is_not_installed_is_a_problem(place, monkeypatch):
    monkeypatch.setattr(python, "DEPENDENCIES", ("anyio", "no-such-package-here"))

    row = one(python.check(place), "python.versions")

    assert (row.finding.level, "no-such-package-here" in row.finding.saw) == ("problem", True)


def test_pth_files_that_run_code_are_named(place, tmp_path, monkeypatch):
    (tmp_path / "path.pth").write_text("/somewhere\n", encoding="utf-8")
    (tmp_path / "code.pth").write_text("import sys; sys\n", encoding="utf-8")
    monkeypatch.setattr(python, "site_folders", lambda: [str(tmp_path)])

    row = one(python.check(place), "python.pth")

    assert row.finding.level == "note"
    assert row.finding.saw.startswith("1 of 2 `.pth` files")
    assert "code.pth" in row.finding.saw


@pytest.mark.process
def test_the_cost_of_site_is_measured_only_when_asked_for(place):
    quick = one(python.check(place), "python.pth").finding.saw
    slow = one(python.check(dataclasses.replace(place, is_slow=True)), "python.pth").finding.saw

    assert "ms per start" not in quick
    assert "ms per start" in slow


@pytest.fixture
def sources(tmp_path):
    root = tmp_path / "code"
    for name in HOT_MODULES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n", encoding="utf-8")
    return root


def test_the_hot_modules_are_ours():
    assert [name for name in HOT_MODULES if not (ROOT / name).is_file()] == []


def test_missing_bytecode_is_made(place, sources):
    row = one(bytecode.check(place, sources), "python.bytecode")
    assert row.finding.level == "warning"

    row.mend()

    assert level(bytecode.check(place, sources), "python.bytecode") == "ok"


def test_bytecode_of_an_older_source_counts_as_missing(place, sources):
    compileall.compile_dir(sources, quiet=2)
    Path(sources / "runtime/client.py").write_text("x = 22\n", encoding="utf-8")

    row = one(bytecode.check(place, sources), "python.bytecode")

    assert row.finding.saw == "not compiled: runtime/client.py"

import os
from pathlib import Path

import pytest

from runtime.doctor import examine
from runtime.doctor.check import age


async def test_a_check_that_breaks_is_a_finding_and_the_others_go_on(place, monkeypatch):
    def broken(_place):
        raise RuntimeError("no idea")

    monkeypatch.setitem(examine.BEFORE_STORE, "disk", broken)

    report = await examine.examine(place, fix=False)

    levels = {finding.id: finding.level for finding in report.findings}
    assert levels["disk.check"] == "problem"
    assert levels["redaction.self_test"] == "ok"


async def test_without_fix_nothing_in_the_home_changes(place):
    os.chmod(place.home.spool, 0o755)
    before = sorted(path.relative_to(place.home.root) for path in Path(place.home.root).rglob("*"))

    report = await examine.examine(place, fix=False)

    assert report.fixed == ()
    assert os.stat(place.home.spool).st_mode & 0o777 == 0o755
    assert before == sorted(
        path.relative_to(place.home.root) for path in Path(place.home.root).rglob("*")
    )


async def test_with_fix_the_findings_are_those_after_it(place):
    os.chmod(place.home.spool, 0o755)

    report = await examine.examine(place, fix=True)

    assert any("rights" in done for done in report.fixed)
    levels = {finding.id: finding.level for finding in report.findings}
    assert levels["home.modes"] == "ok"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0 seconds"),
        (90, "90 seconds"),
        (150, "2 minutes"),
        (7200, "2 hours"),
        (10**6, "12 days"),
    ],
)
def test_a_duration_is_shown_in_a_fitting_unit(seconds, shown):
    assert age(seconds) == shown


@pytest.mark.process
def test_the_command_ends_with_1_only_for_a_problem(product, tmp_path):
    environ = {"CLAUDE_CONFIG_DIR": str(tmp_path), "PATH": ""}
    product.environ.update(environ)

    fine = product.command("doctor", cwd=tmp_path)
    (product.home).mkdir()
    (product.home / "memory.db").write_bytes(b"no database, " * 1000)
    broken = product.command("doctor", "--json", cwd=tmp_path)

    assert (fine.code, broken.code) == (0, 1)
    assert fine.out.rstrip().endswith(b"problems: 0, warnings: 1")
    assert set(broken.json) == {"findings", "fixed"}
    assert set(broken.json["findings"][0]) == {"id", "level", "saw", "advice"}


@pytest.mark.process
def test_no_value_of_a_setting_or_variable_is_printed(product, tmp_path):
    needle = "hunter2hunter2"
    (tmp_path / "settings.json").write_text(
        f'{{"env": {{"MY_TOKEN": "{needle}"}}}}', encoding="utf-8"
    )
    product.environ.update(
        CLAUDE_CONFIG_DIR=str(tmp_path), OBOEGAKI_HOOK_BUDGET_S=needle, MY_PASSWORD=needle
    )

    ran = product.command("doctor", "--fix", cwd=tmp_path)

    assert needle.encode() not in ran.out
    assert needle not in ran.err

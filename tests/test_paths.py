import os
import stat
from pathlib import Path

import pytest

from runtime.paths import Home, find_home


def test_the_home_is_the_variable_s_else_one_folder_in_the_person_s(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    assert find_home({"OBOEGAKI_HOME": "/data/memory"}).root == "/data/memory"
    assert find_home({}).root == str(tmp_path / ".oboegaki")
    assert find_home({"OBOEGAKI_HOME": ""}).root == str(tmp_path / ".oboegaki")
    assert find_home({"OBOEGAKI_HOME": "~/m"}).root == str(tmp_path / "m")


def test_a_relative_home_is_made_absolute_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert find_home({"OBOEGAKI_HOME": "here"}).root == str(tmp_path / "here")


def test_without_any_home_it_says_so(monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)

    with pytest.raises(FileNotFoundError):
        find_home({})


def test_a_home_touches_nothing_until_it_is_prepared(tmp_path: Path):
    home = Home(str(tmp_path / "home"))
    assert not (tmp_path / "home").exists()

    home.prepare()
    home.prepare()

    assert sorted(os.listdir(home.root)) == ["dead", "logs", "notes", "run", "spool"]
    for folder in (home.root, home.spool, home.dead, home.logs, home.run):
        assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700

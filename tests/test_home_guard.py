import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guards import HOME_VARIABLES, NO_HOME, seal_home

WRITE_HOME = """
import os, pathlib
print(pathlib.Path.home())
try:
    (pathlib.Path.home() / ".oboegaki").mkdir(parents=True)
except OSError as error:
    print(type(error).__name__)
"""


def test_the_home_is_not_there_and_cannot_be_made():
    home = Path.home()

    assert str(home) == NO_HOME
    assert not home.exists()
    with pytest.raises(OSError, match="no-home-in-tests"):
        (home / ".oboegaki").mkdir(parents=True)


def test_a_child_process_has_the_same_home():
    done = subprocess.run(
        [sys.executable, "-c", WRITE_HOME], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.split() == [NO_HOME, "NotADirectoryError"]


@pytest.mark.parametrize("name", HOME_VARIABLES)
def test_every_variable_that_names_a_home_points_nowhere(name):
    assert os.environ[name] == NO_HOME


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("MEMORY_DIR", False),
        ("OBOEGAKI_LOG_LEVEL", False),
        ("CLAUDE_PROJECT_DIR", False),
        ("CLAUDECODE", False),
        ("PYTHONPATH", False),
        ("PATH", True),
    ],
)
def test_what_could_steer_the_project_is_dropped(monkeypatch, name, stays):
    monkeypatch.setenv(name, "/somewhere")

    seal_home(monkeypatch, os.environ)

    assert (name in os.environ) is stays

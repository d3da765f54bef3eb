import os

import pytest

from runtime.doctor.check import Place
from runtime.paths import Home
from runtime.settings import Settings


@pytest.fixture
def place(tmp_path):
    """A prepared home, an empty PATH, and a client that has no settings yet."""
    home = Home(str(tmp_path / "home"))
    home.prepare()
    for folder in ("bin", "claude", "project"):
        (tmp_path / folder).mkdir()
    return Place(
        home=home,
        settings=Settings(),
        environ={
            "HOME": str(tmp_path),
            "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
            "PATH": str(tmp_path / "bin"),
        },
        cwd=str(tmp_path / "project"),
        mounts=os.devnull,
    )


@pytest.fixture
def claude_settings(tmp_path):
    """The user's settings file; not made yet."""
    return tmp_path / "claude" / "settings.json"


@pytest.fixture
def program(tmp_path):
    """Put a shell script on the place's PATH."""

    def put(name, script):
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return put

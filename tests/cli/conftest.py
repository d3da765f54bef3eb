"""Commands in this process, with a home of their own and logging put back afterwards."""

import json
import logging
import os
import warnings
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import structlog
from click.testing import CliRunner, Result

from runtime.cli.main import group
from runtime.paths import Home
from tests.spooled import put

Run = Callable[..., Result]
WRITE: Final = {
    "hook_event_name": "PostToolUse",
    "tool_name": "Write",
    "tool_input": {"file_path": "/nowhere/shop/retry.md"},
    "tool_response": {"content": "retry policy 期限 " * 30},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(str(tmp_path / "home"))
    home.prepare()
    monkeypatch.setenv("OBOEGAKI_HOME", home.root)
    return home


@pytest.fixture
def run(home: Home) -> Generator[Run]:
    """Run a command; an exception that it raises is in `result.exception`."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def invoke(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(group, arguments, prog_name="runtime", **options)

    with warnings.catch_warnings():
        yield invoke
        logging.captureWarnings(capture=False)
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.fixture
def run_json(run: Run) -> Callable[..., Any]:
    """Run a command with --json and return what it printed."""

    def invoke(*arguments: str) -> Any:
        result = run(*arguments, "--json")
        assert result.exception is None, result.output
        return json.loads(result.stdout)

    return invoke


@pytest.fixture
def capture(home: Home) -> Callable[..., str]:
    """Put events into the spool; the next command handles them. Returns the event's id."""

    def put_event(payload: bytes | Mapping[str, Any], number: int = 1, **options: Any) -> str:
        return put(home, payload, number=number, **options).id

    return put_event


def bury(home: Home, name: str, data: bytes) -> None:
    with open(os.path.join(home.dead, name), "wb") as file:
        file.write(data)

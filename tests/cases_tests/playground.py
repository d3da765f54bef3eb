"""
One reported fault's inputs in a folder of its own, and the rules that hold for every hook.

Whatever is on stdin: the hook exits 0, prints nothing or one JSON object without a
decision, leaves no process behind and changes no file outside its home.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tests.payloads import FIXTURES
from tests.processes import Product, Ran

CASES: Final = FIXTURES.parent / "cases"
PATHS: Final = ("transcript_path", "agent_transcript_path")
DECIDING: Final = ("decision", "continue", "stopReason", "reason")
SESSION: Final = "00000000-0000-4000-8000-000000000001"


class Playground:
    """A copy of one case's files, a product with a fresh home, and notes if wanted."""

    def __init__(self, root: Path, case: str = "", **environ: str) -> None:
        self.root = root
        self.folder = root / "case"
        if case:
            shutil.copytree(CASES / case, self.folder)
        else:
            self.folder.mkdir()
        self.notes = root / "notes"
        self.notes.mkdir()
        user = root / "user"
        user.mkdir()
        self.product = Product(
            root / "home",
            **{"HOME": str(user), "MEMORY_DIRS": str(self.notes), **environ},
        )

    def payload(self, name: str, **changes: Any) -> dict[str, Any]:
        """Return one event of the case, its paths as the client sends them: absolute."""
        return self._absolute(json.loads((self.folder / name).read_bytes()), changes)

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return the events of an NDJSON file of the case."""
        lines = (self.folder / name).read_bytes().split(b"\n")
        return [self._absolute(json.loads(line), {}) for line in lines if line.strip()]

    def _absolute(self, payload: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
        for name in PATHS:
            path = payload.get(name)
            if isinstance(path, str) and not path.startswith(("/", "~")):
                payload[name] = str(self.folder / path)
        return {**payload, **changes}

    def run_make(self) -> None:
        """Run the case's own script, which makes files that are not stored."""
        subprocess.run((sys.executable, "-I", "make.py"), cwd=self.folder, check=True)

    def hook(
        self,
        payload: bytes | Mapping[str, Any],
        *,
        may_change: Sequence[Path] = (),
        environ: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
    ) -> Ran:
        """Run one hook and hold it to the common rules; `may_change` lists files meant to."""
        before = self._tree(may_change)
        ran = self.product.hook(payload, environ=environ, arguments=arguments, cwd=self.folder)
        check(ran, payload)
        assert self._tree(may_change) == before
        return ran

    def stop(self, **changes: Any) -> Ran:
        """Run a Stop over `transcript.jsonl`."""
        transcript = str(self.folder / "transcript.jsonl")
        return self.hook(stop(transcript, **changes))

    def write_transcript(self, *lines: Mapping[str, Any] | bytes) -> Path:
        """Write `transcript.jsonl`, one line each."""
        return write_lines(self.folder / "transcript.jsonl", *lines)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask the database."""
        with closing(sqlite3.connect(self.product.home / "memory.db")) as connection:
            return connection.execute(statement, values).fetchall()

    def memories(self, word: str = "") -> list[str]:
        """Return the texts of all long-term memories that hold a word, oldest first."""
        rows = self.rows("SELECT content FROM memories ORDER BY id")
        return [content for (content,) in rows if word in content]

    def logged(self, event: str) -> list[dict[str, Any]]:
        """Return the log lines of one kind."""
        return [line for line in self.product.logged() if line["event"] == event]

    def _tree(self, without: Sequence[Path]) -> dict[str, bytes | str]:
        """Return every file outside the home with its bytes."""
        home = self.product.home
        found: dict[str, bytes | str] = {}
        for path in sorted(self.root.rglob("*")):
            if path.is_relative_to(home) or path in without:
                continue
            if path.is_symlink():
                found[str(path)] = os.readlink(path)
            elif path.is_file() and os.access(path, os.R_OK):
                found[str(path)] = path.read_bytes()
            else:
                found[str(path)] = ""
        return found


def check(ran: Ran, payload: bytes | Mapping[str, Any] = b"") -> None:
    """Hold one hook process to the common rules."""
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    answer = ran.answer
    if answer is None:
        return
    assert ran.out.rstrip(b"\n").count(b"\n") == 0
    assert not set(answer) & set(DECIDING)
    if isinstance(payload, Mapping) and payload["hook_event_name"] == "SessionStart":
        answer = {**answer}
        if answer.pop("systemMessage", "") and not answer:
            return
    assert set(answer) == {"hookSpecificOutput"}
    specific = answer["hookSpecificOutput"]
    assert set(specific) == {"hookEventName", "additionalContext"}
    if isinstance(payload, Mapping):
        assert specific["hookEventName"] == payload["hook_event_name"]


def stop(transcript: str, **changes: Any) -> dict[str, Any]:
    """Return a Stop event."""
    return {
        "session_id": SESSION,
        "transcript_path": transcript,
        "cwd": "/home/user/proj",
        "hook_event_name": "Stop",
        "stop_hook_active": False,
        **changes,
    }


def session_start(**changes: Any) -> dict[str, Any]:
    """Return a SessionStart event."""
    return {
        "session_id": SESSION,
        "transcript_path": "/nonexistent/t.jsonl",
        "cwd": "/home/user/proj",
        "hook_event_name": "SessionStart",
        "source": "startup",
        **changes,
    }


def skill(name: Any, **tool_input: Any) -> dict[str, Any]:
    """Return a PreToolUse event of the Skill tool."""
    return {
        "session_id": SESSION,
        "transcript_path": "/nonexistent/t.jsonl",
        "cwd": "/home/user/proj",
        "hook_event_name": "PreToolUse",
        "tool_name": "Skill",
        "tool_input": {"skill": name, **tool_input},
    }


def tool_use(tool: str, response: Any, **tool_input: Any) -> dict[str, Any]:
    """Return a PostToolUse event."""
    return {
        "session_id": SESSION,
        "transcript_path": "/nonexistent/t.jsonl",
        "cwd": "/home/user/proj",
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": tool_input,
        "tool_response": response,
    }


def user(uuid: str, content: Any, **changes: Any) -> dict[str, Any]:
    """Return a person's transcript line."""
    return {
        "type": "user",
        "uuid": uuid,
        "sessionId": SESSION,
        "timestamp": "2026-06-11T03:00:01.000Z",
        "isSidechain": False,
        "message": {"role": "user", "content": content},
        **changes,
    }


def assistant(uuid: str, text: str, **changes: Any) -> dict[str, Any]:
    """Return an assistant's transcript line."""
    return {
        "type": "assistant",
        "uuid": uuid,
        "sessionId": SESSION,
        "timestamp": "2026-06-11T03:00:02.000Z",
        "isSidechain": False,
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        **changes,
    }


def write_lines(path: Path, *lines: Mapping[str, Any] | bytes) -> Path:
    """Write a transcript, one line each."""
    path.write_bytes(b"".join(_line(line) + b"\n" for line in lines))
    return path


def _line(line: Mapping[str, Any] | bytes) -> bytes:
    return line if isinstance(line, bytes) else json.dumps(line, ensure_ascii=False).encode()


Make = Callable[..., Playground]
"""`make("P01", MEMORY_KEEP_N="2")`."""

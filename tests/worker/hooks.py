"""The hook process as it is installed, over one home; and what has become of its events."""

import json
import os
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from runtime import sockets
from runtime.launch import hook_command
from runtime.locks import try_lock, unlock
from runtime.paths import Home
from tests.leftovers import until, workers_below

PATIENCE_S: Final = 30
FILLER: Final = "text that is worth keeping. "
Process = subprocess.Popen[bytes]


class Hooks:
    """Starts hook processes; reads spool, database and logs of their home."""

    def __init__(self, root: Path, **environ: str) -> None:
        self.root = root
        self.home = Home(str(root))
        self.environ = {"OBOEGAKI_HOME": str(root), **environ}
        self.commands: dict[str, Sequence[str]] = {}

    def start(
        self,
        payload: Mapping[str, Any],
        *,
        environ: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Process:
        """Start a hook process with its event on stdin."""
        event = payload["hook_event_name"]
        command = self.commands.setdefault(event, hook_command(event))
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=options.pop("stderr", subprocess.PIPE),
            env={**os.environ, **self.environ, **(environ or {})},
            **options,
        )
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(json.dumps(payload).encode())
        process.stdin = None
        return process

    def run(
        self,
        payload: Mapping[str, Any],
        *,
        environ: Mapping[str, str] | None = None,
        **options: Any,
    ) -> bytes:
        """Run a hook to its end, return its stdout; it must exit 0 and say nothing else."""
        process = self.start(payload, environ=environ, **options)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, err) == (0, b"")
        return out

    def configure(self, text: str) -> None:
        """Write the home's config.toml."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        Path(self.home.config).write_text(text, encoding="utf-8")

    # What is there

    @property
    def workers(self) -> list[int]:
        """Process ids of this home's workers."""
        return workers_below(self.root)

    @property
    def serving(self) -> int | None:
        """The process that says it serves."""
        try:
            pid: int = json.loads((Path(self.home.run) / "worker.json").read_bytes())["pid"]
        except (OSError, ValueError):
            return None
        return pid

    def spooled(self) -> list[str]:
        """Names of the events in the spool."""
        folder = Path(self.home.spool)
        if not folder.is_dir():
            return []
        return sorted(path.name for path in folder.iterdir() if path.name[0].isdigit())

    def logged(self, event: str = "") -> list[dict[str, Any]]:
        """Log lines, all or those of one event name."""
        path = Path(self.home.logs) / "runtime.jsonl"
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        # On a full disk a line may be cut off, and the next one begin in it.
        found = [json.loads(line) for line in lines if line.startswith(b"{") and _is_json(line)]
        return [line for line in found if event in ("", line["event"])]

    def events(self) -> list[str]:
        """The marker of every recorded event."""
        return [row[0] for row in self._rows("SELECT session_id FROM events ORDER BY seq")]

    def memories(self) -> list[str]:
        """The marker of every memory."""
        return [row[0].split()[0] for row in self._rows("SELECT content FROM memories")]

    def _rows(self, statement: str) -> list[Any]:
        if not Path(self.home.database).exists():
            return []
        uri = Path(self.home.database).as_uri() + "?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=PATIENCE_S)) as connection:
            try:
                return connection.execute(statement).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):
                    return []
                raise

    # Waiting

    def drained(self) -> None:
        """Wait until nothing lies in the spool any more."""
        until(lambda: not self.spooled())

    def served(self) -> int:
        """Wait until a worker serves that is alive and listens; return its process."""
        until(lambda: self.serving in self.workers and sockets.kick(self.home.run, b""))
        assert self.serving is not None
        return self.serving

    def gone(self) -> None:
        """
        Wait until no worker is left, nor anything that a killed one held.

        A process that is being torn down still has its sockets for a moment: a kick
        would arrive there, and wait for the next event.
        """
        until(lambda: not self.workers)
        until(self._is_lock_free)

    def _is_lock_free(self) -> bool:
        try:
            lock = try_lock(self.home.drain_lock)
        except FileNotFoundError:
            return True
        if lock is not None:
            unlock(lock)
        return lock is not None


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def written(marker: str, chars: int = 240) -> dict[str, Any]:
    """
    Return the payload of a Write whose result is kept.

    The marker, its session's id and its text's first word, tells it from all others.
    """
    content = f"{marker} {FILLER * (chars // len(FILLER))}"
    return {
        "session_id": marker,
        "transcript_path": "/nowhere/t.jsonl",
        "cwd": "/",
        "hook_event_name": "PostToolUse",
        "tool_name": "Write",
        "tool_use_id": "t1",
        "tool_input": {"file_path": "/nowhere/a.txt", "content": content},
        "tool_response": {"type": "create", "filePath": "/nowhere/a.txt", "content": content},
    }


def skill(marker: str, name: str = "none") -> dict[str, Any]:
    """Return the payload of a skill that is about to run: its answer is waited for."""
    return {
        "session_id": marker,
        "transcript_path": "/nowhere/t.jsonl",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Skill",
        "tool_use_id": "t1",
        "tool_input": {"skill": name, "args": ""},
    }


def session_start(marker: str, source: str = "startup") -> dict[str, Any]:
    """Return the payload of a session's start: its answer is waited for."""
    return {
        "session_id": marker,
        "transcript_path": "/nowhere/t.jsonl",
        "cwd": "/",
        "hook_event_name": "SessionStart",
        "source": source,
    }


def assert_once(hooks: Hooks, accepted: Iterable[str]) -> None:
    """Every accepted event is recorded once and remembered once; no other one twice."""
    for counts in (Counter(hooks.events()), Counter(hooks.memories())):
        assert {marker: counts[marker] for marker in accepted if counts[marker] != 1} == {}
        assert {marker: count for marker, count in counts.items() if count > 1} == {}

"""
The bundled session: recorded with the real client, played through real hooks.

`runtime demo` and the tests play it. Each event of the recording says how long
the transcript was at that moment, so that a Stop sees what it saw then.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

SESSION: Final = resources.files("runtime") / "demo_session"
RECORDED_PROJECT: Final = "/home/user/kakeibo"
RUNTIME: Final = (sys.executable, "-I", "-c", "from runtime.__main__ import main; main()")
"""The command behind every hook entry. -I: nothing in the current folder can stand in for it."""
PATIENCE_S: Final = 60
LOOK_S: Final = 0.01


class Played(NamedTuple):
    """One event after its hook process."""

    name: str
    about: str
    """Its tool, skill or source."""
    code: int
    context: str
    """What the model was told, "" for nothing."""


class Stage:
    """A temporary person: home, project folder, transcripts."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "kakeibo"
        self._transcripts = folder / "transcripts"
        for path in (self.home / "notes", self.project, self._transcripts):
            path.mkdir(parents=True, exist_ok=True)
        for note in (SESSION / "notes").iterdir():
            (self.home / "notes" / note.name).write_bytes(note.read_bytes())

    def play(self) -> Iterator[Played]:
        """Run every recorded event through `runtime hook`, in order."""
        for line in (SESSION / "events.ndjson").read_bytes().split(b"\n"):
            if line:
                yield self._event(json.loads(line))

    def hook(self, payload: dict[str, Any]) -> Played:
        """Run one event."""
        done = self._run(("hook", payload["hook_event_name"]), json.dumps(payload).encode())
        context = ""
        if done.stdout:
            context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
        return Played(payload["hook_event_name"], _about(payload), done.returncode, context)

    def command(self, *arguments: str) -> str:
        """Run a command and return what it printed."""
        return self._run(arguments, b"").stdout.decode()

    def leave(self) -> None:
        """Stop the worker that the hooks have started."""
        self.command("worker", "stop")

    def session_start(self) -> dict[str, Any]:
        """Return the event with which the next session would begin."""
        return {
            "session_id": "the-next-session",
            "transcript_path": str(self._transcripts / "none.jsonl"),
            "cwd": str(self.project),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }

    def _event(self, recorded: dict[str, Any]) -> Played:
        transcript = self._transcripts / recorded["transcript"]
        whole = (SESSION / recorded["transcript"]).read_bytes()
        transcript.write_bytes(whole[: recorded["transcript_bytes"]])
        text = json.dumps(recorded["payload"]).replace(RECORDED_PROJECT, str(self.project))
        payload = {**json.loads(text), "transcript_path": str(transcript)}
        played = self.hook(payload)
        self._wait()
        return played

    def _wait(self) -> None:
        """Let the worker finish: between two recorded events the person took their time."""
        until = time.monotonic() + PATIENCE_S
        while any((self.home / "spool").iterdir()) and time.monotonic() < until:
            time.sleep(LOOK_S)

    def _run(self, arguments: Sequence[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        ours = ("OBOEGAKI_", "MEMORY_", "CLAUDE")
        environ = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        environ |= {"OBOEGAKI_HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project)}
        return subprocess.run(  # noqa: S603 - our own interpreter and command
            (*RUNTIME, *arguments),
            input=stdin,
            stdout=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
            env=environ,
        )


def _about(payload: dict[str, Any]) -> str:
    tool = payload.get("tool_name", "")
    tool_input = payload.get("tool_input") or {}
    target = next(
        (
            str(tool_input[key])
            for key in ("skill", "file_path", "url", "query")
            if key in tool_input
        ),
        payload.get("command_name") or payload.get("source") or payload.get("reason") or "",
    )
    return f"{tool} {target.rsplit('/', 1)[-1] if tool else target}".strip()

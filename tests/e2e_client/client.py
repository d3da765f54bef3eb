"""The real client as a process: a home of its own, a dummy key, the loopback and nothing else."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

KEY: Final = "dummy-not-a-key"
PATIENCE_S: Final = 45
"""A client that hangs is killed, with its process group, and the test fails."""
TOOLS: Final = ("Read", "Skill", "WebSearch", "Bash")


class Ran(NamedTuple):
    """A client that has ended."""

    code: int
    lines: list[dict[str, Any]]
    """What it printed, one object a line."""
    err: str

    @property
    def session(self) -> str:
        """The id of the last session it ran."""
        ids = [line["session_id"] for line in self.lines if line.get("session_id")]
        return str(ids[-1])

    @property
    def results(self) -> list[str]:
        """The final text of each turn."""
        return [str(line.get("result")) for line in self.lines if line.get("type") == "result"]


class Client:
    """One version of the client with one configuration folder and one project."""

    def __init__(self, binary: Path, folder: Path, model_url: str) -> None:
        self.binary = binary
        self.project = folder / "project"
        self.config = folder / "user" / ".claude"
        self.plugin: Path | None = None
        for place in (self.project, self.config, folder / "tmp"):
            place.mkdir(parents=True)
        self.environ = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder / "user"),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "TMPDIR": str(folder / "tmp"),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "ENABLE_TOOL_SEARCH": "false",
        }

    @property
    def plugin_arguments(self) -> list[str]:
        """The arguments that load the plugin, if there is one."""
        return ["--plugin-dir", str(self.plugin)] if self.plugin else []

    def write(self, name: str, content: str) -> Path:
        """Write a file of the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    def run(self, prompt: str, *arguments: str) -> Ran:
        """Run one prompt headless (`-p`), and return when the client has left."""
        with self.started(*arguments, "--", prompt) as process:
            out, err = _communicate(process)
        return Ran(process.returncode, _lines(out), err)

    def converse(self, prompts: Sequence[str], *arguments: str) -> Ran:
        """Send prompts one after the other into one process, each after the last one's result."""
        with self.conversation(*arguments) as talk:
            for prompt in prompts:
                talk.say(prompt)
        return talk.ran

    @contextmanager
    def conversation(self, *arguments: str) -> Iterator["Conversation"]:
        """Open a conversation; its process has ended at the end of the block."""
        with self.started("--input-format", "stream-json", *arguments, stdin=True) as process:
            talk = Conversation(process)
            yield talk
            talk.end()

    @contextmanager
    def started(self, *arguments: str, stdin: bool = False) -> Iterator["subprocess.Popen[bytes]"]:
        """Start the client as the leader of a group, which is killed when the block ends."""
        process = subprocess.Popen(
            [
                str(self.binary),
                *("-p", "--output-format", "stream-json", "--verbose"),
                *("--permission-mode", "acceptEdits", "--allowedTools", ",".join(TOOLS)),
                *self.plugin_arguments,
                *arguments,
            ],
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ,
            cwd=self.project,
            start_new_session=True,
        )
        watch = threading.Timer(PATIENCE_S, kill_group, [process])
        watch.start()
        try:
            yield process
        finally:
            watch.cancel()
            kill_group(process)
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()

    def command(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run one of the client's own commands, such as `plugin validate`."""
        return subprocess.run(
            [str(self.binary), *arguments],
            env=self.environ,
            cwd=self.project,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE_S,
            check=False,
        )


class Conversation:
    """A client that reads prompts from stdin as they are written."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin: IO[bytes] = process.stdin
        self._stdout: IO[bytes] = process.stdout
        self._process = process
        self._read: list[bytes] = []
        self.ran = Ran(-1, [], "")

    def say(self, prompt: str) -> None:
        """Send a prompt and wait for its result."""
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self._stdin.write(json.dumps(message).encode() + b"\n")
        self._stdin.flush()
        for line in self._stdout:
            self._read.append(line)
            if json.loads(line).get("type") == "result":
                return
        msg = f"the client left before it answered {prompt!r}"
        raise AssertionError(msg)

    def end(self) -> None:
        """Close its input and wait until it has left."""
        out, err = _communicate(self._process)
        self.ran = Ran(self._process.returncode, _lines(b"".join(self._read) + out), err)


def _communicate(process: "subprocess.Popen[bytes]") -> tuple[bytes, str]:
    out, err = process.communicate()
    return out, err.decode(errors="replace")


def _lines(out: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.split(b"\n") if line.strip()]


def kill_group(process: "subprocess.Popen[bytes]") -> None:
    """Kill a client and whatever it has started in its own group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)

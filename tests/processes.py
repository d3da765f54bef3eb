"""The product as users run it: real processes with a home of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

HOOK: Final = (sys.executable, "-I", "-c", "from runtime.__main__ import main; main()", "hook")
COMMAND: Final = (sys.executable, "-I", "-c", "from runtime.__main__ import main; main()")
PATIENCE_S: Final[float] = 30
"""A hang fails the test; nothing is measured with it."""


class Ran(NamedTuple):
    """A process that has ended."""

    code: int
    out: bytes
    err: str

    @property
    def answer(self) -> dict[str, Any] | None:
        """The one JSON object on stdout, None for empty stdout; anything else fails the test."""
        if not self.out:
            return None
        value = json.loads(self.out)
        assert isinstance(value, dict)
        assert self.out.startswith(b"{")
        return value

    @property
    def context(self) -> str:
        """The text that the model is told, "" for none."""
        if self.answer is None:
            return ""
        text: str = self.answer["hookSpecificOutput"]["additionalContext"]
        return text

    @property
    def json(self) -> Any:
        """Stdout as JSON of any kind."""
        return json.loads(self.out)


class Product:
    """Hooks and commands that share one home."""

    def __init__(self, home: Path, **environ: str) -> None:
        self.home = home
        self.patience_s = PATIENCE_S
        # One process after another, so that what a hook did can be looked at when it has
        # ended; tests of the worker switch it on.
        # And with time enough on a busy machine: tests of the budget set their own.
        usual = {"OBOEGAKI_WORKER_ENABLED": "0", "OBOEGAKI_HOOK_BUDGET_S": "20"}
        self.environ = {"OBOEGAKI_HOME": str(home), **usual, **environ}

    def hook(
        self,
        payload: bytes | Mapping[str, Any],
        *,
        arguments: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        """Run one hook event, as the client would; None for the exit code's sake is checked."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return self._run((*HOOK, *arguments), data, environ, cwd)

    def command(
        self,
        *arguments: str,
        stdin: bytes = b"",
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        """Run one command."""
        return self._run((*COMMAND, *arguments), stdin, environ, cwd)

    def search(self, query: str, limit: int = 10) -> list[dict[str, Any]]:
        """Return the hits of `runtime search`, each record by itself."""
        ran = self.command("search", query, "-n", str(limit), "--all", "--json")
        assert ran.code == 0, ran.err
        hits: list[dict[str, Any]] = ran.json["hits"]
        return hits

    def finds(self, word: str) -> bool:
        """Tell whether a marker word is found: some hit holds it."""
        return any(word in hit["content"] for hit in self.search(word))

    def logged(self) -> list[dict[str, Any]]:
        """Return every log line."""
        path = self.home / "logs" / "runtime.jsonl"
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]

    def everything(self) -> bytes:
        """Return all bytes of all files of the home: what a leak would stand in."""
        files = sorted(path for path in self.home.rglob("*") if path.is_file())
        return b"\n".join(path.read_bytes() for path in files)

    def _run(
        self,
        command: Sequence[str],
        stdin: bytes,
        environ: Mapping[str, str] | None,
        cwd: Path | None,
    ) -> Ran:
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            timeout=self.patience_s,
            check=False,
            env={**os.environ, **self.environ, **(environ or {})},
            cwd=cwd,
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

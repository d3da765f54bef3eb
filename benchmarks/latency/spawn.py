"""Spawn measured processes through the helper in C, or from here where no compiler is."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

SOURCE: Final = Path(__file__).with_name("spawn.c")
COMPILERS: Final = ("cc", "gcc", "clang")
RSS_UNIT_BYTES: Final = 1 if sys.platform == "darwin" else 1024
MB: Final = 1_000_000


class Job(NamedTuple):
    """One process: what it is and where its standard streams lead; stderr is inherited."""

    command: Sequence[str]
    environ: Mapping[str, str]
    stdin: Path
    stdout: Path


class Took(NamedTuple):
    """What one process took, from before its spawn until after its wait."""

    wall_ms: float
    cpu_ms: float
    rss_mb: float
    code: int


class Spawner:
    """Runs jobs one by one or many at once. Close it: it owns a process and a log file."""

    def __init__(self, folder: Path, directory: Path) -> None:
        """Build the helper in `folder`; the processes run in `directory`."""
        self._directory = directory
        self._errors = (directory / "stderr").open("ab")
        helper = _built(folder)
        self._helper: subprocess.Popen[bytes] | None = None
        if helper is not None:
            self._helper = subprocess.Popen(
                [helper],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=directory,
            )

    @property
    def rss_is_true(self) -> bool:
        """Whether the memory of a process is its own and not its parent's."""
        return self._helper is not None

    def run(self, job: Job) -> Took:
        """Run one process."""
        return self.burst([job])[0]

    def burst(self, jobs: Sequence[Job]) -> list[Took]:
        """Start all processes at once and wait for all of them."""
        if self._helper is None or self._helper.stdin is None or self._helper.stdout is None:
            return _from_here(jobs, self._directory, self._errors)
        request = _packed(jobs)
        self._helper.stdin.write(b"%d\n" % len(request) + request)
        self._helper.stdin.flush()
        return [_took(self._helper.stdout.readline()) for _ in jobs]

    def close(self) -> None:
        """End the helper."""
        if self._helper is not None:
            self._helper.communicate()
        self._errors.close()


def _built(folder: Path) -> str | None:
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    helper = folder / "spawn"
    if not helper.exists() or helper.stat().st_mtime < SOURCE.stat().st_mtime:
        subprocess.run([compiler, "-O2", "-o", str(helper), str(SOURCE)], check=True)
    return str(helper)


def _packed(jobs: Sequence[Job]) -> bytes:
    words = [str(len(jobs)), str(len(jobs))]
    for job in jobs:
        variables = [f"{key}={value}" for key, value in job.environ.items()]
        words += [str(job.stdin), str(job.stdout), str(len(job.command)), *job.command]
        words += [str(len(variables)), *variables]
    return b"".join(word.encode() + b"\0" for word in words)


def _took(line: bytes) -> Took:
    wall_ns, user_us, system_us, rss, status = map(int, line.split())
    return Took(
        wall_ns / 1e6,
        (user_us + system_us) / 1e3,
        rss * RSS_UNIT_BYTES / MB,
        os.waitstatus_to_exitcode(status),
    )


def _from_here(jobs: Sequence[Job], directory: Path, errors: IO[bytes]) -> list[Took]:
    running: dict[int, tuple[int, int]] = {}
    done: dict[int, Took] = {}
    os.chdir(directory)
    for index, job in enumerate(jobs):
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, str(job.stdin), os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(job.stdout), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            (os.POSIX_SPAWN_DUP2, errors.fileno(), 2),
        ]
        began = time.monotonic_ns()
        command = list(job.command)
        pid = os.posix_spawn(command[0], command, dict(job.environ), file_actions=actions)
        running[pid] = (index, began)
    while running:
        pid, status, used = os.wait4(-1, 0)
        index, began = running.pop(pid)
        done[index] = Took(
            (time.monotonic_ns() - began) / 1e6,
            (used.ru_utime + used.ru_stime) * 1e3,
            used.ru_maxrss * RSS_UNIT_BYTES / MB,
            os.waitstatus_to_exitcode(status),
        )
    return [done[index] for index in range(len(jobs))]

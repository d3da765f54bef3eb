"""
The examples in a Markdown page, run in the order they are read.

A `python` block runs as it stands. A `console` block is a terminal session: a
line that starts with `$ ` is a command, the lines up to the next command are what
it prints, stdout and stderr together. What a here-document holds, up to its end
word, and what follows a backslash belong to the command, so that the reader can
paste it. `...` stands for any text within a line, or for any number of lines when
it is alone on one. A command has to exit with 0; one that is meant to fail ends in
`; echo $?`. Commands for the reader's own machine (`git clone`, `uv tool install`)
belong into `sh` blocks, which do not run.

One page is one person: its blocks share a home, a working folder and names.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

PROGRAMS: Final = frozenset(
    {"runtime", "oboegaki", "cat", "echo", "grep", "head", "ls", "mkdir", "printf", "tail", "wc"}
)
"""What an example may start; anything else could change the reader's, or this, machine."""

LIMIT_S: Final = 60


class ExampleError(AssertionError):
    """An example does not do what its page says."""

    def __init__(self, page: Path, line: int, problem: str) -> None:
        self.page = page
        self.line = line
        super().__init__(f"{page}:{line}: {problem}")


@dataclass(frozen=True)
class Command:
    """One command of a console block."""

    line: int
    source: str
    expected: str


def run_page(page: Path, home: Path) -> int:
    """
    Run every example of the page with `home` as its home; give their number.

    Commands start in `home/project`.

    Raises:
        ExampleError: an example failed, at the page's line that it names.
    """
    session = _Session(page, home)
    parsers = [
        CodeBlockParser(language="python", evaluator=session.run_python),
        CodeBlockParser(language="console", evaluator=session.run_console),
    ]
    examples = list(Sybil(parsers).parse(page).examples())
    for example in examples:
        example.evaluate()
    return len(examples)


class _Session:
    def __init__(self, page: Path, home: Path) -> None:
        self._page = page
        self._python = PythonEvaluator()
        self._folder = home / "project"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._env = {
            "HOME": str(home),
            "LANG": "C.UTF-8",
            # An example's home goes away when the page is done: no worker may stay for it.
            "OBOEGAKI_WORKER_ENABLED": "0",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            # Commands of an example count as covered code.
            **{key: value for key, value in os.environ.items() if key.startswith("COVERAGE_")},
        }

    def run_python(self, example: Example) -> None:
        try:
            self._python(example)
        except Exception as exc:
            line = _line_in(self._page, exc) or example.line + 1
            raise ExampleError(self._page, line, f"{type(exc).__name__}: {exc}") from exc

    def run_console(self, example: Example) -> None:
        # The block's first line comes after the fence.
        for command in commands(str(example.parsed), example.line + 1):
            self._run(command)

    def _run(self, command: Command) -> None:
        program = command.source.split(maxsplit=1)[0]
        if program not in PROGRAMS:
            problem = f"`{program}` is not run in examples; write the command in an `sh` block"
            raise ExampleError(self._page, command.line, problem)
        done = subprocess.run(
            ["/bin/sh", "-c", command.source],
            cwd=self._folder,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )
        said = f"`{command.source}` printed:\n{done.stdout}"
        if done.returncode:
            problem = f"exited with {done.returncode}; {said}"
            raise ExampleError(self._page, command.line, problem)
        if not matches(command.expected, done.stdout):
            problem = f"{said}\nand the page says:\n{command.expected}"
            raise ExampleError(self._page, command.line, problem)


def _line_in(page: Path, exc: Exception) -> int | None:
    """Find the line of the page where the exception came by, innermost first."""
    line = None
    step = exc.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(page):
            line = step.tb_lineno
        step = step.tb_next
    return line


def commands(block: str, first_line: int) -> Iterator[Command]:
    """
    Split a console block; `first_line` is the page's line on which it starts.

    Raises:
        ValueError: there is output before the first command.
    """
    parts: list[tuple[int, list[str], list[str]]] = []
    for number, text in enumerate(block.splitlines(), first_line):
        if parts and _is_open(parts[-1][1]):
            parts[-1][1].append(text)
        elif text.startswith("$ "):
            parts.append((number, [text[2:]], []))
        elif not parts:
            if text.strip():
                raise ValueError(f"line {number}: {text!r} comes before the first `$ ` command")
        else:
            parts[-1][2].append(text)
    for number, source, output in parts:
        yield Command(number, "\n".join(source), "\n".join(output))


def _is_open(source: list[str]) -> bool:
    """Tell whether the lines of a command so far want another one."""
    here = re.search(r"<<(['\"]?)(\w+)\1", source[0])
    if here:
        return source[-1] != here[2] or len(source) == 1
    return source[-1].endswith("\\")


def matches(expected: str, printed: str) -> bool:
    """Compare line by line, spaces at line ends and empty lines around it aside."""
    lines = [re.escape(line.rstrip()) for line in expected.strip("\n").splitlines()]
    dots = re.escape("...")
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == dots else line.replace(dots, r"[^\n]*?") + r"\n"
        for line in lines
    )
    tidy = "".join(line.rstrip() + "\n" for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, tidy) is not None

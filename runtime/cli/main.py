"""
The commands. Each lives in a module of its own that is loaded when it is called.

Exit codes: 0 ok, 1 an expected error, 2 usage, 3 a bug, 130 interrupted.
`runtime hook` never comes here.
"""

import os
import sys
import traceback
from io import StringIO
from typing import Final

import click

from runtime import __version__
from runtime.cli.json_errors import Root
from runtime.errors import ExpectedError, OutputError
from runtime.paths import FILE_MODE, find_home
from runtime.redact import redact, redact_lines
from runtime.text import clean

COMMANDS: Final = {
    "check-output": "runtime.cli.check_output:check_output",
    "chiebukuro-config": "runtime.cli.chiebukuro_config:command",
    "config": "runtime.cli.config:config",
    "demo": "runtime.cli.demo:demo",
    "doctor": "runtime.cli.doctor:doctor",
    "embed": "runtime.cli.embed:embed",
    "events": "runtime.cli.events:events",
    "hook": "runtime.cli.hook:hook",
    "install": "runtime.cli.install:install",
    "logs": "runtime.cli.logs:command",
    "longterm": "runtime.cli.longterm:longterm",
    "mcp": "runtime.cli.mcp:mcp",
    "notes": "runtime.cli.notes:notes",
    "permanent": "runtime.cli.permanent:permanent",
    "reindex": "runtime.cli.reindex:reindex",
    "replay": "runtime.cli.replay:command",
    "search": "runtime.cli.search:search",
    "stats": "runtime.cli.stats:stats",
    "uninstall": "runtime.cli.install:uninstall",
    "worker": "runtime.cli.worker:worker",
}

EXPECTED, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


@click.group(
    cls=Root,
    places=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="oboegaki")
def group() -> None:
    """
    A memory for Claude Code that its owner controls.

    `runtime hook` is what Claude Code starts; everything else is for people.
    """


def cli() -> None:
    """Run a command and end the process with its exit code."""
    try:
        group.main(prog_name="runtime", standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.UsageError as error:
        shown = StringIO()
        error.show(shown)
        click.echo(_safe(shown.getvalue()), nl=False, err=True)
        sys.exit(USAGE)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except (ExpectedError, click.ClickException) as error:
        message = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"runtime: {_safe(message)}", err=True)
        if isinstance(error, OutputError):
            _drop_stdout()
        sys.exit(EXPECTED)
    except BrokenPipeError:  # `| head` has left.
        _drop_stdout()
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the last line of defence
        click.echo(f"runtime: a bug: {type(error).__name__}; see {_report()}", err=True)
        sys.exit(BUG)


def _safe(message: str) -> str:
    """Take out what a message may quote from the command line or a file."""
    return redact(clean(message))


def _drop_stdout() -> None:
    """Keep Python from complaining once more, and ending with another code, when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _report() -> str:
    """Write the current traceback where the person can find it. Returns the path."""
    path = os.path.join(find_home(os.environ).logs, "crash.txt")
    trace = redact_lines(clean(traceback.format_exc()))  # an error may quote what it was about
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
        with open(fd, "w", encoding="utf-8", errors="replace") as file:
            file.write(f"oboegaki {__version__}, Python {sys.version}\n\n{trace}")
    except OSError:
        click.echo(trace, err=True)
        return "above"
    return path

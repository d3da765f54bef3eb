"""
What a command with --json answers when there is no result: the error, as JSON too.

So a program that asked for JSON finds one document on stdout whatever happens. A
command that has printed its result before it fails, such as ids that were not found
beside those that were, leaves it at that.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import click

from runtime.cli.lazy import LazyGroup
from runtime.cli.output import has_printed, put
from runtime.errors import ExpectedError, OutputError
from runtime.redact import redact
from runtime.text import clean

USAGE: Final = "usage"
BUG: Final = "bug"
ASKED: Final = "runtime.cli.json_errors.asked"


class Root(LazyGroup):
    """The group of all commands; an error goes on as it came."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note whether JSON is asked for: the command itself may not get so far."""
        ctx.meta[ASKED] = "--json" in _options(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.Abort, BrokenPipeError, OutputError):
            raise
        except Exception as error:
            if ctx.meta[ASKED] and not has_printed(ctx):
                # A reader that has left, or a full disk, changes nothing of what is told.
                with suppress(BrokenPipeError, OutputError):
                    put(json.dumps(_document(error), ensure_ascii=False) + "\n")
            raise


def _options(args: Sequence[str]) -> Sequence[str]:
    return args[: args.index("--")] if "--" in args else args


def _document(error: Exception) -> dict[str, str]:
    """Return the kind of an error in a word, and the sentence that stderr has."""
    if isinstance(error, click.UsageError):
        kind, message = USAGE, error.format_message()
    elif isinstance(error, click.ClickException):
        kind, message = _word(error), error.format_message()
    elif isinstance(error, ExpectedError):
        kind, message = _word(error), str(error)
    else:
        kind = BUG
        message = f"a bug: {type(error).__name__}; stderr says where its report is"
    return {"error": kind, "message": redact(clean(message))}


def _word(error: Exception) -> str:
    """Return `unknown_memory` for an UnknownMemoryError."""
    name = type(error).__name__.removesuffix("Error")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()

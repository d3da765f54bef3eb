"""`runtime notes context`: what a new session is told, word for word."""

import os
from functools import partial
from typing import Final

import anyio
import click

from runtime import logs
from runtime.app import build, prepared_home
from runtime.cli.output import json_option, note, print_json, say
from runtime.cli.whole_number import WholeNumber
from runtime.errors import SessionContextError
from runtime.session_start import answer_to
from runtime.setting_sections import Inject
from runtime.settings import load, require
from runtime.text import utf16_units

MAX_CHARS: Final = 9500


@click.command()
@click.option("--brief", is_flag=True, help="The rules alone, as after compaction.")
@click.option(
    "--max-chars",
    type=WholeNumber(0, MAX_CHARS),
    help="Most that is told, in UTF-16 units.  [default: inject.session_max_chars]",
)
@json_option
def context(*, brief: bool, max_chars: int | None, as_json: bool) -> None:
    """
    Print what a new session is told.

    The rules, the newest block of CONTEXT.md and the names of the notes, made by
    the same code that answers Claude Code.
    """
    source = "compact" if brief else "startup"
    text, most = _told(source, max_chars)
    if as_json:
        shape = {"source": source, "text": text, "units": utf16_units(text), "max_units": most}
        print_json(shape)
    elif text:
        say(text)
    if not text:
        note("a session is told nothing: see inject.enabled and inject.session_max_chars")


def _told(source: str, max_chars: int | None) -> tuple[str, int]:
    home = prepared_home(os.environ)
    settings = require(load(home.config, os.environ))
    logs.configure(home, settings.logs)
    if max_chars is not None:
        chosen = {**settings.inject.model_dump(), "session_max_chars": max_chars}
        settings = settings.model_copy(update={"inject": Inject.model_validate(chosen)})
    # Nothing is searched: the files say it all, and a store that is locked keeps nobody waiting.
    answer, runs = anyio.run(partial(answer_to, source, build(home, settings, None)))
    for run in runs:
        if run.error is not None:
            raise SessionContextError(run.handler, run.error)
    return answer.context if answer is not None else "", settings.inject.session_max_chars

"""A text from an option, or from stdin."""

import sys

import click

from runtime.notes.refusals import TextRefusedError


def text_or_stdin(given: str | None) -> str:
    """
    Return the option's text, or what stdin gives.

    Raises UsageError on a terminal, TextRefusedError for what is not UTF-8.
    """
    if given is not None:
        return given
    if sys.stdin.isatty():
        msg = "give the text with --body, or on stdin"
        raise click.UsageError(msg)
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TextRefusedError("not_text", error.start) from error

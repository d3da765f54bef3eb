"""`runtime check-output`: is this what a hook may print?"""

import json
from typing import Any, BinaryIO

import click

from runtime.cli.output import json_option, print_json, say
from runtime.errors import ExpectedError


class HookOutputError(ExpectedError):
    """A hook's stdout that Claude Code would misread."""


@click.command("check-output")
@click.argument("file", type=click.File("rb"), default="-")
@json_option
def check_output(file: BinaryIO, *, as_json: bool) -> None:
    """
    Check what a hook command printed, from FILE or stdin.

    stdout must be empty or exactly one JSON object. Anything before it, such as a
    line from a shell profile, makes Claude Code drop the answer or show it raw.
    """
    verdict = judge(file.read())
    if as_json:
        print_json({"ok": verdict is None, "problem": verdict})
    elif verdict is None:
        say("fine: empty or one JSON object")
    if verdict is not None:
        raise HookOutputError(verdict)


def judge(printed: bytes) -> str | None:
    """Return what is wrong with a hook's stdout, or None."""
    text = printed.decode("utf-8-sig", errors="replace")
    if not text.strip():
        return None
    start = text.find("{")
    if start < 0:
        return f"stdout had {len(printed)} bytes and no JSON object; a hook prints one or nothing"
    before = len(text[:start].strip().encode())
    if before:
        return (
            f"stdout had {len(text[:start].encode())} bytes before the JSON; "
            "start the hook without a shell profile (exec form with args)"
        )
    return _judge_json(text[start:])


def _judge_json(text: str) -> str | None:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        return f"stdout is not JSON: {error}"
    after = len(text[end:].strip().encode())
    if after:
        return f"stdout had {after} bytes after the JSON; a hook prints one object"
    return _judge_keys(value)


def _judge_keys(value: dict[str, Any]) -> str | None:
    specific = value.get("hookSpecificOutput")
    if isinstance(specific, dict) and not isinstance(specific.get("hookEventName"), str):
        return "hookSpecificOutput has no hookEventName; Claude Code drops the whole answer"
    return None

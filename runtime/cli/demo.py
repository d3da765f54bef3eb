"""`runtime demo`: see the product at work, without touching anything of yours."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import click

from runtime.cli.output import say
from runtime.demo import Stage

LAST_LINE = (
    "All of this was in a temporary home, which is gone. "
    "`runtime install --dry-run` shows what it takes to use it for real."
)
QUERIES = ("セッションの期限", "retry policy")


@click.command()
@click.option("--keep", is_flag=True, help="Leave the temporary home for you to look around.")
def demo(*, keep: bool) -> None:
    """
    Play a recorded session through the hooks, in a temporary home.

    Shows what was captured, finds it again, and what the next session is told.
    """
    with ExitStack() as stack:
        if keep:
            folder = tempfile.mkdtemp(prefix="oboegaki-demo-")
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="oboegaki-demo-"))
        stage = Stage(Path(folder))
        try:
            _show(stage)
        finally:
            stage.leave()
        if keep:
            say(f"\nLook around with OBOEGAKI_HOME={folder}/home")
        else:
            say(LAST_LINE)


def _show(stage: Stage) -> None:
    say("1. A recorded session, every event through `runtime hook`:\n")
    before_skill = ""
    for played in stage.play():
        told = f"the model is told {len(played.context):,} characters" if played.context else ""
        say(f"   {played.name:<20} {played.about:<28} {told}".rstrip())
        if played.name == "PreToolUse":
            before_skill = played.context
    say("\n2. What was captured:\n")
    _run(stage, "stats")
    say("3. Found again, in Japanese and in English:\n")
    for query in QUERIES:
        _run(stage, "search", query, "-n", "2")
    say("4. What the model was told when the skill `review` was called again:\n")
    say(_indented(before_skill))
    say("5. What the next session is told:\n")
    say(_indented(stage.hook(stage.session_start()).context))
    say("6. Any captured event can be run again, against a copy of the store:\n")
    _run(stage, "replay", "--event", "Stop", "--last", "1")


def _run(stage: Stage, *arguments: str) -> None:
    shown = " ".join(f'"{word}"' if " " in word else word for word in arguments)
    say(f"   $ runtime {shown}")
    say(_indented(stage.command(*arguments)))


def _indented(text: str) -> str:
    return "\n".join(f"   {line}".rstrip() for line in text.rstrip("\n").split("\n")) + "\n"

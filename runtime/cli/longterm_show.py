"""`runtime longterm show`: one memory, whole."""

import click

from runtime.cli.output import json_option, print_json, say
from runtime.cli.selecting import MOST
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.store.clock import local_time
from runtime.store.listing import one
from runtime.store.refusals import UnknownMemoryError
from schemas.records import Memory


@click.command()
@click.argument("memory_id", type=WholeNumber(1, MOST), metavar="ID")
@json_option
def show(memory_id: int, *, as_json: bool) -> None:
    """Show one memory whole: where it comes from, and its text. Deleted ones too."""

    async def work(app: AppContext) -> Memory | None:
        return await one(app.opened.connection, memory_id)

    memory = with_app(work)
    if memory is None:
        raise UnknownMemoryError([memory_id])
    if as_json:
        print_json(memory)
        return
    for name, value in _facts(memory):
        if value:
            say(f"{name}: {value}")
    say(f"\n{memory.content}")


def _facts(memory: Memory) -> tuple[tuple[str, str | None], ...]:
    marks = [word for word in ("pinned", "global") if getattr(memory, f"is_{word}")]
    return (
        ("id", str(memory.id)),
        ("created", local_time(memory.created_at)),
        ("deleted", memory.deleted_at and local_time(memory.deleted_at)),
        ("source", memory.source),
        ("project", memory.project),
        ("host", memory.host),
        ("about", memory.target),
        ("tags", ", ".join(memory.tags)),
        ("skills", ", ".join(memory.skills)),
        ("marked", ", ".join(marks)),
        ("session", memory.session_id),
    )

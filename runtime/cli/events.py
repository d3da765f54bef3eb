"""`runtime events`: what was captured and what became of it."""

from typing import BinaryIO

import anyio
import click

from runtime.cli.lazy import Group
from runtime.cli.output import columns, json_option, note, print_json, say
from runtime.cli.selecting import selecting
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.events.query import Selection, StoredEvent, select
from runtime.replay import export as export_event
from runtime.store.clock import local_time

LISTED = 20


@click.group(cls=Group, invoke_without_command=True)
@selecting
@click.option("--dead", is_flag=True, help="List input that could not be read instead.")
@json_option
@click.pass_context
def events(  # noqa: PLR0913 - the options are the interface
    ctx: click.Context,
    *,
    last: int | None,
    failed: bool,
    session: str | None,
    name: str | None,
    since: str | None,
    dead: bool,
    as_json: bool,
) -> None:
    """List captured events, oldest first: outcome, duration, answer."""
    if ctx.invoked_subcommand is not None:
        return
    if dead:
        _list_dead(as_json=as_json)
        return
    is_narrowed = failed or session or name or since
    wanted = Selection((), last or (None if is_narrowed else LISTED), failed, session, name, since)
    found = with_app(lambda app: select(app.opened.connection, wanted))
    if as_json:
        print_json([item.event for item in found])
    elif found:
        columns([_row(item) for item in found])
    else:
        note("no such events; `runtime stats` counts what was captured, `runtime demo` shows how")


@events.command()
@selecting
@click.option("--output", type=click.File("wb"), default="-", help="File; default stdout.")
def export(
    *,
    last: int | None,
    failed: bool,
    session: str | None,
    name: str | None,
    since: str | None,
    output: BinaryIO,
) -> None:
    """Write events as NDJSON that `runtime replay --file` takes, here or elsewhere."""
    wanted = Selection((), last, failed, session, name, since, with_payload=True)
    found = with_app(lambda app: select(app.opened.connection, wanted))
    for item in found:
        line = export_event(item)
        if line is not None:
            output.write(line.model_dump_json().encode() + b"\n")
    note(f"events written: {len(found)}")


def _list_dead(*, as_json: bool) -> None:
    found = with_app(_dead)
    if as_json:
        print_json([{"id": event_id, "bytes": size} for event_id, size in found])
    for event_id, size in () if as_json else found:
        say(f"{event_id}  {size} bytes; `runtime replay {event_id}` shows why")


async def _dead(app: AppContext) -> list[tuple[str, int]]:
    found = [
        (path.name, (await path.stat()).st_size)
        async for path in anyio.Path(app.home.dead).iterdir()
    ]
    return sorted(found)


def _row(item: StoredEvent) -> tuple[str, ...]:
    event = item.event
    reason = event.reason or ("answered" if event.answer else "")
    return (
        event.id,
        local_time(event.received_at),
        event.name,
        event.project or "-",
        event.outcome,
        f"{event.duration_ms:.1f} ms",
        reason,
    )

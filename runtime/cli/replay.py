"""`runtime replay`: run captured events again."""

from pathlib import Path
from typing import Any

import anyio
import click

from runtime.cli.output import json_option, note, print_json, say
from runtime.cli.selecting import selecting
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.errors import UnknownIdError
from runtime.events.query import Selection, select
from runtime.replay import Replayable, Replayed, for_real, from_file, from_store, replay, scratch
from runtime.spool import Captured
from runtime.store.clock import local_time
from runtime.text import one_line

WHERE_TO_LOOK = "`runtime events` lists what was captured"


@click.command("replay")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@selecting
@click.option("--file", type=click.Path(path_type=Path), help="Events from an NDJSON file.")
@click.option("--apply", "is_applied", is_flag=True, help="Write to the real store. Idempotent.")
@json_option
def command(  # noqa: PLR0913 - the options are the interface
    ids: tuple[str, ...],
    *,
    last: int | None,
    failed: bool,
    session: str | None,
    name: str | None,
    since: str | None,
    file: Path | None,
    is_applied: bool,
    as_json: bool,
) -> None:
    """
    Run captured events again and show what they do now.

    By default the newest event, against a copy of the store: nothing changes.
    Shows the model, each handler's time, the rows it writes, the answer, and the
    difference to what was recorded. An ID may also be one of `dead/`.
    """
    is_bare = not (ids or last or failed or session or name or since)
    wanted = Selection(ids, 1 if is_bare else last, failed, session, name, since)

    async def work(app: AppContext) -> list[Replayed]:
        items = await from_file(file) if file else await _stored(app, wanted)
        if is_applied:
            return [await replay(item, for_real(app)) for item in items]
        async with scratch(app) as copy:
            return [await replay(item, copy) for item in items]

    results = with_app(work)
    if as_json:
        print_json([_as_json(result) for result in results])
        return
    if not results:
        note(f"no such event; {WHERE_TO_LOOK}")
    for result in results:
        _print(result)


async def _stored(app: AppContext, wanted: Selection) -> list[Replayable]:
    found = await select(app.opened.connection, wanted)
    items = [item for event in found if (item := from_store(event)) is not None]
    missing = set(wanted.ids) - {event.event.id for event in found}
    for event_id in sorted(missing):
        dead = await _dead(app, event_id)
        if dead is None:
            raise UnknownIdError("event", (event_id,), WHERE_TO_LOOK)
        items.append(dead)
    expired = len(found) - (len(items) - len(missing))
    if expired:
        note(f"{expired} events are known, but their payload is no longer kept (events.keep_days)")
    return items


async def _dead(app: AppContext, event_id: str) -> Replayable | None:
    path = anyio.Path(app.home.dead) / Path(event_id).name
    if not await path.is_file():
        return None

    return Replayable(Captured(event_id, {}, await path.read_bytes()), None)


def _as_json(result: Replayed) -> dict[str, Any]:
    handled = result.handled
    return {
        "id": result.id,
        "error": result.error,
        "model": handled.model if handled else None,
        "event": handled.event if handled else None,
        "writes": [
            {"status": item.status, **item.memory.model_dump(mode="json")}
            for item in result.written
        ],
        "answer": handled.event.answer if handled else None,
        "differences": result.differences,
    }


def _print(result: Replayed) -> None:
    if result.handled is None:
        say(f"{result.id}  unreadable: {result.error}\n")
        return
    event = result.handled.event
    received = local_time(event.received_at)
    say(f"{result.id}  {event.name}  {received}  {event.project}  {event.session_id[:8]}")
    say(f"  model     {result.handled.model}")
    reason = f" ({event.reason})" if event.reason else ""
    say(f"  outcome   {event.outcome}{reason}")
    for run in event.handlers:
        say(f"  handler   {run.handler} {run.outcome} {run.duration_ms:.1f} ms")
    for item in result.written:
        memory = item.memory
        say(
            f"  writes    {item.status or 'nothing'}  {memory.source}  {len(memory.content)} chars"
            f"  {one_line(memory.content, 60)}"
        )
    answer = result.handled.answer
    if answer is None:
        say("  answer    none")
    else:
        say("  answer")
        say(_indented(answer.context))
        if answer.system_message:
            say(f"  message   {answer.system_message}")
    if result.differences:
        say("  differs from what was recorded")
        say(_indented("\n".join(result.differences)))
    else:
        say("  recorded  the same")
    say()


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))

"""`runtime stats`: what there is, and whether capture works."""

import os
from typing import Final

import anyio
import click

from runtime.app import store_path
from runtime.cli.output import columns, counted, json_option, print_json, say
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.permanent.shadow import follow
from runtime.store.capture_health import capture_health
from runtime.store.clock import local_time
from runtime.store.shown_stats import shown_stats
from runtime.store.stats import by_outcome, by_source, counts
from runtime.text import one_line
from schemas.stats import ShownStats, Stats

SUMMARY_CHARS: Final = 80


@click.command()
@json_option
def stats(*, as_json: bool) -> None:
    """Count memories, notes and events; show the last success of each kind of event."""
    found = with_app(_collect)
    if as_json:
        print_json(found)
        return
    rows = [
        ("long-term memories", str(found.memories)),
        *((f"  from {source}", str(count)) for source, count in found.by_source.items()),
        ("notes", f"{counted(found.notes, 'file')}, {counted(found.chunks, 'section')}"),
        ("permanent memories", _permanent(found)),
        ("events", ", ".join(f"{n} {name}" for name, n in found.events_by_outcome.items()) or "0"),
        ("waiting in the spool", str(found.spool)),
        ("put aside (dead)", str(found.dead)),
        ("database", f"{found.database_bytes / 1e6:.1f} MB"),
        (
            "oldest, newest",
            f"{local_time(found.oldest_at or '-')}, {local_time(found.newest_at or '-')}",
        ),
    ]
    columns(rows)
    show_recall(found.shown)
    if found.captures:
        say("\nlast success, failures since:")
    for health in found.captures:
        error = f"  ({health.last_error})" if health.last_error else ""
        say(
            f"  {health.name:<20} {local_time(health.last_success_at or 'never'):<25}"
            f" {health.failures_since}{error}"
        )


def _permanent(found: Stats) -> str:
    as_of = f", as of {local_time(found.permanent_as_of)}" if found.permanent_as_of else ""
    return f"{found.permanent:,}{as_of}"


def show_recall(shown: ShownStats) -> None:
    """Print what models were told, and of what most often."""
    since = f" since {local_time(shown.since)[:10]}" if shown.since else ""
    never = f"{counted(shown.memories_never, 'memory', 'memories')} never told"
    if not shown.total:
        say(f"\ntold to models{since}: nothing yet; {never}")
        return
    total = counted(shown.total, "record")
    say(f"\ntold to models{since}: {total}, {shown.before_skills:,} of them before skills; {never}")
    for item in shown.often:
        name = f"#{item.id} {item.summary}" if item.id else item.path or ""
        say(f"  {item.times:>4}x, mean rank {item.mean_rank:g}: {one_line(name, SUMMARY_CHARS)}")


async def _collect(app: AppContext) -> Stats:
    await follow(app.home, app.settings, app.opened)
    connection = app.opened.connection
    values = dict(await counts(connection))
    sizes = await anyio.to_thread.run_sync(_on_disk, app)
    return Stats.model_validate(
        {
            **values,
            **sizes,
            "by_source": await by_source(connection),
            "events_by_outcome": await by_outcome(connection),
            "captures": await capture_health(connection),
            "shown": await shown_stats(connection),
        }
    )


def _on_disk(app: AppContext) -> dict[str, int]:
    path = store_path(app.home, app.settings)
    files = [path + suffix for suffix in ("", "-wal") if os.path.exists(path + suffix)]
    return {
        "spool": sum(name[:1].isdigit() for name in os.listdir(app.home.spool)),
        "dead": len(os.listdir(app.home.dead)),
        "database_bytes": sum(os.path.getsize(file) for file in files),
    }

"""`runtime longterm stats`: how many memories there are, and of what."""

from collections.abc import Iterator

import click

from runtime.cli.output import columns, json_option, print_json
from runtime.cli.session import with_app
from runtime.cli.stats import show_recall
from runtime.context import AppContext
from runtime.store.clock import local_time
from runtime.store.longterm_stats import longterm_stats
from runtime.store.shown_stats import shown_stats
from schemas.longterm import LongtermStats
from schemas.stats import ShownStats

SHOWN = 10
"""Sources, projects and machines that people are shown; JSON has all."""


@click.command()
@json_option
def stats(*, as_json: bool) -> None:
    """Count long-term memories by source, project and machine, and what models were told."""

    async def work(app: AppContext) -> tuple[LongtermStats, ShownStats]:
        connection = app.opened.connection
        return await longterm_stats(connection), await shown_stats(connection)

    found, shown = with_app(work)
    if as_json:
        print_json({**found.model_dump(mode="json"), "shown": shown})
        return
    columns(
        [
            ("memories", f"{found.total:,}"),
            ("oldest", local_time(found.oldest_at or "-")),
            ("newest", local_time(found.newest_at or "-")),
            ("characters", f"{found.content_chars:,}"),
            ("pinned", f"{found.is_pinned:,}"),
            ("global", f"{found.is_global:,}"),
            ("deleted", f"{found.deleted:,}"),
            *_most("source", found.by_source),
            *_most("project", found.by_project),
            *_most("machine", found.by_host),
        ]
    )
    show_recall(shown)


def _most(noun: str, counts: dict[str, int]) -> Iterator[tuple[str, str]]:
    for name, count in list(counts.items())[:SHOWN]:
        yield f"{noun} {name or '-'}", f"{count:,}"
    if len(counts) > SHOWN:
        yield f"{noun}s beside these", f"{len(counts) - SHOWN:,}"

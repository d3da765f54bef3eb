"""`runtime search`: find memories and notes."""

from pathlib import Path

import click
from anyio import to_thread

from runtime.cli.output import json_option, note, print_json, say
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.notes.book import refresh
from runtime.store.search import search as find
from runtime.tokens.glossary import read_glossary
from schemas.records import SearchHit

SHOWN = ("id", "kind", "source", "heading", "date", "score", "snippet")
"""What `--json` prints of a hit first; the rest follows."""


@click.command()
@click.argument("query")
@click.option(
    "-n", "limit", default=5, show_default=True, type=click.IntRange(1, 100), help="Most hits."
)
@json_option
def search(query: str, limit: int, *, as_json: bool) -> None:
    """
    Find memories and notes by words, in any language.

    Notes are brought up to date first. Nothing found is no error.
    """

    async def work(app: AppContext) -> list[SearchHit]:
        await refresh(app.home, app.settings, app.opened)
        glossary = await to_thread.run_sync(read_glossary, Path(app.home.glossary))
        return await find(app.opened.reader, query, limit, glossary=glossary)

    hits = with_app(work)
    if as_json:
        print_json({"query": query, "hits": [_shown(hit) for hit in hits]})
    elif not hits:
        note("nothing found; try fewer or other words, or `runtime stats` to see what there is")
    for hit in () if as_json else hits:
        _print(hit)


def _shown(hit: SearchHit) -> dict[str, object]:
    values = hit.model_dump(mode="json")
    return {**{name: values[name] for name in SHOWN}, **values}


def _print(hit: SearchHit) -> None:
    date = f"{hit.date} ({hit.date_origin})" if hit.date else "undated"
    place = hit.source if hit.line is None else f"{hit.source}:{hit.line}"
    details = [part for part in (hit.heading, hit.target, hit.project) if part]
    say(f"{date}  {hit.kind} #{hit.id}  {place}")
    if details:
        say("  " + "  ·  ".join(details))
    say(f"  {hit.snippet}\n")

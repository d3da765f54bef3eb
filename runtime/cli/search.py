"""`runtime search`: find memories and notes."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

import click
from anyio import to_thread

from runtime.app import store_path
from runtime.cli.hits import document, for_people, is_coloured, said
from runtime.cli.output import counted, json_option, note
from runtime.cli.search_options import FROM, HITS, MOST_HITS, SHORT, Options, words_last
from runtime.cli.selecting import DAY
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.days import day_at
from runtime.embeddings.answering import answer
from runtime.embeddings.choosing import by_meaning, chosen_by, reordering
from runtime.notes.book import refresh, setup_of
from runtime.permanent.freshness import place_of
from runtime.permanent.shadow import follow
from runtime.query import KINDS, Filters, filter_value
from runtime.search_setup import keep
from runtime.settings import Settings
from runtime.store.clock import utc_now
from runtime.store.index_backlog import waiting
from runtime.store.migrations import latest
from runtime.store.search_hits import Hit, Meaning, Question, find
from runtime.tokens.glossary import read_glossary


class Kind(click.Choice[str]):
    """A kind of record, in any width and case, as in a query."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the kind that is meant."""
        return filter_value("kind", str(value)) or super().convert(value, param, ctx)


class Words(click.Command):
    """A command whose words may begin with a dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options, and leave the words as they are."""
        return super().parse_args(ctx, words_last(args))


@click.command(cls=Words)
@click.argument("words", metavar="[QUERY]...", nargs=-1)
@click.option(
    *(SHORT, "limit"),
    default=HITS,
    show_default=True,
    type=WholeNumber(1, MOST_HITS),
    help="Most hits.",
)
@click.option(
    "--kind",
    multiple=True,
    metavar="[note|long-term|permanent]",  # "notes" is understood too, one word for each is shown
    type=Kind(sorted(KINDS)),
    help="Of this kind.",
)
@click.option("--project", multiple=True, metavar="NAME", help="Memories of this project.")
@click.option("--tool", multiple=True, metavar="NAME", help="What this tool made, such as Write.")
@click.option("--file", multiple=True, metavar="PART", help="With this in the path or address.")
@click.option("--after", multiple=True, type=DAY, help="Of this day (month, year) or later.")
@click.option("--before", multiple=True, type=DAY, help="Earlier than this day (month, year).")
@click.option("--all", "is_all", is_flag=True, help="Each record of one place or text by itself.")
@click.option(
    *(FROM, "queries"),
    type=click.File("rb"),
    help="A query a line, - for stdin; one JSON object a line is printed.",
)
@click.option("--semantic", "is_semantic", is_flag=True, help="By meaning alone, not by words.")
@json_option
def search(
    words: tuple[str, ...],
    limit: int,
    queries: BinaryIO | None,
    *,
    is_all: bool,
    is_semantic: bool,
    as_json: bool,
    **filters: tuple[str, ...],
) -> None:
    """
    Find memories of all kinds and notes by words, in any language.

    In QUERY, "quoted words" must occur as they stand and -words must not; kind:,
    project:, tool:, file:, after: and before: narrow down where to look, as the
    options of these names do. Anything else is a word. Notes are brought up to date
    first. Nothing found is no error.
    """
    if bool(words) == (queries is not None):
        msg = "give a QUERY or --from FILE, one of them"
        raise click.UsageError(msg)
    texts = _lines(queries.read()) if queries else [" ".join(words)]
    narrowed = _filters(filters)
    asked = [Options(text, limit, narrowed, as_json, is_all) for text in texts]
    today = day_at(utc_now().timestamp())

    async def work(app: AppContext) -> list[list[Hit]]:
        return await _answers(app, asked, today, is_semantic=is_semantic)

    answers = with_app(work)
    for number, (options, found) in enumerate(zip(asked, answers, strict=True), 1):
        _print(options, found, today, line=number if queries else None)


def _filters(given: Mapping[str, Sequence[str]]) -> Filters:
    values = {name: [filter_value(name, text) for text in texts] for name, texts in given.items()}
    for name, texts in values.items():
        if "" in texts:
            msg = f"--{name} says nothing; leave it out, or name what to look for"
            raise click.UsageError(msg)
    return Filters(**{name: tuple(texts) for name, texts in values.items()})


def _lines(data: bytes) -> list[str]:
    """Return the lines of a file, the end of the last one being no line."""
    text = data.decode("utf-8-sig", "replace").removesuffix("\n")
    return [line.removesuffix("\r") for line in text.split("\n")] if data else []


async def _answers(
    app: AppContext, asked: Sequence[Options], today: str, *, is_semantic: bool
) -> list[list[Hit]]:
    """Return the hits of each question, over notes and permanent memories that are up to date."""
    meaning = _meaning(app.settings, is_alone=is_semantic)
    await refresh(app.home, app.settings, app.opened)
    await follow(app.home, app.settings, app.opened)
    if left := await waiting(app.opened.connection):
        note(
            f"{counted(left, 'memory', 'memories')} not in the index yet, and not found:"
            " `runtime reindex` puts them in"
        )
    glossary = await to_thread.run_sync(read_glossary, app.home.glossary)
    answers = []
    for options in asked:
        question = Question(
            *(options.asked, options.limit, today, glossary),
            is_all=options.is_all,
            meaning=meaning,
        )
        if is_semantic:
            answers.append(await app.opened.reader.run(find, question))
            continue
        found, problem = await answer(app.opened.reader, question)
        answers.append(found)
        if problem:
            note(problem)
            meaning = None
    await to_thread.run_sync(_keep_setup, app)
    return answers


def _meaning(settings: Settings, *, is_alone: bool) -> Meaning | None:
    """Return what finds by meaning, alone or beside words. Raises EncoderError where alone."""
    chosen = chosen_by(settings)
    if is_alone:
        return by_meaning(chosen)
    return reordering(chosen) if settings.semantic.enabled else None


def _keep_setup(app: AppContext) -> None:
    """Let the next search do without reading the settings."""
    path = store_path(app.home, app.settings)
    setup = setup_of(app.home, app.settings, path, latest(), place_of(app.home, app.settings))
    notes = app.settings.notes
    model = app.settings.semantic.model
    permanent = app.settings.permanent.dir
    paths = (app.home.root, path, notes.context, notes.archive, *notes.dirs, model, permanent)
    keep(app.home, os.environ, setup, is_anywhere=all(map(os.path.isabs, filter(None, paths))))


def _print(options: Options, found: list[Hit], today: str, *, line: int | None) -> None:
    """Print what was found, and how the question was read; *line* of the file it came from."""
    is_data = options.as_json or line is not None
    if is_data:
        click.echo(document(options.query, found, one_line=line is not None))
    elif found:
        coloured = is_coloured(sys.stdout, os.environ)
        click.echo(for_people(found, options.asked, today, is_coloured=coloured), color=coloured)
    for text in said(options.asked, found, as_json=is_data):
        note(text if line is None else f"line {line}: {text}")

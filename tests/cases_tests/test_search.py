"""Reported faults of searches, asked as a person asks: notes on disk, the product's own search."""

from pathlib import Path

import pytest

from runtime.notes.book import refresh
from runtime.store.search import search
from schemas.search import SearchHit
from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import CASES, Make


async def ask(pipeline: Pipeline, case: str, query: str) -> list[SearchHit]:
    """Index the notes of a case and ask one question."""
    for path in (CASES / case).glob("*.md"):
        (pipeline.notes / path.name).write_bytes(path.read_bytes())
    app = pipeline.app
    await refresh(app.home, app.settings, app.opened)
    return await search(app.opened.reader, query, 10)


def rows(case: str) -> list[tuple[str, ...]]:
    lines = (CASES / case / "queries.tsv").read_text("utf-8").splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines]


@pytest.mark.parametrize(("query", "date"), rows("Q01"))
async def test_a_latin_word_glued_to_japanese_is_found(
    query: str, date: str, pipeline: Pipeline
) -> None:
    for spelling in (query, query.upper(), query.lower()):
        found = await ask(pipeline, "Q01", spelling)
        assert found[0].date == date


@pytest.mark.parametrize("row", rows("Q03"))
async def test_of_several_words_all_come_before_any(
    row: tuple[str, ...], pipeline: Pipeline
) -> None:
    query, wanted, unwanted = (*row, "")[:3]

    dates = [hit.date for hit in await ask(pipeline, "Q03", query)]

    assert not wanted or dates[0] == wanted
    assert not unwanted or unwanted not in dates


async def test_a_quoted_phrase_is_matched_as_a_phrase(pipeline: Pipeline) -> None:
    found = await ask(pipeline, "Q03", '"redis is"')

    assert [hit.date for hit in found] == ["2026-04-02"]


@pytest.mark.parametrize("query", (CASES / "Q04/queries.txt").read_text("utf-8").splitlines())
async def test_what_is_syntax_elsewhere_is_text_here(query: str, pipeline: Pipeline) -> None:
    found = await ask(pipeline, "Q04", query)

    assert [hit.date for hit in found] == ["2026-03-01"]


@pytest.mark.parametrize("query", (CASES / "Q04/queries_empty.txt").read_text("utf-8").split("\n"))
async def test_syntax_alone_is_no_error(query: str, pipeline: Pipeline) -> None:
    assert len(await ask(pipeline, "Q04", query)) <= 1
    assert len(await pipeline.rows("SELECT 1 FROM note_chunks")) == 1


async def test_a_question_of_twelve_thousand_characters_is_answered(pipeline: Pipeline) -> None:
    (pipeline.notes / "a.md").write_text("## 2026-03-01\n長い質問文への答え\n", encoding="utf-8")
    query = (CASES / "Q04" / "query_long.txt").read_text("utf-8")

    assert len(query) > 10_000
    assert [hit.date for hit in await ask(pipeline, "none", query)] == ["2026-03-01"]


@pytest.mark.parametrize(("query", "dates"), rows("Q06"))
async def test_how_a_character_is_composed_does_not_matter(
    query: str, dates: str, pipeline: Pipeline
) -> None:
    found = await ask(pipeline, "Q06", query)

    assert {hit.date for hit in found} >= set(dates.split(","))
    assert found[0].date in dates


async def test_what_is_shown_stays_as_it_is_written(pipeline: Pipeline) -> None:
    (hit,) = await ask(pipeline, "Q06", "キャッシュ")

    written = (CASES / "Q06" / "width.md").read_text("utf-8").strip()
    assert hit.content == written
    assert "ｷｬｯｼｭ" in hit.snippet


@pytest.mark.parametrize("case", ["Q01", "Q03", "Q04", "Q06"])
@pytest.mark.process
def test_whole_files_of_queries_are_answered_in_one_process(case: str, make: Make) -> None:
    ground = make(case)
    for path in ground.folder.glob("*.md"):
        (ground.notes / path.name).write_bytes(path.read_bytes())
    queries = _queries(ground.folder)

    ran = ground.product.command(
        "search", "--from", "-", "--json", stdin="".join(f"{query}\n" for query in queries).encode()
    )

    assert ran.code == 0, ran.err
    assert len(ran.out.splitlines()) == len(queries)


def _queries(folder: Path) -> list[str]:
    if (folder / "queries.txt").exists():
        names = ("queries.txt", "queries_empty.txt")
        return [line for name in names for line in (folder / name).read_text("utf-8").split("\n")]
    lines = (folder / "queries.tsv").read_text("utf-8").splitlines()[1:]
    return [line.split("\t")[0] for line in lines]

"""What a project's handlers find: its own, what is for all, and the notes."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from runtime.context import AppContext
from runtime.notes.book import NoteBook
from runtime.paths import Home
from runtime.permanent.following import Following
from runtime.recall import Recall
from runtime.settings import Settings
from runtime.store.longterm import Origin, keep, mark
from runtime.store.note_files import known_files
from schemas.records import NewMemory

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


async def remember(app: AppContext, key: str, content: str, **fields: Any) -> int:
    """Keep a memory, of project `here` unless another one is given. Returns its id."""
    project = fields.pop("project", "here")
    values = {"source": "session", "created_at": NOW} | fields
    memory = NewMemory.model_validate({"key": key, "content": content, **values})
    async with app.opened.transaction() as connection:
        await keep(connection, memory, Origin(project, project, None, "host"), NOW)
    async with app.opened.connection.execute(
        "SELECT id FROM memories WHERE key = ?", (key,)
    ) as cursor:
        row = await cursor.fetchone()
    assert row is not None
    return int(row[0])


async def make_global(app: AppContext, memory_id: int) -> None:
    async with app.opened.transaction() as connection:
        await mark(connection, [memory_id], is_global=True, is_pinned=None)


@pytest.fixture
def recall(app: AppContext) -> Recall:
    notes = NoteBook(app.home, app.settings, app.store)
    permanent = Following(app.home, app.settings, app.store)
    return Recall(app.store, lambda: notes, lambda: permanent, "here")


async def found(recall: Recall, name: str, arguments: str = "", limit: int = 10) -> list[str]:
    return [hit.content for hit in (await recall.about_skill(name, arguments, limit)).hits]


async def runs_of(recall: Recall, name: str, limit: int = 10) -> list[str]:
    return [memory.content for memory in (await recall.about_skill(name, "", limit)).runs]


async def test_runs_of_a_skill_are_found_newest_first(app: AppContext, recall: Recall) -> None:
    """`plugin:skill` and `skill` are the same skill."""
    for day, skill in ((1, "review"), (3, "p:review"), (2, "q:review"), (4, "preview")):
        at = datetime(2026, 11, day, tzinfo=UTC)
        await remember(app, f"k{day}", f"run {day}", skills=(skill,), created_at=at)

    assert await runs_of(recall, "p:review") == ["run 3", "run 2", "run 1"]
    assert len(await runs_of(recall, "review", 2)) == 2


async def test_only_the_projects_own_runs_and_global_ones_are_found(
    app: AppContext, recall: Recall
) -> None:
    await remember(app, "a", "mine", skills=("review",))
    await remember(app, "b", "theirs", skills=("review",), project="there")
    shared = await remember(app, "c", "for all", skills=("review",), project="there")
    await make_global(app, shared)

    assert set(await runs_of(recall, "review")) == {"mine", "for all"}


async def test_only_the_projects_own_memories_and_global_ones_are_related(
    app: AppContext, recall: Recall
) -> None:
    await remember(app, "a", "mine about review")
    await remember(app, "b", "theirs about review", project="there")
    await make_global(app, await remember(app, "c", "all about review", project="there"))

    assert set(await found(recall, "review")) == {"mine about review", "all about review"}


async def test_notes_are_related_as_soon_as_they_are_written(
    app: AppContext, recall: Recall
) -> None:
    """The index is brought up to date first."""
    _write(Path(app.home.notes, "a.md"), "## 2026-06-01 code-review\nmissed the types\n")

    [hit] = (await recall.about_skill("code-review", "", 5)).hits

    assert hit.kind == "note"
    assert hit.date == "2026-06-01"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "text", ["the code-review skill", "the Code Review skill", "code_reviewの結果", "CodeReview"]
)
async def test_a_plugins_skill_is_found_by_its_bare_name(
    text: str, app: AppContext, recall: Recall
) -> None:
    await remember(app, "a", text)

    assert await found(recall, "my-plugin:code-review") == [text]


async def test_what_shares_but_a_word_with_the_name_is_not_related(
    app: AppContext, recall: Recall
) -> None:
    await remember(app, "a", "the code of the door")

    assert await found(recall, "code-review") == []


async def test_what_the_arguments_are_about_comes_behind_what_the_name_is_about(
    app: AppContext, recall: Recall
) -> None:
    await remember(app, "a", "parser tables are slow")
    await remember(app, "b", "deploy needs a tag")

    assert await found(recall, "deploy", "parser tables") == [
        "deploy needs a tag",
        "parser tables are slow",
    ]


async def test_what_answers_name_and_arguments_is_told_first_and_once(
    app: AppContext, recall: Recall
) -> None:
    await remember(app, "both", "deploy the parser tables")
    for number in range(4):
        await remember(app, f"name {number}", f"deploy number {number} of the long list")

    texts = await found(recall, "deploy", "parser tables", limit=5)

    assert texts.count("deploy the parser tables") == 1
    assert len(texts) == 5
    assert texts[0] == "deploy the parser tables"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("", ""), ('a" OR 1', "NEAR(x"), ("*", "-"), ("\0", "\ufffd"), ("😀", "。"), (":", "p:")],
)
async def test_no_name_and_no_arguments_are_a_mistake(
    name: str, arguments: str, app: AppContext, recall: Recall
) -> None:
    await remember(app, "a", "something else")

    assert await found(recall, name, arguments) == []
    assert await runs_of(recall, name) == []


async def test_where_runs_fill_the_page_nothing_else_is_looked_for(
    app: AppContext, recall: Recall
) -> None:
    """Somebody waits for the answer: not even for a note that has not been indexed yet."""
    for number in range(6):
        await remember(app, f"k{number}", f"review {number}", skills=("review",))
    _write(Path(app.home.notes, "a.md"), "## 2026-06-01 review\nmissed the types\n")

    about = await recall.about_skill("review", "", 5)

    assert (len(about.runs), about.hits) == (5, ())
    assert await app.opened.reader.run(known_files) == {}


async def test_a_run_that_the_name_finds_too_is_told_once(app: AppContext, recall: Recall) -> None:
    """A note may have the same number: another kind is another record."""
    await remember(app, "a", "the review took long", skills=("review",))
    _write(Path(app.home.notes, "a.md"), "## 2026-06-01 review\nmissed the types\n")

    about = await recall.about_skill("review", "", 5)

    assert [memory.id for memory in about.runs] == [1]
    assert [(hit.kind, hit.id) for hit in about.hits] == [("note", 1)]


async def test_runs_and_hits_are_no_more_than_asked_for(app: AppContext, recall: Recall) -> None:
    for number in range(3):
        await remember(app, f"run {number}", f"ran {number}", skills=("review",))
        await remember(app, f"hit {number}", f"about review {number}")

    about = await recall.about_skill("review", "", 4)

    assert (len(about.runs), len(about.hits)) == (3, 1)


async def test_without_a_store_nothing_is_found(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    notes, permanent = NoteBook(home, Settings(), None), Following(home, Settings(), None)
    recall = Recall(None, lambda: notes, lambda: permanent, "here")

    assert await recall.about_skill("review", "x", 5) == ((), ())

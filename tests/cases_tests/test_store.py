"""The index always shows the text that is there now, and nothing else."""

import os
from pathlib import Path
from typing import Final

import pytest

from runtime.context import AppContext
from runtime.notes.book import refresh
from runtime.store.search import search
from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import Make, assistant, stop, tool_use, user, write_lines

SWAPS: Final = 50
COUNTS: Final = """
SELECT (SELECT count(*) FROM note_chunks)
        + (SELECT count(*) FROM memories WHERE deleted_at IS NULL),
    (SELECT count(*) FROM search_index_docsize)
"""


async def counts(pipeline: Pipeline) -> tuple[int, int]:
    """Return the number of records and of rows in the index."""
    ((records, indexed),) = await pipeline.rows(COUNTS)
    return records, indexed


async def check_index(pipeline: Pipeline) -> None:
    """Hold the index against itself and against the records."""
    async with pipeline.app.opened.transaction() as connection:
        await connection.execute(
            "INSERT INTO search_index(search_index) VALUES ('integrity-check')"
        )
    records, indexed = await counts(pipeline)
    assert records == indexed


async def found(app: AppContext, word: str) -> list[str]:
    """Return the texts that a word finds and that hold it."""
    hits = await search(app.opened.reader, word, 10)
    return [hit.content for hit in hits if word in hit.content]


async def indexed(pipeline: Pipeline, word: str) -> int:
    """Count the index rows of a word, past any filter of the search."""
    ((count,),) = await pipeline.rows(
        f"SELECT count(*) FROM search_index WHERE search_index MATCH '\"{word}\"'"
    )
    return int(count)


def replace(path: Path, data: bytes) -> None:
    """Write a file anew, surely later than before."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_bytes(data)
    if path.stat().st_mtime_ns <= before:
        os.utime(path, ns=(before + 1, before + 1))


async def test_fifty_swaps_of_a_note_leave_no_stale_word(
    cases_dir: Path, pipeline: Pipeline
) -> None:
    versions = [(cases_dir / "S01" / name / "mem.md").read_bytes() for name in ("v1", "v2")]
    words = ("staleword", "freshword")
    path = pipeline.notes / "mem.md"
    seen = set()
    for swap in range(SWAPS):
        replace(path, versions[swap % 2])
        await refresh(pipeline.app.home, pipeline.app.settings, pipeline.app.opened)
        here, gone = words[swap % 2], words[1 - swap % 2]
        assert await indexed(pipeline, here) == 1
        assert await indexed(pipeline, gone) == 0
        assert len(await found(pipeline.app, here)) == 1
        seen.add(await counts(pipeline))

    assert len(seen) == 1
    await check_index(pipeline)


EDITS: Final[dict[str, tuple[str, str]]] = {
    "a section more": ("## a\nx\n", "## a\nx\n## b\nnewword\n"),
    "a section less": ("## a\noldword\n## b\ny\n", "## b\ny newword\n"),
    "sections exchanged": ("## a\noldword\n## b\ny\n", "## b\ny newword\n## a\nx\n"),
    "equal sections": ("## a\nx\n## a\nx\noldword\n", "## a\nx\n## a\nx\n## a\nx\nnewword\n"),
    "a heading": ("## oldword\nx\n", "## newword\nx\n"),
    "a heading above": ("# oldword\n## a\nx\n", "# newword\n## a\nx\n"),
    "nothing left": ("## a\noldword\n", ""),
    "of another encoding": ("## a\noldword\n", "\udcff"),
    "case and width": ("## a\noldword ＡＢ\n", "## a\nab newword\n"),
}


@pytest.mark.parametrize("why", EDITS)
async def test_no_edit_of_a_note_leaves_a_stale_word(why: str, pipeline: Pipeline) -> None:
    before, after = EDITS[why]
    path = pipeline.notes / "mem.md"
    app = pipeline.app
    for text in (before, after, before, after):
        replace(path, text.encode(errors="surrogateescape"))
        await refresh(app.home, app.settings, app.opened)

    assert await indexed(pipeline, "oldword") == 0
    assert bool(await indexed(pipeline, "newword")) == ("newword" in after)
    await check_index(pipeline)


@pytest.mark.parametrize("change", ["removed", "renamed", "moved into a folder", "a folder now"])
async def test_a_note_that_is_gone_is_gone_from_the_index(change: str, pipeline: Pipeline) -> None:
    path = pipeline.notes / "mem.md"
    app = pipeline.app
    replace(path, b"## a\ngoneword\n")
    await refresh(app.home, app.settings, app.opened)
    if change == "removed":
        path.unlink()
    elif change == "renamed":
        path.rename(pipeline.notes / "other.md")
    elif change == "moved into a folder":
        (pipeline.notes / "sub").mkdir()
        path.rename(pipeline.notes / "sub" / "mem.md")
    else:
        path.unlink()
        path.mkdir()
    await refresh(app.home, app.settings, app.opened)

    is_there = change in {"renamed", "moved into a folder"}
    assert await indexed(pipeline, "goneword") == int(is_there)
    await check_index(pipeline)


async def test_a_turn_that_grows_is_found_by_all_of_its_words_at_every_moment(
    tmp_path: Path, pipeline: Pipeline
) -> None:
    """Growing replaces the row's text: its old tokens go, its new ones come, in this order."""
    lines = [user("u1", "問い firstword")]
    path = tmp_path / "t.jsonl"
    for number in range(12):
        lines.append(assistant(f"a{number}", f"答え growing{number}x"))
        write_lines(path, *lines)
        await pipeline.handle(stop(str(path)))
        for word in ("firstword", *(f"growing{known}x" for known in range(number + 1))):
            assert await indexed(pipeline, word) == 1
            assert len(await found(pipeline.app, word)) == 1

    await check_index(pipeline)


STATEMENTS: Final = (
    "UPDATE memories SET content = 'changedword', target = NULL WHERE id = 1",
    "UPDATE memories SET deleted_at = '2026-06-01' WHERE id = 1",
    "UPDATE memories SET deleted_at = NULL WHERE id = 1",
    "UPDATE memories SET target = 'targetword' WHERE id = 1",
    "UPDATE memories SET id = 900 WHERE id = 1",
    "UPDATE memories SET is_pinned = 1",
    "DELETE FROM memories WHERE id = 1",
    "UPDATE OR IGNORE memories SET key = (SELECT max(key) FROM memories), content = 'x'",
    "UPDATE OR REPLACE memories SET key = 'same', content = 'changedword'",
    (
        "INSERT OR REPLACE INTO memories"
        " (id, key, content, source, content_hash, created_at, updated_at)"
        " VALUES (1, 'k', 'changedword', 's', 'h', 't', 't')"
    ),
)


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("is_deleted_first", [False, True])
async def test_no_statement_on_memories_leaves_the_index_behind(
    statement: str, is_deleted_first: bool, pipeline: Pipeline
) -> None:
    """Whatever a later version writes: each record's words are found, no other's."""
    for number in range(3):
        text = f"oldword{number} " + "本文" * 120
        await pipeline.handle(tool_use("Write", {"content": text}, file_path=f"/{number}.md"))
    async with pipeline.app.opened.transaction() as connection:
        if is_deleted_first:
            await connection.execute(STATEMENTS[1])
        await connection.execute(statement)

    await check_index(pipeline)
    live = await pipeline.rows("SELECT content, target FROM memories WHERE deleted_at IS NULL")
    words = {
        word
        for row in live
        for text in row
        for word in str(text).split()
        if word.startswith(("oldword", "changedword", "targetword"))
    }
    for word in ("oldword0", "oldword1", "oldword2", "changedword", "targetword"):
        assert bool(await indexed(pipeline, word)) == (word in words), word


def test_the_index_follows_a_note_through_the_commands(make: Make) -> None:
    """The case as a person meets it: edit, search."""
    ground = make("S01")
    note = ground.notes / "mem.md"
    for name, here, gone in (("v1", "staleword", "freshword"), ("v2", "freshword", "staleword")):
        replace(note, (ground.folder / name / "mem.md").read_bytes())
        assert ground.product.command("reindex").code == 0
        assert ground.product.finds(here)
        assert not ground.product.finds(gone)

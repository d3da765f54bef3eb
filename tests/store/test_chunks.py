from datetime import UTC, datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.store import chunks as chunks_module
from runtime.store import connection
from runtime.store.chunks import (
    INSERT_ROWS,
    Changed,
    Note,
    make_ready,
    put_chunks,
    put_file,
    put_notes,
)
from runtime.store.longterm import content_hash
from runtime.store.note_files import NoteFile, known_files
from runtime.tokens.index import index_tokens
from schemas.search import Chunk
from tests.store.indexes import check_index

AT = datetime(2026, 6, 11, tzinfo=UTC)
FILE = NoteFile("/notes/a.md", "/notes", 1, 2)
OTHER = FILE._replace(path="/notes/b.md")


def chunks(texts, source=FILE.path):
    return [
        Chunk(
            source=source,
            ordinal=number,
            heading="h",
            heading_path="h",
            content=text,
            content_hash=content_hash(text),
            start_line=number + 1,
            end_line=number + 1,
            date=None,
            date_origin=None,
        )
        for number, text in enumerate(texts)
    ]


async def contents(store, source=FILE.path):
    async with store.connection.execute(
        "SELECT content FROM note_chunks WHERE source = ? ORDER BY ordinal", (source,)
    ) as cursor:
        return [row[0] for row in await cursor.fetchall()]


async def parts(store):
    """Count the segments of the index."""
    statement = "SELECT count(DISTINCT segid) FROM search_index_idx"
    async with store.connection.execute(statement) as cursor:
        return (await cursor.fetchone())[0]


async def put(store, texts, source=FILE.path):
    async with store.transaction() as connection:
        return await put_chunks(connection, source, chunks(texts, source))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from("abcあ"), max_size=6), max_size=5))
async def test_whatever_a_file_becomes_its_rows_and_the_index_follow(store, versions):
    for texts in versions:
        await put(store, texts)

        assert await contents(store) == texts
    check_index(store.path)


async def test_many_sections_of_one_transaction_are_one_part_of_the_index(store):
    """A statement a row would have FTS5 write a part each, and join them again and again."""
    async with store.transaction() as connection:
        await put_chunks(connection, FILE.path, chunks(map(str, range(INSERT_ROWS))))
        await put_chunks(connection, OTHER.path, chunks(["one\0two", "three"], OTHER.path))
    added = await parts(store)
    await put(store, [])

    assert added == 2
    assert await parts(store) == 3
    assert await contents(store, OTHER.path) == ["one\0two", "three"]
    check_index(store.path)


async def test_more_sections_than_one_statement_holds_are_all_put_in(store, monkeypatch):
    monkeypatch.setattr(chunks_module, "INSERT_ROWS", 2)

    await put(store, ["one", "two", "three", "four", "five"])

    assert await contents(store) == ["one", "two", "three", "four", "five"]
    check_index(store.path)


async def test_a_section_that_moved_keeps_its_row(store):
    await put(store, ["one", "two"])
    async with store.connection.execute("SELECT content, id FROM note_chunks") as cursor:
        before = {row[0]: row[1] for row in await cursor.fetchall()}

    changed = await put(store, ["new", "two", "one"])

    async with store.connection.execute("SELECT content, id FROM note_chunks") as cursor:
        after = {row[0]: row[1] for row in await cursor.fetchall()}
    assert changed == Changed(added=1, removed=0)
    assert {text: after[text] for text in before} == before


async def test_the_same_text_in_two_files_is_two_sections(store):
    await put(store, ["same"])
    await put(store, ["same"], "/notes/b.md")

    assert await contents(store) == ["same"]
    assert await contents(store, "/notes/b.md") == ["same"]


async def test_files_are_remembered_as_they_were_and_forgotten_with_their_sections(store):
    async with store.transaction() as connection:
        await put_file(connection, FILE, None, AT)
        await put_file(connection, FILE._replace(mtime_ns=9), "not UTF-8", AT)
    await put(store, ["one"])
    known = await store.reader.run(known_files)

    never = FILE._replace(path="/notes/never.md")
    async with store.transaction() as connection:
        gone = [Note(FILE, is_gone=True), Note(never, is_gone=True)]
        changed = await put_notes(connection, gone, AT, 1000)

    assert known == {FILE.path: FILE._replace(mtime_ns=9)}
    assert changed == Changed(added=0, removed=1)
    assert await store.reader.run(known_files) == {}
    assert await contents(store) == []
    check_index(store.path)


async def test_what_is_too_much_at_once_goes_on_with_the_same_call(store):
    await put(store, ["old" + "x" * 97] * 4)
    note = Note(FILE, chunks([f"{number}" + "y" * 99 for number in range(5)]))

    done = []
    while not done or not done[-1].is_whole:
        async with store.transaction() as connection:
            done.append(await put_notes(connection, [note], AT, 250))
        half = await store.reader.run(known_files)
        assert (half[FILE.path] == FILE) == done[-1].is_whole
        check_index(store.path)

    assert [(part.added, part.removed) for part in done] == [(0, 3), (2, 1), (3, 0)]
    assert await contents(store) == [chunk.content for chunk in note.chunks]


async def test_tokens_are_made_once_and_before_the_transaction(store, monkeypatch):
    """Who waits for the writer's lock does not wait for them."""
    made = []

    def counted(text):
        made.append(text)
        return index_tokens(text)

    await put(store, ["stays", "goes"])
    notes = [Note(FILE, chunks(["stays", "new", "a\0b"])), Note(OTHER, chunks(["x"], OTHER.path))]
    monkeypatch.setattr(connection, "index_tokens", counted)
    await make_ready(store.connection, notes, 1000)
    before = sorted(made)
    async with store.transaction() as open_connection:
        await put_notes(open_connection, notes, AT, 1000)

    assert before == sorted(["h\ngoes", "h\nnew", "h\na\0b", "h\nx"])
    assert sorted(made) == before
    check_index(store.path)


async def test_a_file_that_moved_takes_its_sections_along(store):
    await put(store, ["one", "two"])
    moved = Note(OTHER, chunks(["one", "2", "two"], OTHER.path), moved_from=FILE.path)
    async with store.transaction() as connection:
        await put_file(connection, FILE, None, AT)
        changed = await put_notes(connection, [moved], AT, 1000)

    assert changed == Changed(added=1, removed=0)
    assert await contents(store, OTHER.path) == ["one", "2", "two"]
    assert await store.reader.run(known_files) == {OTHER.path: OTHER}
    check_index(store.path)

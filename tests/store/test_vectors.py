"""Vectors in the store: of what is there, as it is there, and of nothing else."""

import pytest

from runtime.store.connection import fetch_all
from runtime.store.permanent_posts import Seen, begin_place, put_posts, remove_posts
from runtime.store.store import Store
from runtime.store.vector_writing import Encoded, drop_vectors, put_vectors
from runtime.store.vectors import (
    Place,
    made,
    missing,
    number_of,
    records,
    texts_of,
    vectors_of,
)
from tests.migrations.make import AT, POST
from tests.store.vectors import CHARS, NAME, VERSION, encode, note, remember

MEMORY_1, MEMORY_2, SECTION_1, SECTION_2 = 4, 8, 5, 9


async def _rows(store: Store) -> list[int]:
    async with store.connection.execute("SELECT row FROM vectors ORDER BY row") as cursor:
        return [row[0] for row in await cursor.fetchall()]


async def test_what_is_kept_is_found_again_by_row_and_encoder(store: Store) -> None:
    await remember(store, "one", "two")
    first = await encode(store, {MEMORY_1: [1, -2], MEMORY_2: [3, 4]})
    second = await encode(store, {MEMORY_1: [5, 6, 7]}, version="2")

    read = store.reader.run
    assert await read(vectors_of, first, [MEMORY_1, MEMORY_2, 400]) == {
        MEMORY_1: b"\x01\xfe",
        MEMORY_2: b"\x03\x04",
    }
    assert await read(vectors_of, second, [MEMORY_1, MEMORY_2]) == {MEMORY_1: b"\x05\x06\x07"}
    assert [each[1:] for each in await read(made)] == [(NAME, "1", 2, 2), (NAME, "2", 3, 1)]
    assert await read(number_of, NAME, "3") is None


@pytest.mark.parametrize(
    ("statement", "left"),
    [
        ("DELETE FROM memories WHERE id = 1", [SECTION_1, MEMORY_2, SECTION_2]),
        ("UPDATE memories SET deleted_at = 'now' WHERE id = 1", [SECTION_1, MEMORY_2, SECTION_2]),
        ("UPDATE memories SET content = 'other' WHERE id = 1", [SECTION_1, MEMORY_2, SECTION_2]),
        ("UPDATE memories SET target = 'x' WHERE id = 1", [SECTION_1, MEMORY_2, SECTION_2]),
        ("UPDATE memories SET is_pinned = 1", [MEMORY_1, SECTION_1, MEMORY_2, SECTION_2]),
        ("DELETE FROM note_chunks WHERE id = 2", [MEMORY_1, SECTION_1, MEMORY_2]),
        ("UPDATE note_chunks SET heading_path = 'x'", [MEMORY_1, MEMORY_2]),
        ("UPDATE note_chunks SET start_line = 9", [MEMORY_1, SECTION_1, MEMORY_2, SECTION_2]),
        ("REPLACE INTO memories SELECT * FROM memories WHERE id = 2", [MEMORY_1, 5, 9]),
    ],
)
async def test_a_vector_goes_with_the_text_that_it_was_made_of(
    store: Store, statement: str, left: list[int]
) -> None:
    await remember(store, "one", "two")
    await note(store, "a.md", "three", "four")
    await encode(store, {row: [1, 2] for row in (MEMORY_1, MEMORY_2, SECTION_1, SECTION_2)})

    async with store.transaction() as connection:
        await connection.execute(statement)

    assert await _rows(store) == left


async def test_a_text_that_changed_while_it_was_encoded_gets_no_vector(store: Store) -> None:
    await remember(store, "one", "two")
    texts = await store.reader.run(texts_of, [MEMORY_1, MEMORY_2], CHARS)
    encoded = {row: Encoded(b"\x01", text.hash) for row, text in texts.items()}
    async with store.transaction() as connection:
        await connection.execute("UPDATE memories SET content = 'other' WHERE id = 1")

    async with store.transaction() as connection:
        kept = await put_vectors(connection, NAME, VERSION, encoded, CHARS)

    assert kept == 1
    assert await _rows(store) == [MEMORY_2]


async def test_only_the_beginning_of_a_text_is_encoded_and_only_it_counts(store: Store) -> None:
    await remember(store, "x" * CHARS + "end")

    texts = await store.reader.run(texts_of, [MEMORY_1], CHARS)

    assert texts[MEMORY_1].text == "x" * CHARS


@pytest.mark.parametrize("limit", [1, 2, 100])
@pytest.mark.parametrize("span", [1, 3, 100])
async def test_what_is_missing_is_found_newest_first_whatever_the_steps(
    store: Store, limit: int, span: int
) -> None:
    await remember(store, *(f"memory {number}" for number in range(7)))
    await note(store, "a.md", "one", "two", "three")
    number = await encode(store, {8: [1], 9: [1]})
    async with store.transaction() as connection:
        await connection.execute("UPDATE memories SET deleted_at = 'now' WHERE id = 5")

    found: list[int] = []
    place: Place | None = Place()
    while place is not None:
        rows, place = await store.reader.run(missing, number, place, limit, span)
        assert len(rows) <= limit
        found += rows

    assert found == [28, 24, 16, 12, 4, 13, 5]
    assert await store.reader.run(records) == 9


async def test_nothing_is_missing_in_an_empty_store(store: Store) -> None:
    assert await store.reader.run(missing, -1, Place(), 5, 5) == ([], Place(1))
    assert await store.reader.run(missing, -1, Place(1), 5, 5) == ([], Place(2))
    assert await store.reader.run(missing, -1, Place(2), 5, 5) == ([], None)


async def test_permanent_memories_are_encoded_however_far_their_numbers_lie_apart(
    store: Store,
) -> None:
    posts = [POST.model_copy(update={"number": number}) for number in (1, 2**31 - 1)]
    async with store.transaction() as connection:
        await begin_place(connection, "/p", "永続", is_copy=False)
        await put_posts(connection, [Seen(post, "/p/a.md") for post in posts], AT)
    rows, place = await store.reader.run(missing, -1, Place(2), 5, 100)
    more, place = await store.reader.run(missing, -1, place, 5, 100)

    assert (rows, more) == ([(2**31 - 1) * 4 + 2], [6])
    assert await store.reader.run(missing, -1, place, 5, 100) == ([], None)
    texts = await store.reader.run(texts_of, [6], 100)
    assert texts[6].text == f"{POST.title}\n{POST.body_md}"
    async with store.transaction() as connection:
        await put_vectors(connection, "m", "1", {6: Encoded(b"abcd", texts[6].hash)}, 100)
        await remove_posts(connection, [1])
    assert await fetch_all(store.connection, "SELECT row FROM vectors") == []


async def test_an_encoder_is_dropped_in_parts_and_forgotten_with_the_last(store: Store) -> None:
    await remember(store, "one", "two", "three")
    number = await encode(store, {4: [1], 8: [1], 12: [1]})
    other = await encode(store, {4: [1]}, name="other")

    dropped = []
    while not dropped or dropped[-1] == 2:
        async with store.transaction() as connection:
            dropped.append(await drop_vectors(connection, number, 2))

    assert dropped == [2, 1]
    assert [each.id for each in await store.reader.run(made)] == [other]
    assert await _rows(store) == [4]

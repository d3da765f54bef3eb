"""What has no vector gets one: newest first, resumed where it ended, never twice."""

from collections import deque

from runtime.embeddings.filling import Filling
from runtime.store.store import Store
from runtime.store.vectors import made, vectors_of
from tests.embeddings.conftest import WordEncoder
from tests.store.vectors import note, remember


async def _fill(store: Store, encoder: WordEncoder, limit: int = 2) -> int:
    filling, stored, is_over = Filling(store, encoder), 0, False
    while not is_over:
        step = await filling.step(limit)
        stored, is_over = stored + step.stored, step.is_over
    assert await filling.finish() == ""
    return stored


async def test_memories_come_first_and_the_newest_of_them(
    store: Store, encoder: WordEncoder
) -> None:
    await remember(store, "login", "cache", "deploy")
    await note(store, "a.md", "redis", "ship")

    assert await _fill(store, encoder) == 5

    assert encoder.encoded == ["deploy", "cache", "login", "ship", "redis"]
    found = await store.reader.run(vectors_of, 1, [4, 8, 5])
    assert found == {4: b"\x7f\0\0", 8: b"\0\x7f\0", 5: b"\0\x7f\0"}
    assert [each[1:] for each in await store.reader.run(made)] == [("words", "1", 3, 5)]


async def test_what_is_there_is_left_alone_and_what_changed_is_encoded_again(
    store: Store, encoder: WordEncoder
) -> None:
    await remember(store, "login", "cache")
    await _fill(store, encoder)
    async with store.transaction() as connection:
        await connection.execute("UPDATE memories SET content = 'ship' WHERE id = 1")
    await remember(store, "redis")
    encoder.encoded.clear()

    assert await _fill(store, encoder) == 2
    assert await _fill(store, encoder) == 0

    assert encoder.encoded == ["redis", "ship"]


async def test_one_that_is_stopped_keeps_what_it_has_and_the_next_goes_on(
    store: Store, encoder: WordEncoder
) -> None:
    await remember(store, "login", "cache", "deploy")
    answers = deque([True, False])

    step = await Filling(store, encoder).step(3, answers.popleft)

    assert (step.stored, step.is_over) == (1, False)
    assert encoder.encoded == ["deploy"]
    assert await _fill(store, encoder) == 2
    assert encoder.encoded == ["deploy", "cache", "login"]


async def test_one_that_is_stopped_at_once_stores_nothing(
    store: Store, encoder: WordEncoder
) -> None:
    await remember(store, "login")

    step = await Filling(store, encoder).step(3, lambda: False)

    assert (step.stored, step.is_over) == (0, False)
    assert await store.reader.run(made) == []


async def test_an_empty_store_is_done_at_once(store: Store, encoder: WordEncoder) -> None:
    assert await _fill(store, encoder) == 0
    assert encoder.encoded == []


async def test_more_records_than_are_looked_at_in_one_go_are_all_found(
    store: Store, encoder: WordEncoder, monkeypatch
) -> None:
    monkeypatch.setattr("runtime.embeddings.filling.SPAN", 2)
    await remember(store, *(f"login {number}" for number in range(9)))

    assert await _fill(store, encoder, 100) == 9

import hashlib
from datetime import UTC, datetime

import pytest

from runtime.frame import framed, own
from runtime.store.longterm import Origin, by_skill, content_hash, keep, living, mark, to_memory
from schemas.records import NewMemory

AT = datetime(2026, 6, 11, 9, 30, tzinfo=UTC)
LATER = datetime(2026, 6, 12, 9, 30, tzinfo=UTC)
ORIGIN = Origin("shop", "key-of-shop", "00000000000000000017-5", "machine")
SECRET = "sk-ant-" + "a1" * 20


def memory(content="あ", key="k", **values) -> NewMemory:
    return NewMemory.model_validate(
        {"key": key, "content": content, "source": "session", "created_at": AT, **values}
    )


async def rows(store):
    async with store.connection.execute("SELECT * FROM memories ORDER BY id") as cursor:
        return [to_memory(row) for row in await cursor.fetchall()]


async def put(store, new, origin=ORIGIN, now=AT):
    async with store.transaction() as connection:
        return await keep(connection, new, origin, now)


async def test_a_memory_reads_back_as_it_was_kept(store):
    new = memory(
        tags=("a", "あ"),
        skills=("p:s",),
        tool="Write",
        target="/x",
        session_id="s",
        message_id="m",
    )

    status = await put(store, new)

    (row,) = await rows(store)
    assert status == "stored"
    assert row.model_dump(exclude={"id"}) == {
        "content": "あ",
        "source": "session",
        "project": "shop",
        "project_key": "key-of-shop",
        "tags": ("a", "あ"),
        "skills": ("p:s",),
        "tool": "Write",
        "target": "/x",
        "session_id": "s",
        "event_id": "00000000000000000017-5",
        "message_id": "m",
        "host": "machine",
        "is_global": False,
        "is_pinned": False,
        "content_hash": hashlib.sha256("あ".encode()).hexdigest(),
        "summary": "あ",
        "created_at": "2026-06-11T09:30:00.000Z",
        "updated_at": "2026-06-11T09:30:00.000Z",
        "deleted_at": None,
    }


@pytest.mark.parametrize(
    ("second", "status", "content", "why"),
    [
        (memory("one two"), "known", "one", "the same key"),
        (memory("one two", may_grow=True), "updated", "one two", "a turn that has grown"),
        (memory("on", may_grow=True), "known", "one", "an earlier state of it"),
        (memory("one", may_grow=True), "known", "one", "no change"),
        (memory("two", key="k2"), "stored", "one", "another key"),
    ],
)
async def test_what_a_second_memory_does(store, second, status, content, why):
    await put(store, memory("one"))

    assert await put(store, second, now=LATER) == status, why
    kept = [row.content for row in await rows(store) if row.summary == content]
    assert kept == [content]


async def test_a_grown_turn_keeps_its_id_its_beginning_and_its_marks(store):
    await put(store, memory("one"))
    async with store.transaction() as connection:
        await mark(connection, [1], is_global=True, is_pinned=True)

    await put(store, memory("one two", may_grow=True, created_at=LATER), now=LATER)

    (row,) = await rows(store)
    assert (row.id, row.created_at[:10], row.updated_at[:10]) == (1, "2026-06-11", "2026-06-12")
    assert (row.is_global, row.is_pinned) == (True, True)
    assert row.content_hash == content_hash("one two")


async def test_a_deleted_memory_stays_deleted(store):
    await put(store, memory("one"))
    await store.connection.execute("UPDATE memories SET deleted_at = '2026-06-12'")

    assert await put(store, memory("one two", may_grow=True)) == "known"
    assert [row.content for row in await rows(store)] == ["one"]


async def test_a_lesser_record_goes_when_its_better_is_kept(store):
    await put(store, memory("partial", key="message:1"))

    await put(store, memory("whole", key="turn:1", replaces=("message:1", "message:2")))

    assert [row.content for row in await living(store.connection)] == ["whole"]


@pytest.mark.parametrize(
    "content", ["", " \n", "<private>all of it</private>", framed(own(["what we said"]))]
)
async def test_nothing_left_is_nothing_kept(store, content):
    assert await put(store, memory(content)) is None
    assert await rows(store) == []


async def test_secrets_and_our_own_words_are_not_kept(store):
    text = f"before {framed(own(['ours']))}after {SECRET}"

    await put(store, memory(text, target=f"/x?{SECRET}", tags=(SECRET,), skills=(SECRET,)))

    (row,) = await rows(store)
    assert row.content.startswith("before after ")
    assert "a1a1" not in row.model_dump_json()


async def test_what_drives_a_terminal_is_not_kept(store):
    """A colour code glued to a word would hide the word from every search."""
    await put(store, memory("\x1b[31merror\x1b[0m: no\u200bthing\r\n"))

    (row,) = await rows(store)
    assert row.content == "error: nothing\n"


@pytest.mark.parametrize(
    ("name", "expected", "why"),
    [
        ("deploy", ["c", "b", "a"], "with or without its plugin"),
        ("ops:deploy", ["c", "b", "a"], "of whatever plugin"),
        ("depl", [], "a part of a name is another name"),
        ("Deploy", [], "another name"),
        ("", [], "no name"),
    ],
)
async def test_runs_of_a_skill_are_found_newest_first(store, name, expected, why):
    for day, key in enumerate(("a", "b", "c"), start=1):
        at = datetime(2026, 6, day, tzinfo=UTC)
        skill = "ops:deploy" if key == "b" else "deploy"
        await put(store, memory(key, key=key, created_at=at, skills=("other", skill)))
    await put(store, memory("none", key="d"))

    found = await store.reader.run(by_skill, name, "key-of-shop", 5)

    assert [item.content for item in found] == expected, why


async def test_another_project_s_runs_are_found_when_they_are_global_only(store):
    await put(store, memory("a", key="a", skills=("deploy",)))
    await put(store, memory("b", key="b", skills=("deploy",)))
    async with store.transaction() as connection:
        await mark(connection, [2], is_global=True, is_pinned=None)

    found = await store.reader.run(by_skill, "deploy", "key-of-another", 5)

    assert [item.content for item in found] == ["b"]


async def test_marks_are_set_and_cleared_one_by_one(store):
    await put(store, memory())
    async with store.transaction() as connection:
        first = await mark(connection, [1, 99], is_global=True, is_pinned=True)
        second = await mark(connection, [1], is_global=None, is_pinned=False)

    (row,) = await rows(store)
    assert (first, second) == ([1], [1])
    assert (row.is_global, row.is_pinned) == (True, False)


async def test_a_deleted_memory_cannot_be_marked(store):
    await put(store, memory())
    await store.connection.execute("UPDATE memories SET deleted_at = '2026-06-12'")

    async with store.transaction() as connection:
        assert await mark(connection, [1], is_global=True, is_pinned=None) == []


async def test_the_living_are_those_not_deleted_oldest_first(store):
    for key, at in (("new", LATER), ("old", AT), ("gone", AT)):
        await put(store, memory(key, key, created_at=at))
    async with store.transaction() as connection:
        await connection.execute("UPDATE memories SET deleted_at = 'now' WHERE key = 'gone'")

    found = await living(store.connection)

    assert [item.content for item in found] == ["old", "new"]

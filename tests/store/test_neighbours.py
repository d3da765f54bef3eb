"""A turn is also indexed by the end of the turns before it, whatever happens to them."""

import sqlite3
import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.longterm.turns import Turn, to_memory
from runtime.store.neighbours import END_CHARS, end_of, said_before
from runtime.store.store import Store, open_store
from tests.migrations.make import AT
from tests.store.indexes import check_index

INSERT = """
INSERT INTO memories (
    id, content, source, session_id, created_at, deleted_at, content_hash, key, updated_at
) VALUES (:id, :content, :source, :session, :at, :deleted, '', :id, '')
"""


@pytest.mark.parametrize(
    ("content", "end"),
    [
        ("[user] はい", "[user] はい"),
        ("x" * 10 + " " + "y" * END_CHARS, "y" * END_CHARS),
        ("begun " + "word " * 100, ("word " * 100)[-END_CHARS:].strip()),
        ("abcdef" + "e" * (END_CHARS - 3) + " on", "on"),
        ("a" * 1000, "a" * END_CHARS),
        ("決" * 1000, "決" * END_CHARS),
        ("", ""),
    ],
)
def test_the_end_of_a_turn_begins_with_a_whole_word(content: str, end: str) -> None:
    assert end_of(content, END_CHARS) == end


@pytest.mark.parametrize(
    ("earlier", "last", "said"),
    [
        (None, None, None),
        (None, "b", "b"),
        ("a", "b", "a\nb"),
        ("a" * 500, "b" * 500, "b" * END_CHARS),
        ("a " * 500, "b" * 300, ("a " * 500)[-END_CHARS + 301 :].strip() + "\n" + "b" * 300),
    ],
)
def test_the_last_turn_has_room_first(
    earlier: str | None, last: str | None, said: str | None
) -> None:
    assert said_before(earlier, last) == said


def test_the_names_of_a_turn_s_tools_are_not_its_end() -> None:
    turn = Turn(0, "turn:u", None, "go on", texts=["It is done."], tools=["Edit a.py", "Bash"])
    content = to_memory(turn, "s", 1000, AT).content

    assert "Edit a.py" in content
    assert end_of(content, END_CHARS) == "[user] go on\n\n[assistant] It is done."


async def add(store: Store, number: int, content: str, **fields: str | None) -> None:
    """Insert a row as any program of ours might."""
    row = {"source": "session", "session": "s", "at": f"2026-06-{number:02}", "deleted": None}
    async with store.transaction() as connection:
        await connection.execute(INSERT, {"id": number, "content": content, **row, **fields})


async def do(store: Store, *statements: str) -> None:
    async with store.transaction() as connection:
        for statement in statements:
            await connection.execute(statement)


async def before(store: Store) -> dict[int, str | None]:
    rows = await store.connection.execute_fetchall("SELECT id, before FROM memories ORDER BY id")
    return {row[0]: row[1] for row in rows}


async def test_a_turn_knows_the_living_ones_before_it_in_its_session(store: Store) -> None:
    await add(store, 1, "one")
    await add(store, 2, "elsewhere", session="other")
    await add(store, 3, "a tool", source="tool:Write")
    await add(store, 4, "gone", deleted="2026-07-01")
    await add(store, 5, "of no session", session=None)
    await add(store, 6, "two")

    assert await before(store) == {1: None, 2: None, 3: None, 4: None, 5: None, 6: "one"}
    check_index(store.path)


PUT = """
{} INTO memories (
    id, content, source, session_id, created_at, content_hash, key, updated_at
) VALUES ({}, '{}', 'session', 's', '{}', '', hex(randomblob(8)), '')
"""
CHANGES = {
    "it grows": ("UPDATE memories SET content = 'grown' WHERE id = 2", {2: "one", 3: "one\ngrown"}),
    "it is deleted": ("UPDATE memories SET deleted_at = 'now' WHERE id = 2", {2: None, 3: "one"}),
    "it goes for good": ("DELETE FROM memories WHERE id = 2", {3: "one"}),
    "it moves to another session": (
        "UPDATE memories SET session_id = 'other' WHERE id = 2", {2: None, 3: "one"},
    ),
    "it turns out to be later": (
        "UPDATE memories SET created_at = '2026-07' WHERE id = 2", {2: "one\nthree", 3: "one"},
    ),
    "it is replaced": (
        PUT.format("INSERT OR REPLACE", 2, "other", "2026-06-02"),
        {2: "one", 3: "one\nother"},
    ),
    "one comes between": (
        PUT.format("INSERT", 4, "between", "2026-06-02T12"),
        {2: "one", 3: "two\nbetween", 4: "one\ntwo"},
    ),
    "only its marks change": ("UPDATE memories SET is_pinned = 1", {2: "one", 3: "one\ntwo"}),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
async def test_the_next_turns_hear_of_every_change(store: Store, change: str) -> None:
    for number, content in enumerate(("one", "two", "three"), 1):
        await add(store, number, content)
    statement, after = CHANGES[change]

    await do(store, statement)

    assert await before(store) == {1: None, **after}
    check_index(store.path)


async def test_a_memory_that_comes_back_is_as_it_was(store: Store) -> None:
    for number, content in enumerate(("one", "two", "three"), 1):
        await add(store, number, content)

    await do(store, "UPDATE memories SET deleted_at = 'now'")
    check_index(store.path)
    assert set((await before(store)).values()) == {None}
    await do(store, "UPDATE memories SET deleted_at = NULL")

    assert await before(store) == {1: None, 2: "one", 3: "one\ntwo"}
    check_index(store.path)


MANY = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})
INSERT INTO memories (content, source, session_id, created_at, content_hash, key, updated_at)
SELECT 'turn', '{source}', 's', '2026-06-02', '', '{source}' || n, '' FROM numbers
"""


async def steps_of(store: Store, statement: str) -> int:
    """Return how many instructions SQLite executes for a statement."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    async with store.transaction() as connection:
        await connection.set_progress_handler(count, 1)
        await connection.execute(statement)
        await connection.set_progress_handler(None, 1)
    return steps


@pytest.mark.parametrize("source", ["session", "tool:Write"])
@pytest.mark.parametrize(
    "statement",
    [
        PUT.format("INSERT", 1_000_000, "last", "2026-06-02"),
        PUT.format("INSERT", -1, "first", "2026-06-02"),
        PUT.format("INSERT", 1_000_000, "later", "2026-06-03"),
        PUT.format("INSERT", 1_000_000, "earlier", "2026-06-01"),
        "UPDATE memories SET content = 'grown' WHERE id = 10",
        "UPDATE memories SET deleted_at = '2026-07' WHERE id = 10",
        "DELETE FROM memories WHERE id = 10",
    ],
)
async def test_a_turn_of_a_long_session_takes_as_long_as_one_of_a_short_one(
    tmp_path: Path, source: str, statement: str
) -> None:
    """All of one moment, as in a dump without times; or with much else between the turns."""
    steps = []
    for count in (50, 2000):
        async with open_store(str(tmp_path / f"{count}.db"), 5) as store:
            await do(store, MANY.format(count=count, source=source))
            steps.append(await steps_of(store, statement))

    short, long = steps
    assert long < 2 * short


async def test_turns_of_one_moment_are_in_the_order_in_which_they_were_stored(
    store: Store,
) -> None:
    for number in (1, 2, 4, 3):
        await add(store, number, str(number), at="2026-06-01")

    assert await before(store) == {1: None, 2: "1", 3: "1\n2", 4: "2\n3"}
    check_index(store.path)


OPERATIONS = st.one_of(
    st.tuples(
        st.just("add"), st.integers(1, 9), st.sampled_from(("session", "tool:Edit")),
        st.sampled_from(("a", "b", None)), st.integers(1, 4), st.sampled_from((None, "gone")),
    ),
    st.tuples(
        st.sampled_from(("content", "target", "session_id", "created_at", "deleted_at", "source")),
        st.integers(1, 9), st.sampled_from(("a", "session", "三 four", "[user] x", None)),
    ),
    st.tuples(st.just("remove"), st.integers(1, 9)),
    st.tuples(st.just("VACUUM")),
)  # fmt: skip
CLEAR = ("content", "created_at", "source")
"""Columns that hold something."""


@given(st.lists(OPERATIONS, max_size=25))
@settings(max_examples=60)
def test_whatever_is_done_in_whatever_order_the_index_says_what_the_rows_say(operations) -> None:
    async def play(path: str) -> None:
        async with open_store(path, 5) as store:
            for number, (what, *values) in enumerate(operations):
                await _apply(store, number, what, values)

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "memory.db")
        anyio.run(play, path)
        check_index(path)


async def _apply(store: Store, number: int, what: str, values: list) -> None:
    if what == "VACUUM":
        await store.connection.execute("VACUUM")
        return
    async with store.transaction() as connection:
        if what == "remove":
            await connection.execute("DELETE FROM memories WHERE id = ?", values)
        elif what == "add":
            row = dict(zip(("id", "source", "session", "at", "deleted"), values, strict=True))
            row |= {"content": f"turn {number} 番"}
            await connection.execute(INSERT.replace("INSERT", "INSERT OR REPLACE"), row)
        elif not (values[1] is None and what in CLEAR):
            await connection.execute(
                f"UPDATE memories SET {what} = ? WHERE id = ?", (values[1], values[0])
            )


def test_another_program_is_refused_when_it_writes(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")

    async def make() -> None:
        async with open_store(path, 5) as store:
            await add(store, 1, "one")

    anyio.run(make)
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.OperationalError, match="no such function"):
        connection.execute("UPDATE memories SET content = 'two'")
    connection.close()
    check_index(path)

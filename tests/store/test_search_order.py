"""What comes first, and what is shown as one."""

import pytest

from runtime.store.longterm import mark
from runtime.store.search_order import GAIN, HALF_LIFE_DAYS
from tests.store.kept import hits, note, remember, texts

OLDEN = "2020-01-01T03:00:00"
TODAY = "2026-06-30T03:00:00"


async def test_of_equals_the_newer_one_comes_first(store):
    for day in ("2026-04-01", "2026-06-29", "2020-01-01", "2026-06-01"):
        await remember(store, f"retry {day[5:7]} {day[8:]}", at=f"{day}T03:00:00")

    assert await texts(store, "retry") == [
        "retry 06 29",
        "retry 06 01",
        "retry 04 01",
        "retry 01 01",
    ]


async def test_recency_gains_a_tenth_at_most_and_half_of_it_after_a_month(store):
    for number in range(30):  # so that the word is a rare one, and its scores not all but nothing
        await remember(store, f"another {number}")
    for at in (TODAY, "2026-05-31T03:00:00", OLDEN):
        await remember(store, f"retry {at[:4]}{at[5:7]}", at=at)

    new, month, old = [hit.score for hit in await hits(store, "retry")]

    assert new / old == pytest.approx(1 + GAIN, abs=1e-3)
    assert month / old == pytest.approx(1 + GAIN / 2, abs=1e-3)
    assert HALF_LIFE_DAYS == 30


async def test_the_time_of_a_file_counts_for_nothing(store):
    await note(store, "/a.md", {"2020-01-01": "retry of old"})
    await store.connection.execute(
        "UPDATE note_chunks SET date = '2026-06-30', date_origin = 'file time'"
    )
    await note(store, "/b.md", {"2026-06-01": "retry of new"})

    assert await texts(store, "retry") == ["retry of new", "retry of old"]


async def test_a_recent_one_does_not_pass_a_pinned_one(store):
    await remember(store, "retry pinned", at=OLDEN)
    await remember(store, "retry recent", at=TODAY)
    before = await texts(store, "retry")
    async with store.transaction() as connection:
        await mark(connection, [1], is_global=None, is_pinned=True)

    after = await hits(store, "retry")

    assert before == ["retry recent", "retry pinned"]
    assert after[0].score == after[1].score
    assert [hit.is_pinned for hit in after] == [True, False]


async def test_what_holds_the_question_as_it_stands_comes_before_all_others(store):
    exact = "the retry policy " + "and much else besides " * 40 + "."
    await remember(store, exact, at=OLDEN)
    for number in range(5):
        await remember(store, f"policy retry {number}", at=TODAY)

    found = await hits(store, "retry policy")

    assert found[0].content == exact
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


async def test_ten_edits_of_one_file_are_shown_as_one(store):
    for number in range(10):
        await remember(store, f"retry edit {number}", tool="Edit", target="/app.py")
    await remember(store, "retry elsewhere", tool="Edit", target="/other.py")

    shown = await hits(store, "retry", 5)
    every = await hits(store, "retry", 20, is_all=True)

    assert sorted((hit.target, hit.more) for hit in shown) == [("/app.py", 9), ("/other.py", 0)]
    assert [hit.more for hit in every] == [0] * 11


async def test_turns_of_a_conversation_and_sections_of_a_note_are_each_their_own(store):
    for number in range(3):
        await remember(store, f"retry turn {number}")
    await note(store, "/a.md", {f"2026-06-0{day}": f"retry section {day}" for day in range(1, 4)})

    assert len(await texts(store, "retry")) == 6


async def test_the_same_text_is_shown_once_wherever_it_stands(store):
    await note(store, "/a.md", {"2026-06-01 a": "retry as agreed"})
    await note(store, "/b.md", {"2026-06-02 b": "retry as agreed"})

    (hit,) = await hits(store, "retry")

    assert (hit.source, hit.more) == ("/b.md", 1)


async def test_a_write_of_a_note_is_shown_as_the_note(store):
    await note(store, "/n/a.md", {"2026-06-01 retry": "retry"})
    await remember(store, "wrote at length about a retry", tool="Write", target="/n/a.md")

    (hit,) = await hits(store, "retry")

    assert (hit.kind, hit.more) == ("note", 1)


async def test_a_limit_is_of_what_is_shown(store):
    for number in range(30):
        await remember(store, f"retry {number}", tool="Edit", target=f"/{number % 3}.py")

    assert [hit.more for hit in await hits(store, "retry", 2)] == [9, 9]
    assert await hits(store, "retry", 0) == []

"""A turn is found by what was said before it, and shown with it."""

import pytest

from runtime.store.search import Scope, by_skill_words, search_name
from runtime.store.store import Store
from tests.store.kept import hits, note, remember, texts

QUESTION = "[user] Which library shall we take for retries?"
ANSWER = "[assistant] The second one, as agreed in May."


async def talk(store: Store, *turns: str, session: str = "s") -> None:
    for number, text in enumerate(turns, 1):
        await remember(
            store, text, project="p", session_id=session, at=f"2026-06-01T03:0{number}:00"
        )


async def test_an_answer_is_found_by_the_words_of_the_question(store: Store) -> None:
    await talk(store, QUESTION, ANSWER)

    found = await hits(store, "library for retries")

    assert [hit.content for hit in found] == [QUESTION, ANSWER]
    assert found[0].snippet == QUESTION
    assert found[1].snippet == f"[before: {QUESTION}] {ANSWER}"


async def test_what_says_the_words_itself_comes_first(store: Store) -> None:
    await talk(store, QUESTION, ANSWER, "nothing of the kind", "library and retries")

    found = await texts(store, "library retries")

    assert set(found[:2]) == {QUESTION, "library and retries"}
    assert found[2:] == [ANSWER, "nothing of the kind"]


async def test_a_hit_by_its_own_words_is_shown_by_them(store: Store) -> None:
    await talk(store, "the library", "retries of the library, see コンポーネント")

    assert (await hits(store, "library"))[1].snippet == "retries of the library, see コンポーネント"
    assert "[before:" not in (await hits(store, "component"))[0].snippet


async def test_other_sessions_and_records_have_nothing_before_them(store: Store) -> None:
    await talk(store, QUESTION)
    await talk(store, ANSWER, session="other")
    await remember(store, "written by a tool", session_id="s", tool="Write")
    await note(store, "/n/a.md", {"h": "a note"})

    assert await texts(store, "library") == [QUESTION]


@pytest.mark.parametrize("query", ['"library"', "nothing -library", 'agreed "retries"'])
async def test_what_must_or_must_not_occur_is_asked_of_the_turn_itself(
    store: Store, query: str
) -> None:
    await talk(store, QUESTION, ANSWER + " nothing")

    assert await texts(store, query) == [ANSWER + " nothing" if "-" in query else QUESTION]


async def test_a_skill_is_told_of_turns_that_name_it_themselves(store: Store) -> None:
    await talk(store, QUESTION, ANSWER)

    named = await search_name(store.reader, "library", 5, scope=Scope())
    related = await store.reader.run(_related, "library", "which retries")

    assert [hit.content for hit in named] == [hit.content for hit in related] == [QUESTION]


def _related(connection, skill, arguments):
    return by_skill_words(connection, skill, arguments, 5, project_key="p")


async def test_a_turn_that_is_deleted_says_nothing_about_the_next(store: Store) -> None:
    await talk(store, QUESTION, ANSWER)
    async with store.transaction() as connection:
        await connection.execute("UPDATE memories SET deleted_at = 'now' WHERE id = 1")

    assert await texts(store, "library") == []

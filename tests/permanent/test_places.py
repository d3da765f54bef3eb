"""One suite over every backend: what a permanent memory can rely on."""

import time
from datetime import datetime, timedelta, timezone

import pytest

from runtime.permanent.errors import (
    ConflictError,
    EmptyTextError,
    NoPostError,
    NotPermanentError,
    TitleRefusedError,
    UnknownRevisionError,
)
from schemas.permanent import Change, Draft
from tests.permanent.conftest import TAG, Place

TITLE = "[auth][token] how sessions expire"
BODY = "# Sessions\n\nThey expire after 30 minutes.\n\nRefresh tokens live a day.\n"


async def test_what_was_created_is_found_shown_and_has_revision_1(place: Place) -> None:
    created = await place.permanent.create(TITLE, BODY, ("auth", TAG))

    assert created.status == "created"
    assert created.post.tags == (TAG, "auth")
    assert created.post.revision == 1
    assert not created.post.wip
    assert created.post.category is None
    found = await place.permanent.search("sessions", 1, 20)
    assert [post.number for post in found.page.posts] == [created.post.number]
    shown = await place.permanent.show(created.post.number)
    assert (shown.title, shown.body_md) == (TITLE, BODY)


async def test_the_same_one_created_twice_is_one(place: Place) -> None:
    first = await place.permanent.create(TITLE, BODY)
    second = await place.permanent.create(TITLE, BODY)

    assert second.status == "known"
    assert second.post.number == first.post.number
    assert (await place.permanent.search("", 1, 20)).page.total == 1


@pytest.mark.parametrize("body", ["a\r\r\nb\r\n", "a\rb", "\r\r\n\ra", "a\n\r\nb\r\r"])
async def test_line_ends_of_any_kind_make_no_second_one(place: Place, body: str) -> None:
    first = await place.permanent.create(TITLE, body)
    again = await place.permanent.create(TITLE, body)
    updated = await place.permanent.update(first.post.number, TITLE, body, 1)

    assert (again.status, again.post.number) == ("known", first.post.number)
    assert updated.post.revision == 1
    assert "\r" not in (await place.permanent.show(first.post.number)).body_md


async def test_a_conflict_tells_the_time_of_the_person_s_clock(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post
    await place.person.edit(post.number, "theirs\n")
    saved_at = (await place.permanent.history(post.number))[0].saved_at
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()

    with pytest.raises(ConflictError) as caught:
        await place.permanent.update(post.number, TITLE, "mine", 1)

    monkeypatch.undo()
    time.tzset()
    there = datetime.fromisoformat(saved_at).astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert f"at {there:%Y-%m-%d %H:%M:%S};" in str(caught.value)


async def test_a_slash_in_a_title_makes_no_category(place: Place) -> None:
    created = await place.permanent.create("[ci] a/b testing", "text")

    assert created.post.category is None
    assert (await place.permanent.show(created.post.number)).title == "[ci] a/b testing"
    updated = await place.permanent.update(created.post.number, "[ci] c/d", "text", 1)
    assert (updated.post.title, updated.post.category) == ("[ci] c/d", None)


async def test_an_edit_by_a_person_is_never_overwritten(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post
    edited = BODY.replace("30 minutes", "45 minutes")
    await place.person.edit(post.number, edited)

    with pytest.raises(
        ConflictError, match="you have revision 1 of memory 1, it is at 2"
    ) as caught:
        await place.permanent.update(
            post.number, TITLE, BODY.replace("a day", "two days"), post.revision
        )

    told = caught.value.difference
    assert told.theirs.body_md == edited
    assert "two days" in told.yours.body_md
    assert "-They expire after 45 minutes." in told.diff
    assert (await place.permanent.show(post.number)).body_md == edited


async def test_a_merge_keeps_both_edits(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post
    await place.person.edit(post.number, BODY.replace("30 minutes", "45 minutes"))

    updated = await place.permanent.update(
        post.number, TITLE, BODY.replace("a day", "two days"), 1, merging=True
    )

    assert updated.merged
    assert updated.post.revision == 3
    text = (await place.permanent.show(post.number)).body_md
    assert "45 minutes" in text
    assert "two days" in text
    history = await place.permanent.history(post.number)
    assert [revision.number for revision in history] == [3, 2, 1]
    assert history[-1].body_md == BODY


async def test_a_merge_of_clashing_edits_is_refused_with_both(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post
    await place.person.edit(post.number, BODY.replace("30 minutes", "45 minutes"))

    with pytest.raises(ConflictError) as caught:
        await place.permanent.update(
            post.number, TITLE, BODY.replace("30 minutes", "60 minutes"), 1, merging=True
        )

    merged = caught.value.difference.merged or ""
    assert "45 minutes" in merged
    assert "60 minutes" in merged
    assert "45 minutes" in (await place.permanent.show(post.number)).body_md


async def test_a_revision_that_nobody_can_have_read_is_refused(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post

    with pytest.raises(UnknownRevisionError, match="no revision 7, it is at 1"):
        await place.permanent.update(post.number, TITLE, "other", 7)

    assert (await place.permanent.show(post.number)).body_md == BODY


async def test_an_update_leaves_tags_category_and_draft_state(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY, ("auth",))).post
    before = await place.permanent.show(post.number)

    after = (await place.permanent.update(post.number, TITLE, "new text", 1)).post

    same = ("number", "tags", "category", "wip", "created_at")
    assert [getattr(after, name) for name in same] == [getattr(before, name) for name in same]
    assert after.revision == 2


async def test_an_update_with_the_same_text_makes_no_revision(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post

    assert (await place.permanent.update(post.number, TITLE, BODY, 1)).post.revision == 1
    assert len(await place.permanent.history(post.number)) == 1


async def test_the_same_update_again_is_done_already(place: Place) -> None:
    """Whoever did not hear of a save asks for it again, with the revision of then."""
    post = (await place.permanent.create(TITLE, BODY)).post
    await place.permanent.update(post.number, TITLE, "second\n", 1)

    again = await place.permanent.update(post.number, TITLE, "second\n", 1)

    assert (again.post.revision, again.merged) == (2, False)
    with pytest.raises(UnknownRevisionError):
        await place.permanent.update(post.number, TITLE, "second\n", 3)


async def test_what_has_not_the_tag_is_no_permanent_memory(place: Place) -> None:
    other = await place.backend.create(Draft(title="a note", body_md="text", tags=("other",)))

    for call in (
        place.permanent.show(other.number),
        place.permanent.update(other.number, TITLE, "mine", other.revision),
        place.permanent.archive(other.number),
        place.permanent.history(other.number),
    ):
        with pytest.raises(NotPermanentError, match=TAG):
            await call
    assert (await place.backend.get(other.number)).body_md == "text"
    assert (await place.permanent.search("", 1, 20)).page.posts == ()


async def test_what_is_not_there_is_told(place: Place) -> None:
    for call in (
        place.permanent.show(99),
        place.permanent.update(99, TITLE, "text", 1),
        place.permanent.archive(99),
        place.permanent.history(99),
    ):
        with pytest.raises(NoPostError, match="no memory 99"):
            await call


async def test_archiving_twice_is_archiving_once(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post

    first, was_new = await place.permanent.archive(post.number)
    second, was_new_again = await place.permanent.archive(post.number)

    assert (was_new, was_new_again) == (True, False)
    assert first.category == second.category == "Archived"
    assert first.revision == second.revision == 2
    assert TAG in second.tags
    assert (await place.permanent.search("", 1, 20)).page.posts == ()
    assert (await place.permanent.show(post.number)).is_archived


@pytest.mark.parametrize(
    "query", ["zebra OR sessions", "-sessions", "-tag:永続", "in:Archived", "tag:other", 'x" OR "']
)
async def test_no_query_leaves_the_scope(place: Place, query: str) -> None:
    await place.backend.create(Draft(title="zebra", body_md="sessions", tags=("other",)))
    archived = (await place.permanent.create("[x] sessions zebra", "archived")).post
    await place.permanent.archive(archived.number)

    found = await place.permanent.search(query, 1, 20)

    assert found.page.posts == ()
    assert found.hint or query == 'x" OR "'


async def test_every_page_is_reachable(place: Place) -> None:
    made = {(await place.permanent.create(f"[n] {n}", f"text {n}")).post.number for n in range(7)}

    seen, page = set(), 1
    while page:
        found = (await place.permanent.search("text", page, 3)).page
        assert found.total == 7
        seen |= {post.number for post in found.posts}
        page = found.next_page or 0

    assert seen == made


@pytest.mark.parametrize(
    ("title", "problem"), [("", "empty"), (" \n ", "empty"), ("[a] " + "x" * 177, "181 characters")]
)
async def test_a_title_against_the_rule_is_refused(place: Place, title: str, problem: str) -> None:
    with pytest.raises(TitleRefusedError, match=problem):
        await place.permanent.create(title, BODY)
    post = (await place.permanent.create(TITLE, BODY)).post
    with pytest.raises(TitleRefusedError, match=problem):
        await place.permanent.update(post.number, title, BODY, 1)

    assert (await place.permanent.search("", 1, 20)).page.total == 1


async def test_a_memory_that_says_nothing_is_refused(place: Place) -> None:
    with pytest.raises(EmptyTextError, match="the text is empty"):
        await place.permanent.create(TITLE, " \n")
    assert (await place.permanent.search("", 1, 20)).page.total == 0

    post = (await place.permanent.create(TITLE, BODY)).post
    with pytest.raises(EmptyTextError, match="the text is empty"):
        await place.permanent.update(post.number, TITLE, "\n", 1)
    assert (await place.permanent.show(post.number)).body_md == BODY


async def test_secrets_are_taken_out_before_anything_is_saved(place: Place) -> None:
    secret = "ghp_" + "a1B2" * 9
    post = (await place.permanent.create(TITLE, f"the key is {secret}")).post

    assert secret not in (await place.backend.get(post.number)).body_md
    updated = await place.permanent.update(post.number, TITLE, f"again {secret}", 1)
    assert secret not in updated.post.body_md


async def test_backends_save_only_over_what_was_read(place: Place) -> None:
    post = (await place.permanent.create(TITLE, BODY)).post
    saved = await place.backend.update(post, Change(title=TITLE, body_md="second\n"))

    assert saved.post.revision == 2
    revision = await place.backend.revision(post.number, 1)
    assert revision is not None
    assert revision.body_md == BODY
    assert await place.backend.revision(post.number, 9) is None

"""The copy of esa's permanent memories, by which the search finds them without a network."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.permanent.errors import (
    BackendError,
    NoAnswerError,
    PlaceChangedError,
    TooManyRequestsError,
    UnauthorizedError,
)
from runtime.permanent.esa import Esa, open_esa
from runtime.permanent.freshness import Place
from runtime.permanent.refreshing import PER_PAGE, Refreshed, note_saved, refresh
from runtime.permanent.service import Permanent
from runtime.permanent.token import Token
from runtime.store.clock import utc, utc_now
from runtime.store.connection import fetch_all
from runtime.store.permanent_posts import begin_place, moment, place_row
from runtime.store.search import search
from runtime.store.store import Store, open_store
from schemas.permanent import Post
from tests.esa_server import TOKEN, EsaServer
from tests.store.indexes import check_index

TAG = "永続"
LONG_AGO = "2020-01-01T00:00:00.000Z"


class Copy:
    """A store with its copy of a server's posts."""

    def __init__(self, server: EsaServer, esa: Esa, store: Store) -> None:
        self.server = server
        self.esa = esa
        self.store = store
        self.place = Place(f"{server.url}/teams/team", TAG, is_folder=False)
        self.permanent = Permanent(esa, TAG, self._saved)

    async def _saved(self, post: Post) -> None:
        async with self.store.transaction() as connection:
            await note_saved(connection, self.place, post)

    async def refresh(self, **options: Any) -> Refreshed:
        return await refresh(self.esa, self.place, self.store, **options)

    async def rows(self) -> dict[int, dict[str, Any]]:
        found = await fetch_all(self.store.connection, "SELECT * FROM permanent_posts")
        return {row["id"]: dict(row) for row in found}

    async def shown(self) -> dict[int, tuple[Any, ...]]:
        rows = await self.rows()
        return {
            number: (row["revision"], row["title"], row["body_md"], row["source"], row["saved_at"])
            for number, row in rows.items()
        }

    async def age(self) -> None:
        """Let all that was seen be long ago."""
        async with self.store.transaction() as connection:
            await connection.execute("UPDATE permanent_posts SET seen_at = ?", (LONG_AGO,))

    def there(self) -> dict[int, tuple[Any, ...]]:
        """What the server says, as the copy should have it."""
        return {
            post.number: (
                post.revision_number,
                post.name,
                post.body_md,
                f"https://team.esa.io/posts/{post.number}",
                moment(post.updated_at),
            )
            for post in self.server.posts.all()
            if TAG in post.tags and not f"{post.category or ''}/".startswith("Archived/")
        }


@pytest.fixture
async def copy(esa_server: EsaServer, tmp_path: Any) -> AsyncIterator[Copy]:
    async with (
        open_esa(esa_server.url, "team", Token(TOKEN, "a test")) as esa,
        open_store(str(tmp_path / "memory.db"), 5.0) as store,
    ):
        yield Copy(esa_server, esa, store)


async def test_what_is_in_esa_is_found_with_its_age(copy: Copy) -> None:
    copy.server.add("[認証] セッションの期限", "30日にした")

    done = await copy.refresh()

    assert done == Refreshed(posts=1, changed=1, removed=0, is_whole=True)
    [hit] = await search(copy.store.reader, "期限", 5)
    assert (hit.kind, hit.id, hit.source) == ("permanent", 1, "https://team.esa.io/posts/1")
    assert hit.seen_at is not None
    assert hit.seen_at <= utc(utc_now())
    await anyio.to_thread.run_sync(check_index, copy.store.path)


async def test_what_we_save_is_in_it_at_once_without_another_request(copy: Copy) -> None:
    await copy.permanent.create("[auth] sessions", "one\n")
    assert [row["revision"] for row in (await copy.rows()).values()] == [1]
    await copy.permanent.update(1, "[auth] sessions", "two\n", 1)
    assert (await copy.rows())[1]["body_md"] == "two\n"

    await copy.permanent.archive(1)

    assert await copy.rows() == {}


async def test_what_has_not_changed_costs_one_request(copy: Copy) -> None:
    for number in range(PER_PAGE + 5):
        copy.server.add(f"[many] number {number}", "the same text")
    await copy.refresh()
    copy.server.requests.clear()

    done = await copy.refresh()

    assert done == Refreshed(PER_PAGE + 5, 0, 0, is_whole=False)
    assert len(copy.server.requests) == 1


async def test_an_edit_in_the_browser_comes_with_the_next_refresh(copy: Copy) -> None:
    copy.server.add("[a] one", "first")
    copy.server.add("[a] two", "second")
    await copy.refresh()
    copy.server.edit(1, body_md="edited in the browser")

    done = await copy.refresh()

    assert (done.changed, done.removed) == (1, 0)
    assert await copy.shown() == copy.there()


@pytest.mark.parametrize("change", [{"category": "Archived"}, {"tags": ["other"]}])
async def test_what_was_archived_or_untagged_elsewhere_goes(
    copy: Copy, change: dict[str, Any]
) -> None:
    for number in range(PER_PAGE + 2):
        copy.server.add(f"[many] number {number}", "text")
    await copy.refresh()
    await copy.age()
    copy.server.edit(1, **change)

    done = await copy.refresh()

    assert done.removed == 1
    assert await copy.shown() == copy.there()


async def test_one_that_came_as_another_went_is_noticed_once_a_day(copy: Copy) -> None:
    for number in range(PER_PAGE + 2):
        copy.server.add(f"[many] number {number}", "text")
    await copy.refresh()
    await copy.age()
    copy.server.edit(1, tags=["other"])
    copy.server.add("[many] a new one", "text")
    async with copy.store.transaction() as connection:
        await connection.execute("UPDATE permanent_place SET listed_at = ?", (LONG_AGO,))

    await copy.refresh()

    assert await copy.shown() == copy.there()


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "status", "status": 401}, UnauthorizedError),
        ({"kind": "status", "status": 429, "retry_after": "600"}, TooManyRequestsError),
        ({"kind": "drop", "times": 9}, NoAnswerError),
    ],
)
async def test_a_failure_leaves_the_copy_and_says_why(
    copy: Copy, fault: dict[str, Any], error: type[BackendError]
) -> None:
    copy.server.add("[a] one", "first")
    await copy.refresh()
    before = await copy.rows()
    copy.server.add("[a] two", "second")
    copy.server.fail(**fault)

    with pytest.raises(error):
        await copy.refresh()

    row = await place_row(copy.store.connection)
    assert row is not None
    assert row["problem"]
    assert TOKEN not in row["problem"]
    assert await copy.rows() == before
    copy.server.heal()
    await copy.refresh()
    row = await place_row(copy.store.connection)
    assert row is not None
    assert row["problem"] is None
    assert await copy.shown() == copy.there()


async def test_pages_that_were_read_before_a_failure_are_kept(copy: Copy) -> None:
    for number in range(PER_PAGE + 2):
        copy.server.add(f"[many] number {number}", "text")
    copy.server.fail("status", status=401, after=False, times=0)
    real, calls = copy.esa.search, 0

    class Half:
        name = copy.esa.name

        async def search(self, *asked: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > 1:
                raise NoAnswerError(self.name, "it was cut off")
            return await real(*asked)

    with pytest.raises(NoAnswerError):
        await refresh(Half(), copy.place, copy.store)  # type: ignore[arg-type]

    assert len(await copy.rows()) == PER_PAGE
    await copy.refresh()
    assert await copy.shown() == copy.there()


class Interrupted:
    """esa, with something that happens before a page is read."""

    def __init__(self, esa: Esa, page: int, what: Callable[[], Awaitable[None]]) -> None:
        self.name = esa.name
        self._esa = esa
        self._page = page
        self._what = what

    async def search(self, words: Any, tag: str, page: int, per_page: int) -> Any:
        if page == self._page:
            await self._what()
        return await self._esa.search(words, tag, page, per_page)


async def _cut_off() -> None:
    raise NoAnswerError("esa", "it was cut off")


async def test_a_refresh_after_one_that_failed_half_way_reads_everything(copy: Copy) -> None:
    """Its first page is known by then, and says nothing of what lies behind it."""
    for number in range(PER_PAGE * 2):
        copy.server.add(f"[many] number {number}", "text")
    await copy.refresh()
    for post in copy.server.posts.all()[: PER_PAGE + PER_PAGE // 2]:
        copy.server.edit(post.number, body_md="changed in the browser")
    with pytest.raises(NoAnswerError):
        await refresh(Interrupted(copy.esa, 2, _cut_off), copy.place, copy.store)  # type: ignore[arg-type]

    await copy.refresh()

    assert await copy.shown() == copy.there()


async def test_what_we_saved_ourselves_says_nothing_of_what_lies_behind_it(copy: Copy) -> None:
    for number in range(PER_PAGE * 2):
        copy.server.add(f"[many] number {number}", "text")
    await copy.refresh()
    await copy.age()
    numbers = [post.number for post in copy.server.posts.all()]
    for number in numbers[:10]:
        copy.server.edit(number, body_md="changed in the browser")
    ours = await copy.permanent.show(numbers[10])
    await copy.permanent.update(ours.number, ours.title, "ours", ours.revision)
    for number in numbers[11 : 11 + PER_PAGE - 1]:
        copy.server.edit(number, body_md="changed later")

    await copy.refresh()

    assert await copy.shown() == copy.there()


async def test_a_refresh_writes_nothing_into_the_copy_of_another_place(copy: Copy) -> None:
    for number in range(PER_PAGE + 2):
        copy.server.add(f"[many] number {number}", "text")

    async def move() -> None:
        async with copy.store.transaction() as connection:
            await begin_place(connection, "https://elsewhere/teams/b", TAG, is_copy=True)

    with pytest.raises(PlaceChangedError):
        await refresh(Interrupted(copy.esa, 2, move), copy.place, copy.store)  # type: ignore[arg-type]

    assert await copy.rows() == {}
    row = await place_row(copy.store.connection)
    assert row is not None
    assert (row["place"], row["refreshed_at"], row["problem"]) == (
        "https://elsewhere/teams/b",
        None,
        None,
    )


async def test_a_search_of_esa_that_lags_takes_nothing_back(copy: Copy) -> None:
    made = (await copy.permanent.create("[auth] sessions", "one\n")).post
    newer = made.model_copy(update={"revision": 2, "body_md": "two\n"})
    async with copy.store.transaction() as connection:
        await note_saved(connection, copy.place, newer)

    await copy.refresh(is_whole=True)

    assert (await copy.rows())[1]["body_md"] == "two\n"


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["add", "edit", "archive", "untag", "create", "update", "refresh"]),
        st.integers(1, 4),
    ),
    max_size=8,
)


@pytest.fixture
def esa_server() -> Iterator[EsaServer]:
    with EsaServer(limit=10**9) as server:
        yield server


@given(changes=CHANGES)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_after_any_changes_and_a_refresh_the_copy_is_what_esa_says(
    changes: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("copy")

    async def play() -> None:
        with EsaServer(limit=10**9) as server:
            async with (
                open_esa(server.url, "team", Token(TOKEN, "a test")) as esa,
                open_store(str(folder / "memory.db"), 5.0) as store,
            ):
                copy = Copy(server, esa, store)
                for at, (what, number) in enumerate(changes):
                    await _change(copy, what, number, f"text {at}\n")
                await copy.age()
                await copy.refresh(is_whole=True)
                assert await copy.shown() == copy.there()
                await anyio.to_thread.run_sync(check_index, store.path)

    anyio.run(play)


async def _change(copy: Copy, what: str, number: int, text: str) -> None:
    is_there = number in copy.there()
    if what == "add":
        copy.server.add(f"[a] {text.strip()}", text)
    elif what == "create":
        await copy.permanent.create(f"[b] {text.strip()}", text)
    elif what == "refresh":
        await copy.refresh()
    elif is_there and what == "update":
        post = await copy.permanent.show(number)
        await copy.permanent.update(number, post.title, text, post.revision)
    elif is_there:
        change = {
            "edit": {"body_md": text},
            "archive": {"category": "Archived"},
            "untag": {"tags": []},
        }[what]
        copy.server.edit(number, **change)

"""Whatever esa does, at whatever call: the right answer or a clear error, and one post."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import stamina

from runtime.permanent.errors import (
    BackendError,
    ConflictError,
    ForbiddenError,
    NoAnswerError,
    NoPostError,
    NotEsaError,
    NotFoundError,
    NotSavedError,
    OverlapError,
    RefusedError,
    ServerError,
    TooManyRequestsError,
    UnauthorizedError,
)
from runtime.permanent.esa import Esa, open_esa
from runtime.permanent.service import Permanent
from runtime.permanent.token import Token
from tests.esa_server import TOKEN, EsaServer
from tests.permanent.conftest import TAG

TITLE = "[auth] sessions"
BODY = "one\ntwo\nthree\n"
Call = Callable[[Permanent], Awaitable[Any]]

CALLS: dict[str, Call] = {
    "search": lambda permanent: permanent.search("one", 1, 20),
    "show": lambda permanent: permanent.show(1),
    "create": lambda permanent: permanent.create("[new] post", "new text"),
    "update": lambda permanent: permanent.update(1, TITLE, "one\ntwo\nfour\n", 1),
    "archive": lambda permanent: permanent.archive(1),
    "history": lambda permanent: permanent.history(1),
}
FAULTS: list[tuple[dict[str, Any], type[BackendError]]] = [
    ({"kind": "status", "status": 401}, UnauthorizedError),
    ({"kind": "status", "status": 403}, ForbiddenError),
    ({"kind": "status", "status": 429, "retry_after": "90"}, TooManyRequestsError),
    ({"kind": "status", "status": 420}, RefusedError),
    ({"kind": "status", "status": 499}, RefusedError),
    ({"kind": "status", "status": 500}, ServerError),
    ({"kind": "status", "status": 599}, ServerError),
    ({"kind": "status", "status": 503}, ServerError),
    ({"kind": "html", "status": 200}, NotEsaError),
    ({"kind": "html", "status": 502}, ServerError),
    ({"kind": "html", "status": 302}, NotEsaError),
    ({"kind": "malformed"}, NotEsaError),
    ({"kind": "empty"}, NotEsaError),
    ({"kind": "wrong_shape"}, NotEsaError),
    ({"kind": "drop"}, NoAnswerError),
]


@pytest.fixture(autouse=True)
def no_waiting() -> Any:
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


@pytest.fixture
async def permanent(esa_server: EsaServer) -> AsyncIterator[Permanent]:
    esa_server.add(TITLE, BODY)
    async with open_esa(esa_server.url, "team", Token(TOKEN, "$ESA_ACCESS_TOKEN")) as esa:
        yield Permanent(esa, TAG)


def posts_of(server: EsaServer) -> list[tuple[str, str]]:
    return [(post.name, post.body_md) for post in server.posts.all()]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(("fault", "expected"), FAULTS, ids=lambda value: str(value)[:60])
async def test_a_lasting_fault_is_told_for_what_it_is_and_changes_nothing(
    esa_server: EsaServer,
    permanent: Permanent,
    call: str,
    fault: dict[str, Any],
    expected: type[BackendError],
) -> None:
    before = posts_of(esa_server)
    esa_server.fail(**fault, times=100)

    with pytest.raises(expected) as caught:
        await CALLS[call](permanent)

    assert posts_of(esa_server) == before
    shown = caught.getrepr(style="long", showlocals=True)
    assert TOKEN not in f"{caught.value}{caught.value!r}{shown}"
    assert "esa (team team)" in str(caught.value)


WRITES = {
    "create": ("POST", "/posts"),
    "update": ("PATCH", "/posts/1"),
    "archive": ("POST", "/archive"),
}
SPOILT: list[dict[str, Any]] = [
    {"kind": "drop"},
    {"kind": "html", "status": 502},
    {"kind": "malformed"},
    {"kind": "empty"},
    {"kind": "wrong_shape"},
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 504},
]


@pytest.mark.parametrize("call", WRITES)
@pytest.mark.parametrize("fault", SPOILT, ids=str)
async def test_a_write_whose_answer_is_lost_is_looked_up_and_not_repeated(
    esa_server: EsaServer, permanent: Permanent, call: str, fault: dict[str, Any]
) -> None:
    method, path = WRITES[call]
    esa_server.fail(**fault, method=method, path=path, after=True)

    await CALLS[call](permanent)

    writes = [each for each in esa_server.requests if each.method != "GET"]
    assert len(writes) == 1
    numbers = [post.number for post in esa_server.posts.all()]
    assert numbers == ([1, 2] if call == "create" else [1])


@pytest.mark.parametrize("call", WRITES)
@pytest.mark.parametrize("fault", SPOILT, ids=str)
async def test_a_write_that_never_arrived_is_told_and_can_be_done_again(
    esa_server: EsaServer, permanent: Permanent, call: str, fault: dict[str, Any]
) -> None:
    method, path = WRITES[call]
    before = posts_of(esa_server)
    esa_server.fail(**fault, method=method, path=path)

    with pytest.raises(NotSavedError, match="do the same again"):
        await CALLS[call](permanent)

    assert posts_of(esa_server) == before
    await CALLS[call](permanent)
    assert len(esa_server.posts.all()) == (2 if call == "create" else 1)


@pytest.mark.parametrize("fault", SPOILT, ids=str)
async def test_a_create_that_is_repeated_by_its_caller_makes_no_second_post(
    esa_server: EsaServer, permanent: Permanent, fault: dict[str, Any]
) -> None:
    # The lookup fails too, so the caller cannot be told, and tries again later.
    esa_server.fail(**fault, method="POST", path="/posts", after=True)
    esa_server.after_write.append(
        lambda: esa_server.fail("status", status=401, method="GET", times=100)
    )

    with pytest.raises(BackendError):
        await permanent.create("[new] post", "new text")
    esa_server.heal()

    again = await permanent.create("[new] post", "new text")
    assert again.status == "known"
    assert [post.name for post in esa_server.posts.all()] == [TITLE, "[new] post"]


@pytest.mark.parametrize("call", ["search", "show", "history"])
@pytest.mark.parametrize(
    "fault",
    [{"kind": "status", "status": 503}, {"kind": "drop"},
     {"kind": "status", "status": 429, "retry_after": "1"}],
    ids=str,
)  # fmt: skip
async def test_a_read_is_repeated_after_a_passing_fault(
    esa_server: EsaServer, permanent: Permanent, call: str, fault: dict[str, Any]
) -> None:
    esa_server.fail(**fault, times=2)

    await CALLS[call](permanent)

    assert len(esa_server.requests) >= 3


async def test_a_long_wait_is_not_waited_for_but_told(
    esa_server: EsaServer, permanent: Permanent
) -> None:
    esa_server.fail("status", status=429, retry_after="600", times=100)

    with pytest.raises(TooManyRequestsError, match=r"try again in 600 s, at [0-9:]{8}") as caught:
        await permanent.search("", 1, 20)

    assert caught.value.retry_s == 600
    assert len(esa_server.requests) == 1


async def test_the_last_requests_of_a_window_are_left_to_the_person(esa_server: EsaServer) -> None:
    esa_server.limit = 40
    esa_server.add(TITLE, BODY)
    async with open_esa(esa_server.url, "team", Token(TOKEN, "a test")) as esa:
        permanent = Permanent(esa, TAG)
        for _walk in range(25):
            await permanent.search("", 1, 20)
        with pytest.raises(TooManyRequestsError, match="few requests left, which are kept for you"):
            await permanent.search("", 1, 20)

    assert esa_server.remaining == 15


async def test_a_save_at_the_very_same_moment_is_merged_or_told(
    esa_server: EsaServer, permanent: Permanent
) -> None:
    esa_server.before_write.append(lambda: esa_server.edit(1, body_md="zero\none\ntwo\nthree\n"))
    updated = await permanent.update(1, TITLE, "one\ntwo\nfour\n", 1)

    assert updated.merged
    assert updated.post.body_md == "zero\none\ntwo\nfour\n"

    esa_server.before_write.append(lambda: esa_server.edit(1, body_md="zero\none\ntwo\nFOUR!\n"))
    with pytest.raises(OverlapError, match="at the same moment") as caught:
        await permanent.update(1, TITLE, "zero\none\ntwo\n4\n", 3)

    assert "FOUR!" in caught.value.body_md
    assert "\n4\n" in caught.value.body_md


async def test_a_409_is_a_conflict_with_both_texts(
    esa_server: EsaServer, permanent: Permanent
) -> None:
    esa_server.latest_is_409 = True
    esa_server.before_write.append(lambda: esa_server.edit(1, body_md="theirs"))

    with pytest.raises(ConflictError) as caught:
        await permanent.update(1, TITLE, "mine", 1)

    assert caught.value.difference.theirs.body_md == "theirs"
    assert caught.value.difference.yours.body_md == "mine"
    assert esa_server.posts.get(1).body_md == "theirs"  # type: ignore[union-attr]


async def test_a_lost_answer_and_then_somebody_elses_save_is_still_saved(
    esa_server: EsaServer, permanent: Permanent
) -> None:
    esa_server.fail("drop", method="PATCH", after=True)
    esa_server.after_write.append(lambda: esa_server.edit(1, body_md="theirs, later"))

    updated = await permanent.update(1, TITLE, "mine", 1)

    assert updated.merged
    assert updated.post.body_md == "theirs, later"
    history = await permanent.history(1)
    assert [revision.body_md for revision in history] == ["theirs, later", "mine", BODY]


async def test_a_team_that_does_not_exist_is_no_missing_post(esa_server: EsaServer) -> None:
    async with open_esa(esa_server.url, "nobody", Token(TOKEN, "a test")) as esa:
        with pytest.raises(NotFoundError, match=r"permanent\.team"):
            await Permanent(esa, TAG).search("", 1, 20)


async def test_nobody_at_the_address_is_told(esa_server: EsaServer) -> None:
    async with open_esa("http://127.0.0.1:1/v1", "team", Token(TOKEN, "a test")) as esa:
        with pytest.raises(NoAnswerError, match="cannot be reached"):
            await Permanent(esa, TAG).create("[a] b", "c")


async def test_a_slow_answer_ends_at_the_timeout(esa_server: EsaServer) -> None:
    esa_server.add(TITLE, BODY)
    fault = esa_server.fail("slow", times=100)
    token = Token(TOKEN, "a test")
    async with open_esa(esa_server.url, "team", token, timeout_s=0.05) as esa:
        with pytest.raises(NoAnswerError, match="no answer in time"):
            await esa.get(1)
    fault.release.set()


async def test_the_token_is_in_no_log_line_and_in_nothing_that_is_shown(
    esa_server: EsaServer, permanent: Permanent, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    esa_server.fail("drop", times=2)
    await permanent.search("", 1, 20)
    for kind in ("html", "malformed"):
        esa_server.fail(kind, status=200)
        with pytest.raises(BackendError):
            await permanent.search("", 1, 20)

    assert isinstance(permanent.backend, Esa)
    assert "send_request_headers" in caplog.text
    shown = f"{caplog.text}{permanent.backend!r}{Token(TOKEN, 'x')!r}{vars(permanent.backend)}"
    assert TOKEN not in shown


async def test_a_missing_post_is_no_missing_team(permanent: Permanent) -> None:
    with pytest.raises(NoPostError, match="no memory 12 in esa"):
        await permanent.show(12)

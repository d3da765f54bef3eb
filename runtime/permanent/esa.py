"""
Permanent memories in esa: its API v1, over HTTP.

The only module that knows HTTP. Reads are repeated when the network or the other
side fails; a write never is, since a lost answer does not tell whether it was
done: that is `runtime.permanent.service`'s matter.
"""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, TypeVar

import anyio
import httpx2
import stamina
from pydantic import BaseModel, ValidationError

from runtime import __version__
from runtime.permanent.budget import Budget
from runtime.permanent.errors import (
    AnswerLostError,
    NoAnswerError,
    NoPostError,
    NotEsaError,
    NotSetUpError,
    ServerError,
    TooManyRequestsError,
)
from runtime.permanent.esa_errors import Asked, error_of, problem_of, wait_until
from runtime.permanent.scope import esa_query
from runtime.permanent.token import Token
from schemas.esa import EsaPage, EsaPost, EsaRevision, EsaRevisions
from schemas.permanent import Change, Draft, Post, PostPage, PostRevision, Saved

TIMEOUT_S: Final = 10.0
WINDOW_S: Final = 900.0
"""The limit counts the requests of a quarter of an hour."""
WAIT_S: Final = 5.0
"""A longer Retry-After is not waited for: the caller is told when to come back."""
ATTEMPTS: Final = 3
SLASH: Final = "&#47;"
"""A slash in a name makes a category at esa; this is shown as a slash."""
M = TypeVar("M", bound=BaseModel)


@asynccontextmanager
async def open_esa(
    url: str, team: str, token: Token, *, timeout_s: float = TIMEOUT_S
) -> AsyncIterator["Esa"]:
    """Give the posts of a team. *url* is the API's base, such as https://api.esa.io/v1."""
    headers = {
        **token.header(),
        "Accept": "application/json",
        "User-Agent": f"oboegaki/{__version__}",
    }
    # Redirects are not followed: none is part of the API, and one would carry the token away.
    make = partial(httpx2.AsyncClient, headers=headers, timeout=timeout_s)
    async with await anyio.to_thread.run_sync(make) as client:  # it reads certificates
        yield Esa(client, url.rstrip("/"), team, token.origin)


class Esa:
    """The posts of one team: `runtime.permanent.backend.Backend`."""

    def __init__(self, client: httpx2.AsyncClient, url: str, team: str, origin: str) -> None:
        self._client = client
        self._base = f"{url}/teams/{team}"
        self._origin = origin
        self._budget = Budget()
        self.name = f"esa (team {team})"

    async def search(self, words: Sequence[str], tag: str, page: int, per_page: int) -> PostPage:
        """Return posts with the tag that hold all words, newest change first."""
        query = {
            "q": esa_query(words, tag),
            "sort": "updated",
            "order": "desc",
            "page": str(page),
            "per_page": str(per_page),
        }
        found = await self._read(EsaPage, "/posts", query)
        return PostPage(
            posts=tuple(map(_post, found.posts)),
            page=found.page,
            next_page=found.next_page,
            total=found.total_count,
        )

    async def get(self, number: int) -> Post:
        """Return one post."""
        return _post(await self._read(EsaPost, f"/posts/{number}", number=number))

    async def create(self, draft: Draft) -> Post:
        """Make a post, at once for all to see."""
        wanted = {
            "name": draft.title.replace("/", SLASH),
            "body_md": draft.body_md,
            "tags": list(draft.tags),
            "wip": False,
        }
        return _post(await self._write(EsaPost, "POST", "/posts", wanted))

    async def update(self, base: Post, change: Change) -> Saved:
        """Save title and body; esa merges what others saved since *base*."""
        wanted = {
            "body_md": change.body_md,
            "original_revision": {
                "body_md": base.body_md,
                "number": base.revision,
                "user": base.updated_by,
            },
        }
        # Left out where nothing changes: `name` with a slash would move the post, and
        # `wip` and `tags` would undo what somebody sets meanwhile.
        if change.title != base.title:
            wanted["name"] = change.title.replace("/", SLASH)
        post = await self._write(EsaPost, "PATCH", f"/posts/{base.number}", wanted, base.number)
        return Saved(post=_post(post), overlapped=post.overlapped)

    async def archive(self, number: int, message: str) -> Post:
        """Put a post under Archived."""
        wanted = {"message": message}
        path = f"/posts/{number}/archive"
        return _post(await self._write(EsaPost, "POST", path, wanted, number))

    async def history(self, number: int) -> list[PostRevision]:
        """Return all revisions, newest first."""
        found: list[EsaRevision] = []
        page: int | None = 1
        while page:
            query = {"page": str(page), "per_page": "100"}
            read = await self._read(EsaRevisions, f"/posts/{number}/revisions", query, number)
            found += read.revisions
            page = read.next_page if read.next_page and read.next_page > page else None
        return [_revision(each) for each in found]

    async def revision(self, number: int, revision: int) -> PostRevision | None:
        """Return one revision."""
        try:
            path = f"/posts/{number}/revisions/{revision}"
            return _revision(await self._read(EsaRevision, path, number=number))
        except NoPostError:
            return None

    async def _read(
        self,
        model: type[M],
        path: str,
        query: Mapping[str, str] | None = None,
        number: int | None = None,
    ) -> M:
        async for attempt in stamina.retry_context(
            on=_pause, attempts=ATTEMPTS, timeout=WAIT_S * ATTEMPTS, wait_max=WAIT_S
        ):
            with attempt:
                return self._model(model, await self._send("GET", path, query, None, number))
        raise AssertionError  # stamina raises what the last attempt raised

    async def _write(
        self, model: type[M], method: str, path: str, post: object, number: int | None = None
    ) -> M:
        try:
            return self._model(model, await self._send(method, path, None, {"post": post}, number))
        except (ServerError, NotEsaError) as error:
            # Either may come from a proxy that gave up waiting for what was done after all.
            raise AnswerLostError(self.name, str(error)) from None

    async def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: object,
        number: int | None,
    ) -> httpx2.Response:
        self._require_budget()
        try:
            answer = await self._client.request(
                method, self._base + path, params=query, json=body if body is not None else None
            )
        except httpx2.InvalidURL as error:
            msg = f"permanent.url is no address: {error}; give one such as https://api.esa.io/v1"
            raise NotSetUpError(msg) from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            raise NoAnswerError(self.name, problem_of(error)) from None  # nothing was sent
        except httpx2.RequestError as error:
            if method == "GET":
                raise NoAnswerError(self.name, problem_of(error)) from None
            raise AnswerLostError(self.name, problem_of(error)) from None
        self._budget.spent(answer.headers, time.monotonic(), WINDOW_S)
        if answer.is_success:
            return answer
        raise error_of(answer, Asked(self.name, self._origin, number))

    def _require_budget(self) -> None:
        wait_s = self._budget.wait_s(time.monotonic())
        if wait_s:
            raise TooManyRequestsError(self.name, wait_s, wait_until(wait_s), is_reserve=True)

    def _model(self, model: type[M], answer: httpx2.Response) -> M:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip()
        if kind != "application/json":
            raise NotEsaError(self.name, kind or "something without a type")
        try:
            return model.model_validate_json(answer.content)
        except ValidationError as error:
            raise NotEsaError(self.name, f"JSON of another shape ({_first(error)})") from None


def _pause(error: Exception) -> bool | float:
    """Tell whether a read is worth repeating, or after how many seconds."""
    if isinstance(error, TooManyRequestsError):
        return error.retry_s if error.retry_s <= WAIT_S and not error.is_reserve else False
    return isinstance(error, NoAnswerError | ServerError)


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return ".".join(map(str, first["loc"])) or str(first["msg"])


def _post(post: EsaPost) -> Post:
    return Post(
        number=post.number,
        title=post.name.replace(SLASH, "/"),
        body_md=post.body_md or "",
        tags=tuple(post.tags),
        category=post.category or None,
        wip=post.wip,
        revision=post.revision_number,
        created_at=post.created_at,
        updated_at=post.updated_at,
        updated_by=post.updated_by.screen_name,
        url=post.url,
    )


def _revision(revision: EsaRevision) -> PostRevision:
    return PostRevision(
        number=revision.number,
        title=revision.name.replace(SLASH, "/"),
        body_md=revision.body_md or "",
        saved_at=revision.created_at,
        saved_by=revision.user.screen_name,
        message=revision.message or "",
    )

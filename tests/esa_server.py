"""
A server that answers as esa's API v1 does, over real HTTP on loopback.

    with EsaServer() as esa:
        client talks to esa.url with the token esa.token

Beside the API it can be told to fail: `esa.fail(...)` for the next requests that
fit. By hand: `scripts/esa-server`, with a page for browser edits under /_edit/N.
"""

import json
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qs, unquote, urlsplit

from tests import esa_search
from tests.esa_posts import Posts, StoredPost

TOKEN = "esa-token-4f1c9d7a2b8e6053"
AGENT, PERSON = "agent", "person"
MAX_PER_PAGE, DEFAULT_PER_PAGE = 100, 20
WINDOW_S = 900
ERRORS = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    429: "too_many_requests",
    500: "internal_server_error",
    502: "bad_gateway",
    503: "service_unavailable",
}

Kind = Literal["status", "html", "malformed", "empty", "wrong_shape", "drop", "slow"]


@dataclass
class Fault:
    """What goes wrong with requests that fit."""

    kind: Kind
    status: int = 500
    method: str = ""
    """Only of this method; "" for any."""
    path: str = ""
    """Only where the path ends so; "" for any."""
    times: int = 1
    after: bool = False
    """The request has its effect first, and then its answer is lost or spoilt."""
    retry_after: str | None = None
    release: threading.Event = field(default_factory=threading.Event)
    """A slow answer waits for this."""


@dataclass
class Request:
    """One request that arrived."""

    method: str
    path: str
    query: dict[str, str]
    body: Any


class EsaServer:
    """The server, running in threads of its own inside a `with` block."""

    def __init__(
        self,
        team: str = "team",
        *,
        port: int = 0,
        limit: int = 10_000,
        latest_is_409: bool = False,
    ) -> None:
        self.posts = Posts(team)
        self.token = TOKEN
        self.requests: list[Request] = []
        self.limit = limit
        self.latest_is_409 = latest_is_409
        """Answer a PATCH whose original revision is behind with 409 in place of a merge."""
        self.before_write: deque[Callable[[], object]] = deque()
        """Called one by one right before a PATCH takes effect: an edit between look and write."""
        self.after_write: deque[Callable[[], object]] = deque()
        """Called one by one right after a request that wrote, before its answer is sent."""
        self._faults: list[Fault] = []
        self._used: deque[float] = deque()
        self.lock = threading.RLock()
        server = self

        class Handler(_Handler):
            esa = server

        self._http = _Server(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The base URL, as a client is given it."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for fault in self._faults:
            fault.release.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def wait(self) -> None:
        """Wait until the server ends, or the person interrupts."""
        self._thread.join()

    def fail(self, kind: Kind, **facts: Any) -> Fault:
        """Let the next requests that fit fail. Returns the fault."""
        fault = Fault(kind, **facts)
        with self.lock:
            self._faults.append(fault)
        return fault

    def heal(self) -> None:
        """Take all faults back."""
        with self.lock:
            self._faults.clear()

    def edit(self, number: int, **changes: Any) -> StoredPost:
        """Save a post in the browser, as a person does."""
        with self.lock:
            self.posts.update(number, changes, PERSON)
            post = self.posts.get(number)
            assert post is not None
            return post

    def add(self, name: str, body_md: str = "", **facts: Any) -> StoredPost:
        """Add a post, as a person does."""
        with self.lock:
            return self.posts.create(
                {"name": name, "body_md": body_md, "wip": False, "tags": ["永続"], **facts}, PERSON
            )

    def take_fault(self, method: str, path: str, *, after: bool) -> Fault | None:
        """Return the first fault that fits, and count it."""
        with self.lock:
            for fault in self._faults:
                fits = fault.method in {"", method} and path.endswith(fault.path)
                if fits and fault.after == after and fault.times:
                    fault.times -= 1
                    return fault
        return None

    def is_over_limit(self) -> bool:
        """Count one request against the limit of the last quarter of an hour."""
        now = time.monotonic()
        with self.lock:
            while self._used and self._used[0] < now - WINDOW_S:
                self._used.popleft()
            if len(self._used) >= self.limit:
                return True
            self._used.append(now)
        return False

    @property
    def remaining(self) -> int:
        """Requests left in this quarter of an hour."""
        return max(0, self.limit - len(self._used))

    def show(self, post: StoredPost, *, overlapped: bool = False) -> dict[str, Any]:
        """Return a post as the API shows it."""
        facts = asdict(post)
        author, editor = facts.pop("created_by"), facts.pop("updated_by")
        return {
            **facts,
            "full_name": post.full_name,
            "body_html": f"<p>{len(post.body_md)} characters</p>",
            "url": f"https://{self.posts.team}.esa.io/posts/{post.number}",
            "created_by": _person(author),
            "updated_by": _person(editor),
            "kind": "stock",
            "comments_count": 0,
            "tasks_count": 0,
            "done_tasks_count": 0,
            "stargazers_count": 0,
            "watchers_count": 1,
            "star": False,
            "watch": False,
            "overlapped": overlapped,
        }


class RefusalError(Exception):
    """An error status instead of an answer."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(str(status))


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a client that has left before its answer was written."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    esa: EsaServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the names are http.server's

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its own name
        pass

    def _answer(self) -> None:
        url = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        path = unquote(url.path)
        if path.startswith("/_edit/"):
            self._edit_by_hand(int(path.removeprefix("/_edit/")), query)
            return
        parsed = json.loads(body) if body else None
        self.esa.requests.append(Request(self.command, path, query, parsed))
        fault = self.esa.take_fault(self.command, path, after=False)
        if fault and self._spoil(fault):
            return
        status, answer = self._do(path, query, parsed)
        if self.command != "GET" and self.esa.after_write:
            self.esa.after_write.popleft()()
        fault = self.esa.take_fault(self.command, path, after=True)
        if fault and self._spoil(fault):
            return
        self._send(status, answer)

    def _do(self, path: str, query: Mapping[str, str], body: Any) -> tuple[int, Any]:
        try:
            self._require_access()
            prefix = f"/v1/teams/{self.esa.posts.team}/"
            rest = path.removeprefix(prefix).split("/") if path.startswith(prefix) else []
            with self.esa.lock:
                return self._route(rest, query, body)
        except RefusalError as refusal:
            return refusal.status, None

    def _require_access(self) -> None:
        if self.headers.get("Authorization") != f"Bearer {self.esa.token}":
            raise RefusalError(401)
        if self.esa.is_over_limit():
            raise RefusalError(429)

    def _route(self, parts: list[str], query: Mapping[str, str], body: Any) -> tuple[int, Any]:
        match self.command, parts:
            case "GET", ["posts"]:
                return self._search(query)
            case "POST", ["posts"]:
                return self._create(body)
            case "GET", ["tags"]:
                return 200, self._tags()
            case _, ["posts", number, *rest]:
                return self._post(self._existing(number), rest, (body or {}).get("post") or {})
        raise RefusalError(404)

    def _existing(self, number: str) -> StoredPost:
        post = self.esa.posts.get(int(number)) if number.isdecimal() else None
        if post is None:
            raise RefusalError(404)
        return post

    def _post(self, post: StoredPost, rest: list[str], wanted: Any) -> tuple[int, Any]:
        posts = self.esa.posts
        match self.command, rest:
            case "GET", []:
                return 200, self.esa.show(post)
            case "PATCH", []:
                return self._update(post, wanted)
            case "DELETE", []:
                posts.remove(post.number)
                return 204, ""
            case "POST", ["archive"]:
                posts.archive(post.number, wanted.get("message"), AGENT)
                return 200, self.esa.show(post)
            case "GET", ["revisions", *number]:
                return self._revisions(post, number)
        raise RefusalError(404)

    def _revisions(self, post: StoredPost, number: list[str]) -> tuple[int, Any]:
        found = [_revision(each) for each in self.esa.posts.revisions(post.number)]
        if not number:
            return 200, {"revisions": found, **_paging(1, len(found), len(found))}
        for each in found:
            if [str(each["number"])] == number:
                return 200, each
        raise RefusalError(404)

    def _create(self, body: Any) -> tuple[int, Any]:
        wanted = (body or {}).get("post")
        if not wanted or not str(wanted.get("name") or "").strip():
            return 400, "param is missing or the value is empty or invalid: post"
        return 201, self.esa.show(self.esa.posts.create(wanted, AGENT))

    def _update(self, post: StoredPost, wanted: Mapping[str, Any]) -> tuple[int, Any]:
        if not wanted:
            return 400, "param is missing or the value is empty or invalid: post"
        if self.esa.before_write:
            self.esa.before_write.popleft()()
        original = wanted.get("original_revision") or {}
        is_behind = "number" in original and original["number"] != post.revision_number
        if is_behind and self.esa.latest_is_409:
            return 409, "revision"
        overlapped = self.esa.posts.update(post.number, wanted, AGENT)
        return 200, self.esa.show(post, overlapped=overlapped)

    def _search(self, query: Mapping[str, str]) -> tuple[int, Any]:
        fits = esa_search.parse(query.get("q", ""))
        found = [post for post in self.esa.posts.all() if fits(post)]
        key = {"created": "created_at", "number": "number"}.get(query.get("sort", ""), "updated_at")
        found.sort(key=lambda post: (getattr(post, key), post.number))
        if query.get("order", "desc") == "desc":
            found.reverse()
        page = max(1, int(query.get("page", 1)))
        per_page = min(MAX_PER_PAGE, max(1, int(query.get("per_page", DEFAULT_PER_PAGE))))
        shown = found[(page - 1) * per_page : page * per_page]
        posts = [self.esa.show(post) for post in shown]
        return 200, {"posts": posts, **_paging(page, per_page, len(found))}

    def _tags(self) -> dict[str, Any]:
        counts: dict[str, int] = {}
        for post in self.esa.posts.all():
            for tag in post.tags:
                counts[tag] = counts.get(tag, 0) + 1
        tags = [{"name": name, "posts_count": count} for name, count in counts.items()]
        return {"tags": tags, **_paging(1, MAX_PER_PAGE, len(tags))}

    def _edit_by_hand(self, number: int, query: Mapping[str, str]) -> None:
        post = self.esa.edit(number, body_md=query.get("body", "edited in the browser"))
        self._send(200, self.esa.show(post))

    def _spoil(self, fault: Fault) -> bool:
        """Give the answer that the fault wants. False: go on as if nothing were wrong."""
        if fault.kind == "slow":
            fault.release.wait()
            return False
        if fault.kind == "drop":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault.kind == "html":
            page = "<!doctype html><title>esa</title><p>Down for maintenance"
            self._write(fault.status, page.encode(), "text/html; charset=utf-8")
        elif fault.kind == "malformed":
            self._write(200, b'{"posts": [', "application/json")
        elif fault.kind == "empty":
            self._write(200, b"", "application/json")
        elif fault.kind == "wrong_shape":
            self._write(200, b'{"articles": null}', "application/json")
        else:
            self._send(fault.status, None, fault.retry_after)
        return True

    def _send(self, status: int, answer: Any, retry_after: str | None = None) -> None:
        if status == 204:
            self._write(status, b"", "application/json")
            return
        if status >= 400:
            name = ERRORS.get(status, "conflict" if status == 409 else "error")
            if status == 429:
                retry_after = retry_after or "60"
                answer = f"Retry after {retry_after} seconds."
            answer = {"error": name, "message": answer or name.replace("_", " ").capitalize()}
        data = json.dumps(answer, ensure_ascii=False).encode()
        self._write(status, data, "application/json; charset=utf-8", retry_after)

    def _write(self, status: int, data: bytes, kind: str, retry_after: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-RateLimit-Limit", str(self.esa.limit))
        self.send_header("X-RateLimit-Remaining", str(self.esa.remaining))
        if retry_after is not None:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(data)


def _person(name: str) -> dict[str, Any]:
    return {"myself": name == AGENT, "name": name.title(), "screen_name": name, "icon": ""}


def _revision(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {**facts, "user": _person(facts["user"])}


def _paging(page: int, per_page: int, total: int) -> dict[str, Any]:
    last = max(1, -(-total // per_page)) if per_page else 1
    return {
        "prev_page": page - 1 if page > 1 else None,
        "next_page": page + 1 if page < last else None,
        "total_count": total,
        "page": page,
        "per_page": per_page,
        "max_per_page": MAX_PER_PAGE,
    }

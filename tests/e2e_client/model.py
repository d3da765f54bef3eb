"""
A scripted model: the part of the Messages API that the client uses, on the loopback.

It has no state but the script and what it was asked. Which reply comes follows
from the conversation that a request carries, so retries, resumed sessions and
several sessions at once need nothing special.
"""

import json
import re
import threading
import uuid
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

Block = dict[str, Any]
Reply = Sequence[Block]

SUMMARY_REQUEST: Final = "detailed summary"
"""What the client's own request for a compaction holds, in every version tried."""
TITLE: Final = "a title"
REMINDER: Final = re.compile("<system-reminder>.*?</system-reminder>", re.DOTALL)


def text(words: str) -> Block:
    """Return a block of text."""
    return {"type": "text", "text": words}


def call(tool: str, **arguments: object) -> Block:
    """Return a block that calls a tool."""
    return {
        "type": "tool_use",
        "id": f"toolu_{uuid.uuid4().hex[:24]}",
        "name": tool,
        "input": arguments,
    }


def web_results(query: str, title: str, url: str, answer: str) -> Reply:
    """Return what the search on the provider's side answers with."""
    found = {"type": "web_search_result", "title": title, "url": url}
    return [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": query}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srv_1",
            "content": [{**found, "encrypted_content": "AA==", "page_age": None}],
        },
        text(answer),
    ]


class Model:
    """Serves a script. Use as a context manager; `requests` holds the bodies in order."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.summary = "<summary>What was said before.</summary>"
        self.web: Reply = []
        self._script: dict[str, Sequence[Reply]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The base address to give the client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, prompt: str, *replies: Reply | str) -> None:
        """Script what follows a user's message that holds `prompt`, one reply a request."""
        self._script[prompt] = [
            [text(reply)] if isinstance(reply, str) else reply for reply in replies
        ]

    def asked_after(self, prompt: str) -> list[str]:
        """Return, as JSON text, the requests whose newest scripted prompt is this one."""
        return [
            json.dumps(body, ensure_ascii=False)
            for body in list(self.requests)
            if self._is_conversation(body) and self._place(body)[0] == prompt
        ]

    def _reply(self, body: dict[str, Any]) -> Reply:
        if any(str(tool.get("type")).startswith("web_search_") for tool in body.get("tools", ())):
            return self.web
        users = [message for message in body["messages"] if message["role"] == "user"]
        if SUMMARY_REQUEST in _words(users[-1]):
            return [text(self.summary)]
        if not self._is_conversation(body):
            return [text(TITLE)]
        prompt, count = self._place(body)
        replies = self._script.get(prompt, ())
        return replies[count] if count < len(replies) else [text(f"Nothing scripted: {prompt!r}")]

    @staticmethod
    def _is_conversation(body: dict[str, Any]) -> bool:
        return bool(body.get("tools"))

    def _place(self, body: dict[str, Any]) -> tuple[str, int]:
        """Return the newest scripted prompt and how many replies it has had."""
        count = 0
        for message in reversed(body["messages"]):
            if message["role"] == "assistant":
                count += 1
            words = _words(message) if message["role"] == "user" else ""
            newest = max(self._script, key=words.rfind, default="")
            if newest and newest in words:
                return newest, count
        return "", count

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
                return

            def do_HEAD(self) -> None:
                self._send(200, b"", "text/plain")

            def do_GET(self) -> None:
                self._send(404, b"{}", "application/json")

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                path = self.path.partition("?")[0]
                if path != "/v1/messages":
                    answer = b'{"input_tokens": 10}' if path.endswith("count_tokens") else b"{}"
                    self._send(200, answer, "application/json")
                    return
                model.requests.append(body)
                message = _message(body, model._reply(body))
                if body.get("stream"):
                    self._send(200, b"".join(_stream(message)), "text/event-stream")
                else:
                    self._send(200, json.dumps(message).encode(), "application/json")

            def _send(self, status: int, data: bytes, kind: str) -> None:
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except ConnectionError:
                    return  # the client was killed, or has changed its mind

        return Handler


def _words(message: dict[str, Any]) -> str:
    """
    Return what a person said in a message: no tool results, and no reminders.

    Some versions put the hooks' context in there, which quotes earlier prompts.
    """
    content = message["content"]
    if not isinstance(content, str):
        content = "\n".join(block["text"] for block in content if block["type"] == "text")
    return REMINDER.sub("", content)


def _message(body: dict[str, Any], blocks: Reply) -> dict[str, Any]:
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": list(blocks),
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }


def _stream(message: dict[str, Any]) -> Iterator[bytes]:
    """Give a finished message as the events that it would have come in."""
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        start, delta = _parts(block)
        yield _event("content_block_start", index=index, content_block=start)
        if delta:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=message["usage"])
    yield _event("message_stop")


def _parts(block: Block) -> tuple[Block, Block | None]:
    """Return a block's beginning and the one delta that completes it."""
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    if block["type"] == "tool_use":
        written = json.dumps(block["input"], ensure_ascii=False)
        return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": written}
    return block, None


def _event(kind: str, **fields: object) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False)
    return f"event: {kind}\ndata: {data}\n\n".encode()

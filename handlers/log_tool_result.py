"""PostToolUse: keep what Edit, Write, NotebookEdit, WebFetch and WebSearch produced."""

from typing import Final

import structlog

from runtime.digest import sha256_hex
from runtime.services import Services
from runtime.text import head_and_tail, without_encoded
from schemas.outputs import HookOutput
from schemas.records import NewMemory
from schemas.tool_events import PostToolUse

log = structlog.get_logger(__name__)

PRODUCED: Final = {
    "Edit": ("newString",),
    "Write": ("content",),
    "NotebookEdit": ("new_source",),
    "WebFetch": ("result",),
    "WebSearch": ("results",),
}
"""Where each tool's response holds what it produced (client 2.1.332)."""
NEVER: Final = frozenset(
    {"originalFile", "oldString", "original_file", "updated_file", "old_source", "structuredPatch"}
    | {"data", "base64", "tool_use_id", "filePath", "type", "codeText", "query", "url"}
)
"""Old bodies, encoded files and bookkeeping: no part of the result."""
TARGETS: Final = ("file_path", "notebook_path", "url", "query")
HTTP_ERROR: Final = 400
SECRET_FILES: Final = (
    ".env", ".pem", ".key", ".p12", ".pfx", ".kdbx", ".netrc", ".pgpass", ".npmrc", ".pypirc",
    ".htpasswd", ".git-credentials", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519",
    ".aws/credentials",
)  # fmt: skip


async def handle(event: PostToolUse, services: Services) -> HookOutput | None:
    """
    Return the result as one memory when it is over the limit of characters.

    200 characters or fewer are noise (source text, "PostToolUse"): 201 is kept. A
    result that the project already has is absorbed by its key. A page that
    answered with an error is no result, and files that hold keys are not kept.
    """
    text = without_encoded("\n".join(produced(event))).strip()
    target = target_of(event.tool_input)
    reason = refusal(event.tool_response, target)
    if reason is None and len(text) <= services.limits.min_chars:
        reason = "short"
    if reason is not None:
        log.info("tool_result_skipped", tool=event.tool_name, chars=len(text), reason=reason)
        return None
    identity = "\0".join((services.project_key, event.tool_name, target or "", text))
    memory = NewMemory(
        key=f"tool:{sha256_hex(identity)}",
        content=head_and_tail(text, services.limits.tool_max_chars),
        source=f"tool:{event.tool_name}",
        created_at=services.now(),
        tags=("tool_use", event.tool_name.lower()),
        tool=event.tool_name,
        target=target,
        session_id=event.session_id,
        message_id=event.tool_use_id,
    )
    log.info("tool_result_kept", tool=event.tool_name, chars=len(text))
    return HookOutput(memories=(memory,))


def produced(event: PostToolUse) -> list[str]:
    """Return the texts that the tool produced, in order."""
    response = event.tool_response
    if isinstance(response, dict):
        for field in PRODUCED.get(event.tool_name, ()):
            if field in response:
                return strings(response[field])
    return strings(response)


def strings(value: object) -> list[str]:
    """Return every human text in a value of unknown shape."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    if isinstance(value, dict):
        # A search result's link: title and address belong on one line.
        if isinstance(value.get("title"), str) and isinstance(value.get("url"), str):
            return [f"{value['title']} {value['url']}"]
        return [text for key, item in value.items() if key not in NEVER for text in strings(item)]
    return []


def target_of(tool_input: object) -> str | None:
    """Return the path, address or query that the tool worked on."""
    if isinstance(tool_input, dict):
        for field in TARGETS:
            value = tool_input.get(field)
            if isinstance(value, str) and value:
                return value
    return None


def refusal(response: object, target: str | None) -> str | None:
    """Return why a result must not be kept, whatever its length."""
    if isinstance(response, dict):
        code = response.get("code")
        if isinstance(code, int) and code >= HTTP_ERROR:
            return "http error"
        if response.get("error"):
            return "failed"
    path = (target or "").replace("\\", "/").lower()
    if path.endswith(SECRET_FILES) or path.rsplit("/", 1)[-1].startswith(".env"):
        return "file of secrets"
    return None

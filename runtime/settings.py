"""
Settings: TOML, then environment, into one frozen model that knows its origins.

Every setting has one name (`capture.min_chars`), one variable derived from it
(`OBOEGAKI_CAPTURE_MIN_CHARS`), and some the older name that memory_system used
for it. A hook must run whatever the file says, so a value that does not fit
is reported and its default used; commands refuse instead.
"""

import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from runtime.dotted import drop, get, put
from runtime.errors import SettingsError
from runtime.setting_paths import PATHS, begin_at, is_address
from runtime.setting_sections import (
    Capture,
    Events,
    Hook,
    Inject,
    Logs,
    Notes,
    Permanent,
    Retention,
    Semantic,
    Store,
    Sync,
    Worker,
)
from schemas.base import Own


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

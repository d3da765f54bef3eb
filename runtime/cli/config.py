"""`runtime config`: every setting, its value and where that comes from."""

import os
from typing import Any

import click
from pydantic import BaseModel

from runtime.app import prepared_home
from runtime.cli.lazy import Group
from runtime.cli.output import columns, json_option, print_json, say
from runtime.durable import leave_mark
from runtime.errors import SettingsError
from runtime.paths import find_home
from runtime.settings import Loaded, load, names


@click.group(cls=Group)
def config() -> None:
    """Settings: config.toml in the home, then the environment."""


@config.command()
@json_option
def show(*, as_json: bool) -> None:
    """Print every setting with where its value comes from."""
    loaded = _load()
    rows = []
    for name, (variable, description, _default) in names().items():
        value, origin = _value(loaded.settings, name), loaded.origins.get(name, "default")
        rows.append((name, value, origin, variable, description))
    if as_json:
        keys = ("name", "value", "origin", "variable", "description")
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
    else:
        columns([(name, _text(value), origin) for name, value, origin, *_rest in rows])
        for problem in loaded.problems:
            say(f"problem: {problem}")


@config.command()
def path() -> None:
    """Print where the settings are read from."""
    say(find_home(os.environ).config)


@config.command()
@json_option
def check(*, as_json: bool) -> None:
    """Check the settings; exit 1 when something does not fit."""
    loaded = _load()
    if as_json:
        print_json({"ok": not loaded.problems, "problems": loaded.problems})
    elif not loaded.problems:
        say("settings are fine")
    if loaded.problems:
        raise SettingsError(loaded.problems)


def _load() -> Loaded:
    home = prepared_home(os.environ)
    loaded = load(home.config, os.environ)
    leave_mark(home, loaded)
    return loaded


def _value(settings: BaseModel, name: str) -> Any:
    value: Any = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "-"
    if isinstance(value, bool):
        return str(value).lower()  # as config.toml has it
    return "-" if value == "" else str(value)

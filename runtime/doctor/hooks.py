"""The hooks that Claude Code knows of: where, whose, whether they still start."""

import ast
import os
import re
import shutil
from pathlib import Path
from typing import Any, Final, NamedTuple

from runtime.doctor.check import Checked, Place, found
from runtime.doctor.python import is_shim
from runtime.install.command import enabled_plugin, read_all, unreadable
from runtime.install.edit import ours_in
from runtime.install.entries import EVENTS, command_words, entry, has_matcher
from runtime.install.scopes import Scope

PATHS: Final = re.compile(r"sys\.path\[:0\]=(\[[^\]]*\])")
"""Where a registered command looks for our package (`runtime.launch`)."""
SLOW_STARTERS: Final = frozenset({"uv", "uvx", "pipx", "poetry", "hatch", "pdm", "conda"})


class Registered(NamedTuple):
    """One entry of ours."""

    scope: Scope
    path: Path
    event: str
    matcher: str | None
    handler: Any


def check(place: Place) -> list[Checked]:
    """Look at every settings file that Claude Code reads here."""
    files = read_all(place.environ, place.cwd)
    ours = [Registered(scope, path, *one) for scope, path, value in files for one in ours_in(value)]
    plugin = enabled_plugin(files)
    off = [
        str(path)
        for _scope, path, value in files
        if isinstance(value, dict) and value.get("disableAllHooks") is True
    ]
    faults = unreadable(place.environ, place.cwd)
    rows = [_where(ours, plugin, has_faults=bool(faults))]
    if faults:
        saw = "; ".join(f"{fault.where}: {fault.reason}" for fault in faults)
        advice = "correct the file: until then nobody can tell which hooks it registers"
        rows.append(found("hooks.settings", "problem", saw, advice))
    if off:
        saw = f"disableAllHooks is set in {', '.join(off)}"
        rows.append(found("hooks.disabled", "warning", saw, "no hook runs until that is taken out"))
    if ours:
        rows += [_events(ours), _commands(ours, place), _form(ours)]
    return rows


def _where(ours: list[Registered], plugin: tuple[Path, str] | None, *, has_faults: bool) -> Checked:
    scopes = sorted({f"{one.scope} ({one.path})" for one in ours})
    if not scopes and plugin is None and has_faults:
        saw = "no hook of ours in the settings that can be read"
        return found("hooks.registered", "warning", saw, "see hooks.settings first")
    if not scopes and plugin is None:
        advice = "`runtime install`, or enable the plugin"
        return found("hooks.registered", "warning", "no hook of ours is registered here", advice)
    if scopes and plugin is not None:
        saw = f"{', '.join(scopes)} and the plugin {plugin[1]}: every hook runs twice"
        return found("hooks.registered", "warning", saw, "`runtime uninstall`, or drop the plugin")
    if plugin is not None:
        return found("hooks.registered", "ok", f"by the plugin {plugin[1]}")
    # Equal commands run once, wherever they stand; the client tells by program and arguments.
    commands = {
        event: {repr(one.handler) for one in ours if one.event == event} for event in EVENTS
    }
    if any(len(different) > 1 for different in commands.values()):
        saw = f"{', '.join(scopes)}, with different commands: hooks run twice"
        return found("hooks.registered", "warning", saw, "`runtime uninstall --scope` one of them")
    return found("hooks.registered", "ok", f"in settings: {', '.join(scopes)}")


def _events(ours: list[Registered]) -> Checked:
    present = {one.event for one in ours if has_matcher(one.event, one.matcher)}
    missing = [event for event in EVENTS if event not in present]
    if missing:
        saw = f"not registered, or with another matcher: {', '.join(missing)}"
        return found("hooks.events", "warning", saw, "`runtime install`")
    return found("hooks.events", "ok", f"all {len(EVENTS)} events")


def _commands(ours: list[Registered], place: Place) -> Checked:
    faults = dict.fromkeys(fault for one in ours if (fault := _fault(one.handler, place)))
    if faults:
        return found("hooks.command", "problem", "; ".join(faults), "`runtime install`")
    slow = sorted({name for one in ours if (name := _slow_starter(one.handler))})
    if slow:
        saw = f"started through {', '.join(slow)}, at each event anew"
        advice = "`runtime install` registers the interpreter itself"
        return found("hooks.command", "warning", saw, advice)
    programs = sorted({command_words(one.handler)[0] for one in ours})
    return found("hooks.command", "ok", ", ".join(programs))


def _fault(handler: Any, place: Place) -> str | None:
    """Return why a registered command cannot work; None when nothing speaks against it."""
    program, *arguments = command_words(handler)
    if shutil.which(program, path=place.environ.get("PATH", os.defpath)) is None:
        return f"{program} is not there or cannot be run"
    for argument in arguments:
        listed = PATHS.search(argument)
        if listed is None:
            continue
        folders = _literal(listed[1])
        if not any(os.path.isfile(os.path.join(one, "runtime", "client.py")) for one in folders):
            return f"our package is not in {', '.join(folders)} any more"
    return None


def _literal(text: str) -> list[str]:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return []
    return [item for item in value if isinstance(item, str)]


def _slow_starter(handler: Any) -> str | None:
    program = command_words(handler)[0]
    name = os.path.basename(program)
    return program if is_shim(program) or name in SLOW_STARTERS else None


def _form(ours: list[Registered]) -> Checked:
    older = [one for one in ours if one.event not in EVENTS or one.handler != entry(one.event)]
    if not older:
        return found("hooks.form", "ok", "as this version registers them")
    saw = f"{len(older)} entries are of an older form or of another installation"
    return found("hooks.form", "note", saw, "`runtime install` replaces them by this one's")

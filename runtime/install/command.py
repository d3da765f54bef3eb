"""
`install` and `uninstall` as functions: what a command line gives, what it gets back.

Two of them at once take turns; what Claude Code or an editor writes in between
is told from the file itself.
"""

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from runtime.app import prepared_home
from runtime.errors import ClientSettingsError, PluginEnabledError
from runtime.install import edit, settings_file, skills
from runtime.install.entries import entry
from runtime.install.record import Record
from runtime.install.scopes import SCOPES, Scope, settings_path
from runtime.install.settings_file import SettingsFile
from runtime.locks import file_lock
from schemas.reports import Installed, InstalledSkill

LOCK_WAIT_S: Final = 10.0
PLUGIN: Final = "oboegaki"
NO_FILE: Final = ""
"""Stands among those keys for a file that was not there: no key of ours has that name."""


class Installer:
    """Both commands for one scope."""

    def __init__(self, scope: Scope, environ: Mapping[str, str], cwd: str) -> None:
        self.scope = scope
        self.path = settings_path(scope, environ, cwd)
        self._environ = environ
        self._cwd = cwd
        self._record = Record(environ)
        """Which keys of the settings file were there, and empty, before us."""

    def install(
        self, now: datetime, *, dry_run: bool, force: bool, with_skills: bool = False
    ) -> Installed:
        """Register our hooks. Raises ClientSettingsError, PluginEnabledError, FileChangedError."""
        plugin = enabled_plugin(self._others())
        if plugin is not None and not force:
            raise PluginEnabledError(str(plugin[0]), plugin[1])

        def work() -> Installed:
            file = settings_file.read(self.path)
            empty: frozenset[str] = frozenset()

            def put_in(text: str) -> str:
                nonlocal empty
                text, empty = edit.put_in(text)
                return text

            text = settings_file.change(file, put_in)
            ours = edit.ours_in(file.value)
            before = self._record.of(self.path)
            found = empty | ({NO_FILE} if file.original is None else frozenset())
            if ours:
                found |= before
            if found != before and not dry_run:
                self._record.note(self.path, found)
            done = self._finish(file, text, now, dry_run=dry_run)
            if not with_skills:
                return done
            return _with(done, skills.put_in(self._skills, self._record, dry_run=dry_run))

        return self._alone(work, dry_run=dry_run)

    def uninstall(self, now: datetime, *, dry_run: bool) -> Installed:
        """Take our hooks and skills out. Raises ClientSettingsError, FileChangedError."""

        def work() -> Installed:
            file = settings_file.read(self.path)
            empty = self._record.of(self.path)
            text = settings_file.change(file, lambda text: edit.take_out(text, empty))
            is_empty = text != file.text and not json.loads(text.removeprefix("\ufeff"))
            if NO_FILE in empty and is_empty:
                done = _remove(file, dry_run=dry_run)
            else:
                done = self._finish(file, text, now, dry_run=dry_run)
            if empty and not dry_run:
                self._record.note(self.path, ())
            return _with(done, skills.take_out(self._skills, self._record, dry_run=dry_run))

        return self._alone(work, dry_run=dry_run)

    def warnings(self) -> list[str]:
        """Return what stands in the way of hooks that are registered here."""
        found = []
        for scope, path, value in self._others():
            if isinstance(value, dict) and value.get("disableAllHooks") is True:
                found.append(f"{path} sets disableAllHooks: no hook runs until that is taken out")
            ours = edit.ours_in(value) if scope != self.scope else []
            if any(handler != entry(event) for event, _matcher, handler in ours):
                found.append(
                    f"{path} registers hooks of another oboegaki: each would run twice; "
                    f"take those out with `runtime uninstall --scope {scope}`"
                )
        if self.scope == "project":
            found.append(
                f"{self.path} is usually shared, and the commands hold this machine's paths; "
                "--scope local keeps them to yourself"
            )
        return found

    @property
    def _skills(self) -> Path:
        return self.path.parent / "skills"

    def _finish(self, file: SettingsFile, text: str, now: datetime, *, dry_run: bool) -> Installed:
        is_changed = text != file.text
        shown = settings_file.diff(file, text) if is_changed else ""
        backup = None
        if is_changed and not dry_run:
            backup = settings_file.write(file, text, now)
        return Installed(
            path=str(file.path),
            changed=is_changed,
            backup=None if backup is None else str(backup),
            diff=shown,
        )

    def _alone(self, work: Callable[[], Installed], *, dry_run: bool) -> Installed:
        if dry_run:
            return work()
        home = prepared_home(self._environ)
        with file_lock(os.path.join(home.run, "install.lock"), LOCK_WAIT_S):
            return work()

    def _others(self) -> list[tuple[Scope, Path, Any]]:
        return read_all(self._environ, self._cwd)


def _with(done: Installed, found: list[InstalledSkill]) -> Installed:
    return done.model_copy(update={"skills": tuple(found)})


def _remove(file: SettingsFile, *, dry_run: bool) -> Installed:
    """Delete the file that we made; no copy of it is kept, all that was in it was ours."""
    if not dry_run:
        settings_file.remove(file)
    return Installed(
        path=str(file.path),
        changed=True,
        backup=None,
        diff=settings_file.diff(file, ""),
        removed=True,
    )


def read_all(environ: Mapping[str, str], cwd: str) -> list[tuple[Scope, Path, Any]]:
    """Return (scope, path, value) of every settings file that is there and can be read."""
    found: list[tuple[Scope, Path, Any]] = []
    for scope, path in _paths(environ, cwd):
        with suppress(ClientSettingsError):
            file = settings_file.read(path)
            if file.original is not None:
                found.append((scope, path, file.value))
    return found


def unreadable(environ: Mapping[str, str], cwd: str) -> list[ClientSettingsError]:
    """Return why, for every settings file that is there and cannot be read."""
    found = []
    for _scope, path in _paths(environ, cwd):
        try:
            settings_file.read(path)
        except ClientSettingsError as error:
            found.append(error)
    return found


def _paths(environ: Mapping[str, str], cwd: str) -> list[tuple[Scope, Path]]:
    """Return every settings file once; in the home folder two scopes have the same."""
    scopes: dict[Path, Scope] = {}
    for scope in SCOPES:
        scopes.setdefault(settings_path(scope, environ, cwd), scope)
    return [(scope, path) for path, scope in scopes.items()]


def enabled_plugin(files: list[tuple[Scope, Path, Any]]) -> tuple[Path, str] | None:
    """Return where our plugin is enabled and its full name; None where it is not."""
    for _scope, path, value in files:
        plugins = value.get("enabledPlugins") if isinstance(value, dict) else None
        for name, chosen in plugins.items() if isinstance(plugins, dict) else ():
            if name.partition("@")[0] == PLUGIN and chosen:
                return path, name
    return None

"""`runtime install`, `runtime uninstall`: our hooks in Claude Code's settings."""

import os
from typing import Any

import click

from runtime.cli.output import json_option, note, print_json, say
from runtime.doctor.check import Place
from runtime.doctor.disk import unfit
from runtime.install.command import Installer
from runtime.install.scopes import SCOPES, Scope
from runtime.paths import find_home
from runtime.settings import load
from runtime.store.clock import utc_now
from schemas.reports import Installed

scope_option = click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="user",
    show_default=True,
    help="Whose settings: your own, this project's, or your own for this project.",
)
dry_option = click.option("--dry-run", is_flag=True, help="Show the change, write nothing.")


@click.command()
@scope_option
@dry_option
@click.option("--skills", is_flag=True, help="Also the skills for the assistant.")
@click.option("--force", is_flag=True, help="Also where the plugin is enabled.")
@json_option
def install(*, scope: Scope, dry_run: bool, skills: bool, force: bool, as_json: bool) -> None:
    """
    Register the hooks in Claude Code's settings.

    Only our own entries are touched; running it again, from another version or
    environment too, replaces them. The file as it was is kept beside it. A skill
    of the same name that is not ours is left alone.
    """
    installer = Installer(scope, os.environ, os.getcwd())
    done = installer.install(utc_now(), dry_run=dry_run, force=force, with_skills=skills)
    for warning in [*installer.warnings(), *_unfit_places()]:
        note(warning)
    _show(done, "hooks are registered already", as_json=as_json, dry_run=dry_run)


@click.command()
@scope_option
@dry_option
@json_option
def uninstall(*, scope: Scope, dry_run: bool, as_json: bool) -> None:
    """
    Take the hooks out of Claude Code's settings, and the skills that install put in.

    What was captured stays in the home.
    """
    installer = Installer(scope, os.environ, os.getcwd())
    done = installer.uninstall(utc_now(), dry_run=dry_run)
    _show(done, "no hook of ours is registered", as_json=as_json, dry_run=dry_run)


def _unfit_places() -> list[str]:
    """Return why the database should lie elsewhere: now is the time to move it."""
    home = find_home(os.environ)
    rows = unfit(Place(home, load(home.config, os.environ).settings))
    return [f"{row.finding.saw}: {row.finding.advice}" for row in rows]


def _show(done: Installed, nothing: str, **how: Any) -> None:
    if how["as_json"]:
        print_json(done)
        return
    _show_settings(done, nothing, dry_run=how["dry_run"])
    for skill in done.skills:
        word = f"would be {skill.outcome}" if how["dry_run"] else skill.outcome
        why = ": not ours, or edited since" if skill.outcome == "kept" else ""
        say(f"{skill.path}: {word}{why}")


def _show_settings(done: Installed, nothing: str, *, dry_run: bool) -> None:
    if not done.changed:
        say(f"{done.path}: {nothing}")
        return
    say(done.diff.rstrip("\n"))
    if dry_run:
        say(f"{done.path} would be changed; nothing was written")
        return
    if done.removed:
        say(f"deleted {done.path}: `runtime install` had made it, and nothing else was in it")
        return
    kept = f"; as it was: {done.backup}" if done.backup else ""
    say(f"wrote {done.path}{kept}")

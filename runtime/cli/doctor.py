"""`runtime doctor`: whether everything is as it should be, and what to do."""

import os
import sys
from functools import partial

import anyio
import click

from runtime.cli.output import json_option, print_json, say
from runtime.doctor.check import Place
from runtime.doctor.examine import examine
from runtime.errors import HomeError
from runtime.paths import Home, find_home
from runtime.settings import load
from schemas.reports import Examination


@click.command()
@click.option("--fix", is_flag=True, help="Mend what is safe to mend without asking.")
@click.option("--slow", is_flag=True, help="Also measure what takes seconds.")
@json_option
def doctor(*, fix: bool, slow: bool, as_json: bool) -> None:
    """
    Look for what keeps memory from working; exit 1 when there is a problem.

    Without --fix nothing is changed. With it: modes of the home's files, what
    dead processes left behind, missing bytecode, and a damaged search index.
    """
    home = _home()
    loaded = load(home.config, os.environ)
    place = Place(
        home=home,
        settings=loaded.settings,
        setting_problems=len(loaded.problems),
        is_slow=slow,
    )
    report = anyio.run(partial(examine, place, fix=fix))
    if as_json:
        print_json(report)
    else:
        _show(report)
    if any(finding.level == "problem" for finding in report.findings):
        sys.exit(1)


def _home() -> Home:
    try:
        return find_home(os.environ)
    except FileNotFoundError as error:
        raise HomeError("~/.oboegaki", str(error)) from error


def _show(report: Examination) -> None:
    for done in report.fixed:
        say(f"fixed: {done}")
    width = max(len(finding.id) for finding in report.findings)
    for finding in report.findings:
        say(f"{finding.level:<7}  {finding.id:<{width}}  {finding.saw}")
        if finding.advice and finding.level != "ok":
            say(f"{'':<7}  {'':<{width}}  -> {finding.advice}")
    levels = [finding.level for finding in report.findings]
    say(f"\nproblems: {levels.count('problem')}, warnings: {levels.count('warning')}")

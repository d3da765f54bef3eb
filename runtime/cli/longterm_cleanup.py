"""`runtime longterm cleanup`: what could go, and a plan that does it."""

import os
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, get_args

import click

from runtime.cli.output import counted, json_option, note, print_json, put, say
from runtime.cli.progress import progress_bar
from runtime.cli.selecting import MOST
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.errors import PlanExistsError, PlanUnwritableError, UnreadableFileError
from runtime.files import write_atomic
from runtime.longterm.cleanup import (
    MAX_CHARS,
    UNUSED_DAYS,
    Measures,
    by_reason,
    find_candidates,
)
from runtime.longterm.cleanup_plan import Plan, apply_plan, make_plan, read_plan, undo_plan
from runtime.longterm.retention import apply_rules
from runtime.retention_rules import parse_rule
from runtime.store.clock import utc_now
from runtime.store.store import Store
from runtime.text import one_line
from schemas.cleanup import Applied, CleanupReport, PlanLine, Reason

REASONS: Final = (*get_args(Reason), "all")
STDOUT: Final = "-"
PRIVATE_MODE: Final = 0o600
SHOWN: Final = 3
SUMMARY_CHARS: Final = 60
LISTED_SKIPS: Final = 20

Work = Callable[[Store, Sequence[PlanLine], datetime], Awaitable[Applied]]


@click.command()
@click.option("--plan", "path", metavar="FILE", help="Write the plan there; - for stdout.")
@click.option("--force", is_flag=True, help="Overwrite a plan that is there.")
@click.option(
    "--take",
    "taken",
    multiple=True,
    metavar="REASON",
    type=click.Choice(REASONS),
    help="Write these lines so that they count: a reason, or all. May be repeated.",
)
@click.option("--apply", "apply_path", metavar="FILE", help="Delete what this plan says.")
@click.option("--undo", "undo_path", metavar="FILE", help="Bring back what this plan deleted.")
@click.option("--retention", is_flag=True, help="Delete what `retention.rules` do not keep.")
@click.option(
    "--unused-days",
    default=UNUSED_DAYS,
    show_default=True,
    type=WholeNumber(1, MOST),
    help="Age from which what no model was told of could go.",
)
@click.option(
    "--max-chars",
    default=MAX_CHARS,
    show_default=True,
    type=WholeNumber(1, MOST),
    help="Longer memories could go.",
)
@json_option
def cleanup(  # noqa: PLR0913 - the options are the interface
    *,
    path: str | None,
    force: bool,
    taken: tuple[str, ...],
    apply_path: str | None,
    undo_path: str | None,
    retention: bool,
    unused_days: int,
    max_chars: int,
    as_json: bool,
) -> None:
    """
    Find memories that could go, each with its reason; without options change nothing.

    Texts that are almost the same, prompts that were put again, files that were
    edited again in one session, chatter, what no model was ever told of, what is
    large, what the rules for retention do not keep. --plan writes them down to
    decide on, --apply does what the plan says, and `runtime longterm restore` or
    --undo takes it back until `runtime longterm purge`. Pinned memories are never
    touched. No model is asked.
    """
    if sum(map(bool, (path, apply_path, undo_path, retention))) > 1:
        msg = "give one of --plan, --apply, --undo and --retention"
        raise click.UsageError(msg)
    if path == STDOUT and as_json:
        msg = "--plan - prints the plan itself: leave --json out, or name a file"
        raise click.UsageError(msg)
    if apply_path:
        _tell(_done(apply_path, apply_plan), "deleted", as_json=as_json)
    elif undo_path:
        _tell(_done(undo_path, undo_plan), "restored", as_json=as_json)
    elif retention:
        _keep_rules(as_json=as_json)
    else:
        _propose(path, taken, (unused_days, max_chars), force=force, as_json=as_json)


def _propose(
    path: str | None,
    taken: tuple[str, ...],
    limits: tuple[int, int],
    *,
    force: bool,
    as_json: bool,
) -> None:
    if path and path != STDOUT and os.path.lexists(path) and not force:
        raise PlanExistsError(path)
    report = _report(*limits)
    plan = make_plan(report, utc_now().astimezone().date().isoformat(), taken)
    if path and plan.proposed:
        _write(path, plan)
    if as_json:
        print_json(report)
    elif path != STDOUT:
        _show(report)
    if path and not plan.proposed:
        note("nothing to clean up; no plan was written")
    elif path and not as_json:
        note(
            f"{counted(plan.proposed, 'memory', 'memories')} proposed, {plan.taken:,} of them to "
            "go; edit the plan, then --apply it"
        )


def _report(unused_days: int, max_chars: int) -> CleanupReport:
    async def work(app: AppContext) -> CleanupReport:
        rules = tuple(map(parse_rule, app.settings.retention.rules))
        measures = Measures(utc_now(), unused_days, max_chars, rules)
        with progress_bar("looking at memories") as progress:
            return await find_candidates(app.opened.connection, measures, progress)

    return with_app(work)


def _show(report: CleanupReport) -> None:
    say(
        f"{counted(report.memories, 'memory', 'memories')}, {report.pinned:,} pinned;"
        f" {len(report.candidates):,} could go"
    )
    for reason, count in sorted(by_reason(report).items()):
        say(f"\n{reason}: {count:,}")
        found = [item for item in report.candidates if item.reason == reason]
        for item in found[:SHOWN]:
            say(f"  #{item.id} {item.date} {one_line(item.summary, SUMMARY_CHARS)}")
            say(f"    {item.why}")
        if count > SHOWN:
            say(f"  and {count - SHOWN:,} more")
    if report.uncompared:
        note(
            f"{report.uncompared:,} pairs that may be alike were not compared; clean up, then again"
        )


def _write(path: str, plan: Plan) -> None:
    if path == STDOUT:
        put(plan.text)
        return
    try:
        write_atomic(Path(path), plan.text, new_mode=PRIVATE_MODE)
    except OSError as error:
        raise PlanUnwritableError(path, error.strerror or str(error)) from error


def _done(path: str, work: Work) -> Applied:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UnreadableFileError(path, reason or str(error)) from error
    lines = read_plan(text, path)
    return with_app(lambda app: work(app.opened, lines, utc_now()))


def _tell(applied: Applied, verb: str, *, as_json: bool) -> None:
    if as_json:
        print_json(applied)
        return
    say(f"{verb} {counted(len(applied.done), 'memory', 'memories')}")
    if applied.before:
        note(f"{len(applied.before):,} were so already")
    for item in applied.skipped[:LISTED_SKIPS]:
        note(f"left alone: #{item.id}, {item.why}")
    if len(applied.skipped) > LISTED_SKIPS:
        note(f"and {len(applied.skipped) - LISTED_SKIPS:,} more")


def _keep_rules(*, as_json: bool) -> None:
    async def work(app: AppContext) -> tuple[int, set[int]]:
        rules = tuple(map(parse_rule, app.settings.retention.rules))
        return len(rules), await apply_rules(app.opened, rules, utc_now()) if rules else set()

    rules, done = with_app(work)
    if as_json:
        print_json({"rules": rules, "deleted": sorted(done)})
    elif not rules:
        note('there are no rules; set retention.rules, such as ["kind=tool:WebFetch age=90d"]')
    else:
        say(f"deleted {counted(len(done), 'memory', 'memories')} by {counted(rules, 'rule')}")

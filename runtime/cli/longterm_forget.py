"""`runtime longterm forget`: a text, a project, a session or a time, out of everything."""

import os
from typing import Final

import click

from runtime.cli.longterm_purge import yes_option
from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.selecting import Since
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.longterm.forgetting import forget as forget_all
from runtime.longterm.forgotten_dumps import forget_in_dumps
from runtime.longterm.wanted import Wanted
from runtime.project import identify
from runtime.store.clock import utc_now
from runtime.text import one_line
from schemas.forgetting import Forgotten, ForgottenMemory

LISTED: Final = 20
SUMMARY_CHARS: Final = 80


@click.command()
@click.option(
    "--match",
    metavar="TEXT",
    help="What holds this text, also inside of words, in any case and width.",
)
@click.option("--project", metavar="P", help="A project: its name, its key, or its folder.")
@click.option("--session", metavar="S", help="A session (the beginning of its id is enough).")
@click.option("--since", type=Since(), help="Since a date, a time, or 30m, 2h, 7d ago.")
@yes_option
@json_option
def forget(
    *,
    match: str | None,
    project: str | None,
    session: str | None,
    since: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """
    Forget for good: memories, captured events, log lines and input put aside.

    Without --yes it shows what would go, and the place of --match between » and «.
    Of several options all must hold. No byte is left in the home; a row without
    content stays of each memory, so that it is not captured or synced again. A new
    dump takes the place of this machine's dumps that hold it. Pinned memories, your
    notes, permanent memories and other machines' dumps stay and are named.
    """
    if not any((match and match.strip(), project, session, since)):
        msg = "give at least one of --match, --project, --session, --since"
        raise click.UsageError(msg)
    wanted = Wanted(
        match=(match or "").strip(),
        projects=_names(project),
        session=session or "",
        since=since or "",
    )

    async def work(app: AppContext) -> Forgotten:
        found = await forget_all(app.home, app.opened, wanted, is_dry=not yes)
        return await forget_in_dumps(app, wanted, found, utc_now())

    found = with_app(work)
    if as_json:
        print_json(found)
    else:
        _show(found, has_match=bool(wanted.match))


def _names(project: str | None) -> frozenset[str]:
    if not project:
        return frozenset()
    if os.sep in project:
        return frozenset({identify(os.path.abspath(os.path.expanduser(project))).key})
    return frozenset({project})


def _show(found: Forgotten, *, has_match: bool) -> None:
    for memory in found.memories[:LISTED]:
        say(_line(memory))
    if len(found.memories) > LISTED:
        say(f"and {len(found.memories) - LISTED:,} more")
    for path in found.files:
        say(path)
    _show_dumps(found)
    _name_what_stays(found)
    done = (found.memories, found.events, found.log_lines, found.files, found.saves, found.dumps)
    if not (any(done) or found.permanent):
        hint = "; --match takes the words as they stand" if has_match else ""
        note(f"nothing that could be forgotten was found{hint}")
        return
    what = (
        f"{counted(len(found.memories), 'memory', 'memories')},"
        f" {counted(found.events, 'captured event')}, {counted(found.log_lines, 'log line')},"
        f" {counted(len(found.files), 'file')}"
    )
    if found.saves:
        what += f", {counted(found.saves, 'save')} of permanent memories"
    if found.permanent:
        what += f", {counted(len(found.permanent), 'permanent memory', 'permanent memories')}"
        what += " in the search"
    if found.done:
        say(f"forgotten: {what}")
    else:
        note(f"would be forgotten: {what}; --yes does it, and it cannot be taken back")


def _show_dumps(found: Forgotten) -> None:
    for path in found.dumps:
        say(f"{path}: {'removed' if found.done else 'would go'}, a new dump takes its place")
    for path in found.other_dumps:
        note(
            f"a dump that is not known as this machine's holds it, and stays: {path};"
            " another machine's goes when that one has synced, and dumped again"
        )
    for place in found.unread_dumps:
        note(f"could not be looked into: {place}")


def _name_what_stays(found: Forgotten) -> None:
    for memory in found.pinned:
        note(f"pinned, stays: {_line(memory)}; `runtime longterm delete {memory.id}` first")
    for place in found.notes:
        note(f"a note holds it, and stays as it is: {place}")
    for place in found.permanent:
        note(f"a permanent memory holds it, and stays as it is until you change it there: {place}")
    for path in found.others:
        note(f"still holds it: {path}")


def _line(memory: ForgottenMemory) -> str:
    state = " (deleted)" if memory.is_deleted else ""
    return f"#{memory.id}{state} {memory.found or one_line(memory.summary, SUMMARY_CHARS)}"

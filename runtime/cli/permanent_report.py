"""`runtime permanent report`: what is worth a look."""

from collections.abc import Sequence
from functools import partial

import anyio
import click

from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.permanent_session import with_permanent
from runtime.cli.progress import progress_bar
from runtime.notes.duplicates import find_duplicates
from runtime.permanent.folder import strangers
from runtime.permanent.local import Local
from runtime.permanent.report import Pair, report, walk
from runtime.permanent.service import Permanent
from runtime.store.clock import local_time, utc_now
from schemas.permanent import PermanentReport, PostRef


@click.command("report")
@json_option
def report_command(*, as_json: bool) -> None:
    """
    Look for duplicates, outdated posts, bad titles and posts that belong together.

    Changes nothing. Rules find candidates; what becomes of them is for you to say.
    """
    with progress_bar("reading") as progress:

        async def work(permanent: Permanent) -> PermanentReport:
            posts = [post async for post in walk(permanent, progress)]
            others = await _strangers(permanent)
            make = partial(report, permanent.backend.name, posts, _pairs, utc_now(), others)
            return await anyio.to_thread.run_sync(make)

        found = with_permanent(work)
    if as_json:
        print_json(found)
    else:
        _show(found)


def _pairs(texts: Sequence[str]) -> list[Pair]:
    return [Pair(*pair) for pair in find_duplicates(texts).pairs]


async def _strangers(permanent: Permanent) -> list[tuple[str, str]]:
    if not isinstance(permanent.backend, Local):
        return []
    found = await anyio.to_thread.run_sync(strangers, permanent.backend.folder)
    return [(str(path), reason) for path, reason in found]


def _show(found: PermanentReport) -> None:
    say(f"{counted(found.posts, 'permanent memory', 'permanent memories')} in {found.place}")
    for twins in found.twins:
        say(f"\n{twins.how}, {twins.similarity:.0%}:\n  {_named(twins.a)}\n  {_named(twins.b)}")
    for stale in found.stale:
        words = ", ".join(stale.words)
        say(f"\nunchanged for {stale.months} months, bound to its time ({words}):")
        say(f"  {_named(stale.post)}")
    for problem in dict.fromkeys(bad.problem for bad in found.titles):
        say(f"\ntitle, {problem}:")
        for bad in found.titles:
            if bad.problem == problem:
                say(f"  {_named(bad.post)}")
    for group in found.together:
        say(f"\nabout the same, {' '.join(f'[{word}]' for word in group.keywords)}:")
        for post in group.posts:
            say(f"  {_named(post)}")
    for path, reason in found.strangers:
        say(f"\nno permanent memory, {reason}:\n  {path}")
    if not (found.twins or found.stale or found.titles or found.together or found.strangers):
        note("nothing stands out")


def _named(post: PostRef) -> str:
    return f"#{post.number}  {local_time(post.updated_at)}  {post.title}"

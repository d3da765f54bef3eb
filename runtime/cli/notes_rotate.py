"""`runtime notes rotate`: keep the newest blocks, archive the rest."""

from functools import partial
from pathlib import Path

import anyio
import click

from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.session import with_app
from runtime.cli.whole_number import WholeNumber
from runtime.context import AppContext
from runtime.errors import NoteBusyError, RotationFailedError, UnreadableFileError
from runtime.locks import LockTimeout
from runtime.notes.book import archive_of, archives, folders, refresh
from runtime.notes.finding import root_of
from runtime.notes.rotation import Rotation
from runtime.notes.rotation import rotate as rotate_file


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "-n", "keep", type=WholeNumber(1), help="Newest blocks that stay.  [default: notes.keep_blocks]"
)
@click.option("--archive", type=click.Path(path_type=Path), help="Where the rest goes.")
@json_option
def rotate(path: Path, keep: int | None, archive: Path | None, *, as_json: bool) -> None:
    """
    Keep the newest H2 blocks of PATH and move the rest to the archive.

    The newest block is the first. With as many blocks or fewer nothing happens.
    """
    if not path.is_file():
        raise UnreadableFileError(str(path), "no such file; give the path of a Markdown file")

    async def work(app: AppContext) -> tuple[Rotation, bool]:
        settings = app.settings.notes
        rotation = partial(
            rotate_file,
            path,
            keep=settings.keep_blocks if keep is None else keep,
            archive=archive or archive_of(path, app.settings),
            archive_max_bytes=settings.archive_max_bytes,
            lock_dir=Path(app.home.run),
        )
        try:
            done = await anyio.to_thread.run_sync(rotation)
        except LockTimeout as error:
            raise NoteBusyError(str(path), error.waited_s) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise RotationFailedError(str(error.filename or path), reason) from error
        await refresh(app.home, app.settings, app.opened)
        return done, await anyio.to_thread.run_sync(_is_searched, done.archive, app)

    done, is_searched = with_app(work)
    if as_json:
        place = str(done.archive) if done.archive else None
        print_json({"archived": done.archived, "kept": done.kept, "archive": place})
    elif done.archived:
        moved = counted(done.archived, "block")
        say(f"archived {moved} to {done.archive}, kept the newest {done.kept}")
    else:
        say(f"nothing to archive: {counted(done.kept, 'block')}")
    if not is_searched:
        note(
            f"what lies in {done.archive} is not searched: set notes.context to {path}, or name "
            "an --archive in a folder of notes"
        )


def _is_searched(archive: Path | None, app: AppContext) -> bool:
    roots = (*folders(app.home, app.settings), *archives(app.settings))
    return archive is None or root_of(str(archive), roots, app.settings.notes.ignore) is not None

"""`runtime permanent edit`: a permanent memory in the person's own editor."""

import os
from pathlib import Path

import click

from runtime.cli.output import note, say
from runtime.cli.permanent_read import number_argument
from runtime.cli.permanent_session import with_permanent
from runtime.errors import ExpectedError
from runtime.files import write_atomic
from runtime.paths import FILE_MODE, find_home
from runtime.permanent.errors import ConflictError
from runtime.permanent.merge import OURS_MARK, THEIRS_MARK
from runtime.permanent.service import Permanent, Updated
from schemas.permanent import Change, Post

TITLE = "title: "


class EditLeftError(ExpectedError):
    """An edit that was not saved, and where its text is."""

    def __init__(self, path: str, problem: str) -> None:
        self.path = path
        super().__init__(f"not saved: {problem}; your text is in {path}")


@click.command()
@number_argument
def edit(number: int) -> None:
    """
    Edit a permanent memory in $EDITOR.

    What others save meanwhile is merged into your text. Where both clash the
    editor opens again on both. A text that cannot be saved stays in a file.
    """

    async def read(permanent: Permanent) -> Post:
        return await permanent.show(number)

    post = with_permanent(read)
    title, body, revision = post.title, post.body_md, post.revision
    while True:
        text = click.edit(f"{TITLE}{title}\n\n{body}", extension=".md", require_save=True)
        if text is None:
            note("nothing changed")
            return
        title, body = _parts(text, title)
        if revision == post.revision and _same(title, body, post):
            note("nothing changed")
            return
        _refuse_marks(number, text)
        change, read_at = Change(title=title, body_md=body), revision

        async def save(
            permanent: Permanent, change: Change = change, read_at: int = read_at
        ) -> Updated:
            return await permanent.update(
                number, change.title, change.body_md, read_at, merging=True
            )

        try:
            updated = with_permanent(save)
        except ConflictError as error:
            found = error.difference
            body, revision = found.merged or found.yours.body_md, found.revision
            note(f"revision {revision} was saved meanwhile and clashes: put both in order")
        except ExpectedError as error:
            raise EditLeftError(_kept(number, text), str(error)) from error
        else:
            how = ", merged with what was saved meanwhile" if updated.merged else ""
            say(f"saved: #{number} is at revision {updated.post.revision}{how}")
            return


def _parts(text: str, title: str) -> tuple[str, str]:
    """Take an edited text apart; without a title line the title stays."""
    first, _, rest = text.partition("\n")
    if not first.startswith(TITLE.rstrip()):
        return title, text
    return first.removeprefix(TITLE.rstrip()).strip(), rest.removeprefix("\n")


def _same(title: str, body: str, post: Post) -> bool:
    """Say whether an editor wrote the file without another text; it may have ended its line."""
    return (title, body.rstrip("\n")) == (post.title, post.body_md.rstrip("\n"))


def _refuse_marks(number: int, text: str) -> None:
    lines = text.split("\n")
    if all(any(line.startswith(mark + " ") for line in lines) for mark in (OURS_MARK, THEIRS_MARK)):
        problem = "it still has the marks of a clash, <<<<<<< and >>>>>>>"
        raise EditLeftError(_kept(number, text), problem)


def _kept(number: int, text: str) -> str:
    folder = Path(find_home(os.environ).root) / "edits"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{number}-{os.urandom(3).hex()}.md"
    write_atomic(path, text, new_mode=FILE_MODE)
    return str(path)

"""
The files of a folder of permanent memories: reading, naming, writing.

Blocking: run it in a worker thread. A file belongs here when its head has a
number; any other Markdown file is the person's own and stays untouched.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeGuard

from runtime.errors import ExpectedError
from runtime.files import read_text, remove_all_leftovers, write_atomic
from runtime.paths import DIR_MODE, FILE_MODE
from runtime.permanent import front_matter
from runtime.store.clock import from_ns, utc
from runtime.text import replace_surrogates
from schemas.permanent import Post

NAMES: Final = frozenset(
    {"number", "revision", "title", "tags", "category", "wip", "created", "updated"}
)
SLUG_CHARS: Final = 60
SLUG_BYTES: Final = 180
"""With the number, and what a temporary file's name adds, a name has 255 at most."""
MOST_NUMBER: Final = 2**31 - 1
"""Of a post, and of a revision; what says a higher one is a slip of the pen."""
NOWHERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""A link with one of these leads to nothing; with any other error it may lead to a post."""
NO_SLUG: Final = re.compile(r"[^\w]+")


class PostFile(NamedTuple):
    """One file, as it stands on the disk."""

    path: Path
    text: str
    other: tuple[str, ...]
    """Lines of its head that are the person's own."""
    post: Post
    """Its revision is the one that the head names, which may be behind."""
    mtime_ns: int
    size: int
    """In bytes; both as they were before it was read."""


def scan(folder: Path) -> dict[int, PostFile]:
    """
    Return all posts of the folder, by number.

    Of two files with one number the first by name counts.
    """
    found: dict[int, PostFile] = {}
    for file in _files(folder):
        found.setdefault(file.post.number, file)
    return found


def missed(folder: Path, found: Mapping[int, PostFile]) -> set[str]:
    """
    Return the paths of files that are posts, or may be, and were not among those found.

    Reading one fails for a moment where descriptors are used up or a disk has a fault.
    """
    there = {file.path for file in found.values()}
    return {str(path) for path in _paths(folder) if path not in there and _may_be(path, found)}


def _may_be(path: Path, found: Mapping[int, PostFile]) -> bool:
    try:
        file = _read_post(path)
    except OSError:
        return _may_be_file(path)
    return file is not None and file.post.number not in found


def _may_be_file(path: Path) -> bool:
    """Tell whether it is a file; Path.is_file() raises, or says no, where a stat fails."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        return error.errno not in NOWHERE


def strangers(folder: Path) -> list[tuple[Path, str]]:
    """Return the Markdown files of the folder that are no posts, with the reason."""
    reasons = []
    first: dict[int, Path] = {}
    for path in _paths(folder):
        file = _read(path)
        if file is None:
            reasons.append((path, "no number in its head"))
        elif first.setdefault(file.post.number, path) != path:
            reasons.append((path, f"the number of {first[file.post.number].name}"))
    return reasons


def save(folder: Path, post: Post, old: PostFile | None) -> Path:
    """
    Write a post's file; a known one keeps its name. Returns the path.

    Raises FileChangedError when it is not what was read, OSError.
    """
    remove_all_leftovers(folder)
    text = front_matter.write(_facts(post), old.other if old else (), post.body_md)
    if old is not None:
        write_atomic(old.path, text, replacing=old.text)
        return old.path
    folder.mkdir(mode=DIR_MODE, parents=True, exist_ok=True)
    path = folder / f"{post.number:04d}-{_slug(post.title)}.md"
    if path.exists():
        path = folder / f"{post.number:04d}-{os.urandom(3).hex()}.md"
    write_atomic(path, text, new_mode=FILE_MODE)
    return path


def _files(folder: Path) -> Iterator[PostFile]:
    for path in _paths(folder):
        file = _read(path)
        if file is not None:
            yield file


def _paths(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    return [folder / name for name in names if name.endswith(".md") and not name.startswith(".")]


def _read(path: Path) -> PostFile | None:
    try:
        return _read_post(path)
    except OSError:
        return None


def _read_post(path: Path) -> PostFile | None:
    status = path.stat()
    try:
        text = read_text(path)
    except ExpectedError:  # no text
        return None
    head = front_matter.read(text, NAMES)
    number = head.facts.get("number")
    if not _is_number(number):
        return None
    post = _post(number, head, path, utc(from_ns(status.st_mtime_ns)))
    return PostFile(path, text, head.other, post, status.st_mtime_ns, status.st_size)


def _post(number: int, head: front_matter.Head, path: Path, moment: str) -> Post:
    facts = head.facts
    revision = facts.get("revision")
    tags = facts.get("tags")
    return Post(
        number=number,
        title=_text(facts.get("title")) or replace_surrogates(path.stem),
        body_md=head.body,
        tags=tuple(replace_surrogates(str(tag)) for tag in tags) if isinstance(tags, list) else (),
        category=_text(facts.get("category")) or None,
        wip=facts.get("wip") is True,
        revision=revision if _is_number(revision) else 1,
        created_at=_text(facts.get("created")) or moment,
        updated_at=_text(facts.get("updated")) or moment,
        updated_by="",
        url=path.as_uri(),
    )


def _is_number(value: Any) -> TypeGuard[int]:
    return type(value) is int and 1 <= value <= MOST_NUMBER


def _text(value: Any) -> str:
    return replace_surrogates(value) if isinstance(value, str) else ""


def _facts(post: Post) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "number": post.number,
        "revision": post.revision,
        "title": post.title,
        "tags": list(post.tags),
        "created": post.created_at,
        "updated": post.updated_at,
    }
    if post.category:
        facts["category"] = post.category
    if post.wip:
        facts["wip"] = True
    return facts


def _slug(title: str) -> str:
    words = NO_SLUG.sub("-", title).strip("-")[:SLUG_CHARS]
    # A character cut in half goes whole.
    return words.encode("utf-8")[:SLUG_BYTES].decode("utf-8", "ignore").strip("-") or "post"

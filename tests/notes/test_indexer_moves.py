"""Files that are renamed, moved or copied."""

import os
from pathlib import Path

import pytest

from runtime.notes.indexer import Indexed
from runtime.store.store import Store
from tests.notes.shadow import check, chunks, found, ids, index, write


@pytest.mark.parametrize("to", ["b.md", "sub/a.md", "2020-01-01 a.md"])
async def test_a_renamed_file_keeps_its_rows(store: Store, root: Path, to: str) -> None:
    """The index learns nothing anew: no row leaves it and none comes in."""
    path = write(root / "a.md", "## One\nalpha\n\n## Two\nbeta\n")
    os.utime(path, (0, 1_750_000_000))
    await index(store, root)
    before = await ids(store)

    (root / to).parent.mkdir(exist_ok=True)
    path.rename(root / to)
    done = await index(store, root)

    assert (done.files, done.changed, done.added, done.removed) == (1, 1, 0, 0)
    assert await ids(store) == before
    assert await found(store, "alpha") == [os.path.basename(to)]
    rows = await chunks(store.connection)
    assert {row[-1] for row in rows} == {"file name" if to.startswith("2020") else "file time"}
    assert await index(store, root) == Indexed(1, 0, 0, 0, ())
    await check(store)


async def test_a_file_that_was_renamed_and_edited_has_the_new_text_only(
    store: Store, root: Path
) -> None:
    path = write(root / "a.md", "## One\noldword\n\n## Two\nbeta\n")
    await index(store, root)
    status = path.stat()

    path.rename(root / "b.md")
    write(root / "b.md", "## One\nnewword\n\n## Two\nbeta\n")
    os.utime(root / "b.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    done = await index(store, root)

    assert (done.added, done.removed) == (1, 1)
    assert await found(store, "oldword") == []
    assert await found(store, "newword") == ["b.md"]
    await check(store)


async def test_two_files_that_look_alike_and_change_places_are_not_mixed_up(
    store: Store, root: Path
) -> None:
    for name, text in (("a.md", "alphaword"), ("b.md", "betaword1")):
        os.utime(write(root / name, text), (0, 1_750_000_000))
    await index(store, root)

    (root / "a.md").rename(root / "c.md")
    (root / "b.md").rename(root / "d.md")
    await index(store, root)

    assert await found(store, "alphaword") == ["c.md"]
    assert await found(store, "betaword1") == ["d.md"]
    await check(store)


async def test_a_copy_with_the_same_time_leaves_the_original(store: Store, root: Path) -> None:
    path = write(root / "a.md", "word")
    os.utime(path, (0, 1_750_000_000))
    await index(store, root)

    os.utime(write(root / "b.md", "word"), (0, 1_750_000_000))
    await index(store, root)

    assert await found(store, "word") == ["a.md", "b.md"]

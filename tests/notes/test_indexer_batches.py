"""However the work is divided, and wherever it is ended, the index becomes the same."""

from pathlib import Path
from typing import Any

import pytest

from runtime.notes import indexer
from runtime.notes.indexer import Indexed, reindex
from runtime.notes.sections import read_note
from runtime.store.chunks import Changed, Note, put_notes
from runtime.store.note_files import NoteFile
from runtime.store.search import search
from runtime.store.store import Store, open_store
from tests.notes.shadow import MAX_BYTES, check, chunks, found, index, write


async def test_a_file_larger_than_a_batch_is_written_in_several_transactions(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another writer gets its turn in between, and a cancelled run goes on where it left off."""
    sizes: list[int] = []
    original = put_notes

    async def counted(*arguments: Any) -> Changed:
        done = await original(*arguments)
        sizes.append(done.added + done.removed)
        return done

    monkeypatch.setattr(indexer, "put_notes", counted)
    monkeypatch.setattr(indexer, "BATCH_CHARS", 3000)
    parts = [f"## Part {number}\nword{number} " + "x" * 990 for number in range(20)]
    path = write(root / "a.md", "\n".join(parts))
    first = await index(store, root)
    write(path, "\n".join(["## New\nnewword", *parts[10:], "## Last\nlastword " + "y" * 990]))
    second = await index(store, root)

    assert (first.added, second.added, second.removed) == (20, 2, 10)
    assert max(sizes) <= 4
    assert len(sizes) >= 20 / 4 + 10 / 4
    assert await found(store, "word3") == []
    assert await found(store, "word13") == ["a.md"]
    assert await index(store, root) == Indexed(1, 0, 0, 0, ())
    await check(store)


async def test_a_run_that_was_ended_in_the_middle_of_a_file_is_taken_up_again(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ended(*arguments: Any) -> Changed:
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return await put_notes(*arguments)

    calls: list[int] = []
    write(root / "a.md", "\n".join(f"## P{n}\nword{n} " + "x" * 990 for n in range(9)))
    with monkeypatch.context() as patched:
        patched.setattr(indexer, "BATCH_CHARS", 3000)
        patched.setattr(indexer, "put_notes", ended)
        with pytest.raises(KeyboardInterrupt):
            await index(store, root)
    assert await found(store, "word8") == []

    done = await index(store, root)

    assert (done.changed, done.added) == (1, 6)
    assert await found(store, "word8") == ["a.md"]
    await check(store)


async def test_progress_is_told_in_bytes_up_to_the_last_one(store: Store, root: Path) -> None:
    for number in range(5):
        write(root / f"{number}.md", "x" * 40_000)
    told: list[tuple[int, int]] = []

    await reindex(
        store, [str(root)], MAX_BYTES, progress=lambda done, total: told.append((done, total))
    )

    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == (200_000, 200_000)


async def test_a_database_that_is_deleted_comes_back_with_the_same_answers(
    store: Store, root: Path, tmp_path: Path
) -> None:
    for number in range(30):
        write(
            root / f"{number % 3}/n{number}.md",
            f"# Note {number}\n\n## 決定 {number}\nretry の方針\n",
        )
    await index(store, root)
    for number in range(0, 30, 2):
        write(root / f"{number % 3}/n{number}.md", f"## 2026-01-01 {number}\n期限 retry policy\n")
    (root / "1/n1.md").unlink()
    await index(store, root)

    async with open_store(str(tmp_path / "fresh.db"), 5.0) as fresh:
        await index(fresh, root)

        assert await chunks(fresh.connection) == await chunks(store.connection)
        for query in ("retry policy", "方針", "期限", "note", "2026-01-01"):
            assert await answers(fresh, query) == await answers(store, query)


async def answers(store: Store, query: str) -> list[tuple[Any, ...]]:
    hits = await search(store.reader, query, 50)
    return sorted((hit.score, hit.share, hit.source, hit.line, hit.snippet) for hit in hits)


async def test_a_file_that_vanishes_while_it_is_looked_at_is_no_problem(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root / "a.md", "word")

    def too_late(file: NoteFile, max_bytes: int) -> Note:
        Path(file.path).unlink()
        return read_note(file, max_bytes)

    monkeypatch.setattr(indexer, "read_note", too_late)
    done = await index(store, root)

    assert (done.problems, await chunks(store.connection)) == ((), [])

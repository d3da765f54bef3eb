"""An index that followed any edits equals one that is built from the files as they are."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.store.search import search
from runtime.store.store import Store, open_store
from tests.notes.shadow import check, chunks, index

NAMES = st.sampled_from(["a.md", "b.md", "sub/c.md"])
BLOCKS = st.lists(
    st.sampled_from(
        ["## One\nalpha\n\n", "## 2026-06-01 Two\nbeta\n", "### Sub\ngamma\n", "text\n", "# Top\n",
         "```\n## fenced\n```\n", "## One\n" + "日本語の長い段落。" * 300 + "\n", "\n"]
    ),
    max_size=6,
)  # fmt: skip


class Renamed(NamedTuple):
    """The file goes to another name, over what lies there."""

    to: str


EDITS = st.lists(
    st.tuples(NAMES, st.none() | BLOCKS.map("".join) | NAMES.map(Renamed)),
    min_size=1,
    max_size=8,
)


@given(EDITS)
@settings(max_examples=30)
def test_after_any_edits_the_index_equals_one_built_fresh(
    edits: list[tuple[str, str | Renamed | None]],
) -> None:
    """And every row holds just the lines that it names."""

    async def run(folder: Path) -> None:
        root = folder / "notes"
        async with open_store(str(folder / "kept.db"), 5.0) as kept:
            for step, (name, text) in enumerate(edits):
                _edit(root, name, text, step)
                await index(kept, root)
                await check(kept)
            async with open_store(str(folder / "fresh.db"), 5.0) as fresh:
                await index(fresh, root)
                rows = await chunks(kept.connection)
                assert rows == await chunks(fresh.connection)
                for query in ("alpha", "gamma Sub", "長い段落"):
                    assert await _ranked(kept, query) == await _ranked(fresh, query)
        for row in rows:
            lines = Path(row[0]).read_text(encoding="utf-8").split("\n")[row[5] - 1 : row[6]]
            # A line that is longer than a chunk is in it only in part.
            assert row[4] in "\n".join(lines)
            assert row[4].split("\n")[0] in lines[0]
            assert row[4].split("\n")[-1] in lines[-1]

    with TemporaryDirectory() as name:
        Path(name, "notes", "sub").mkdir(parents=True)
        anyio.run(run, Path(name))


async def _ranked(store: Store, query: str) -> list[tuple[Any, ...]]:
    hits = await search(store.reader, query, 50)
    return sorted((hit.source, hit.line, hit.heading, hit.share) for hit in hits)


def _edit(root: Path, name: str, text: str | Renamed | None, step: int) -> None:
    path = root / name
    if text is None:
        path.unlink(missing_ok=True)
    elif isinstance(text, str):
        path.write_text(text, encoding="utf-8")
        # Two edits in one tick of the clock must look like two.
        os.utime(path, ns=(step, 1_750_000_000_000_000_000 + step))
    elif path.exists():
        path.replace(root / text.to)

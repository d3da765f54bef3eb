"""Rotation: what a block is, and an archive that may grow for years."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from runtime.markdown.blocks import split_blocks
from runtime.markdown.chunker import chunk_markdown
from tests.cases_tests.playground import Make, Playground, check, session_start, stop
from tests.processes import HOOK, Ran


def rotate(ground: Playground, path: Path, keep: int, archive: Path) -> dict[str, Any]:
    """Run the command and return what it says."""
    ran = ground.product.command(
        "notes", "rotate", str(path), "-n", str(keep), "--archive", str(archive), "--json"
    )
    assert ran.code == 0, ran.err
    told: dict[str, Any] = ran.json
    return told


@pytest.fixture
def fenced(make: Make) -> Playground:
    """Notes with headings inside fences."""
    return make("R01")


def test_the_case_has_six_blocks_and_only_the_oldest_moves(fenced: Playground) -> None:
    path, archive = fenced.folder / "CONTEXT.md", fenced.folder / "archive.md"
    original = path.read_bytes()

    told = rotate(fenced, path, 5, archive)

    assert (told["archived"], told["kept"]) == (1, 5)
    assert archive.read_bytes() == original[original.index(b"## 2026-06-06") :]
    assert path.read_bytes() + archive.read_bytes() == original


def test_the_newest_block_keeps_its_fence_when_it_alone_stays(fenced: Playground) -> None:
    path, archive = fenced.folder / "CONTEXT.md", fenced.folder / "archive.md"
    original = path.read_bytes()

    told = rotate(fenced, path, 1, archive)

    kept = path.read_text(encoding="utf-8")
    assert (told["archived"], told["kept"]) == (5, 1)
    assert "todayend" in kept
    assert kept.count("```") == 2
    assert path.read_bytes() + archive.read_bytes() == original


def test_two_rotations_in_a_row_lose_and_double_nothing(fenced: Playground) -> None:
    path, archive = fenced.folder / "CONTEXT.md", fenced.folder / "archive.md"
    original = path.read_bytes()

    rotate(fenced, path, 5, archive)
    rotate(fenced, path, 1, archive)
    assert rotate(fenced, path, 1, archive)["archived"] == 0

    everything = path.read_bytes() + archive.read_bytes()
    assert sorted(everything.split(b"\n")) == sorted(original.split(b"\n"))
    texts = [block.text for block in split_blocks(original.decode()).blocks]
    assert all(everything.decode().count(text) == 1 for text in texts)


INSIDE: Final = {
    "a shorter fence": "````\n```\n## no\n```\n````\n",
    "another fence": "~~~\n```\n## no\n~~~\n",
    "an open fence of the other kind": "```\n~~~\n## no\n```\n",
    "an info string": "```md title=x\n## no\n```\n",
    "a closing fence with text": "```\n``` x\n## no\n```\n",
    "an indented line": "    ## no\n",
    "a tab": "\t## no\n",
    "no space": "##no\n",
    "a deeper heading": "### no\n",
    "a comment": "<!--\n## no\n-->\n",
    "a fence in a list": "- ```\n  ## no\n  ```\n",
    "a quote": "> ## no\n",
    "seven signs": "####### no\n",
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("why", INSIDE)
def test_what_looks_like_a_heading_and_is_none_begins_no_block(why: str, newline: str) -> None:
    """The blocks joined are the text; the index cuts at the same lines."""
    text = f"# top\n\n## 一\na\n{INSIDE[why]}## 二\nb\n".replace("\n", newline)

    document = split_blocks(text)

    assert [block.heading for block in document.blocks] == ["一", "二"]
    assert document.text == text
    starts = {block.start_line for block in document.blocks}
    level_two = {
        chunk.start_line
        for chunk in chunk_markdown(text)
        if chunk.heading_path.count("›") == 1 and chunk.content.startswith("## ")
    }
    assert level_two == starts


def test_the_cases_blocks_are_the_sections_of_the_index(fenced: Playground) -> None:
    text = (fenced.folder / "CONTEXT.md").read_text(encoding="utf-8")

    starts = [block.start_line for block in split_blocks(text).blocks]
    sections = [
        chunk.start_line for chunk in chunk_markdown(text) if chunk.heading_path != "CONTEXT"
    ]

    assert len(starts) == 6
    assert sections == starts


# An archive of years.


@pytest.fixture
def old(make: Make) -> Playground:
    """Notes in `case/memory`, and 60 MB of archive in `case/logs`."""
    ground = make("R03", MEMORY_KEEP_N="5")
    ground.run_make()
    memory = ground.folder / "memory"
    memory.mkdir()
    (ground.folder / "CONTEXT.md").rename(memory / "CONTEXT.md")
    ground.product.environ["MEMORY_DIRS"] = str(memory)
    ground.product.environ["MEMORY_CONTEXT"] = str(memory / "CONTEXT.md")
    return ground


def peak_of(ground: Playground, payload: Mapping[str, Any]) -> tuple[Ran, int]:
    """Run a hook; return it and the most memory it held, in bytes."""
    process = subprocess.Popen(
        HOOK,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **ground.product.environ},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdin, process.stdout, process.stderr:
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        out, err = process.stdout.read(), process.stderr.read()
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    ran = Ran(process.returncode, out, err.decode())
    check(ran, payload)
    return ran, usage.ru_maxrss * 1024


def test_an_archive_of_years_is_neither_told_nor_read_nor_indexed_again(old: Playground) -> None:
    archive = old.folder / "logs" / "context_archive.md"
    context = old.folder / "memory" / "CONTEXT.md"
    size = archive.stat().st_size
    original = context.read_text(encoding="utf-8")
    moving = original[original.index("## 2026-06-04") :]

    started, _peak = peak_of(old, session_start())
    stopped, peak = peak_of(old, stop("/nonexistent/t.jsonl"))

    assert "new9" in started.context
    assert not re.search(r"arch\d", started.context)
    assert stopped.out == b""
    assert context.read_text(encoding="utf-8") + moving == original
    files = sorted((old.folder / "logs").iterdir())
    assert sum(file.stat().st_size for file in files) == size + len(moving.encode())
    assert archive.read_text(encoding="utf-8").endswith(moving)

    again, after = peak_of(old, stop("/nonexistent/t.jsonl"))
    assert again.out == b""
    # Python and its packages; the archive would add its 60 MB, and more as text.
    baseline = peak_without_archive(old)
    assert size > 50_000_000
    assert max(peak, after) < baseline + size / 3


def peak_without_archive(ground: Playground) -> int:
    """Return what the same Stop takes where there is no archive."""
    root = ground.root / "without an archive"
    root.mkdir()
    bare = Playground(root)
    (bare.notes / "CONTEXT.md").write_text("## 2026-06-01\nx\n", encoding="utf-8")
    bare.product.environ["MEMORY_CONTEXT"] = str(bare.notes / "CONTEXT.md")
    _ran, peak = peak_of(bare, stop("/nonexistent/t.jsonl"))
    return peak


def test_an_unchanged_archive_is_indexed_once(old: Playground) -> None:
    """By size and time: the second Stop changes no row of the index."""
    peak_of(old, stop("/nonexistent/t.jsonl"))
    statement = "SELECT path, indexed_at, error IS NULL FROM notes ORDER BY path"
    first = old.rows(statement)
    problems = len(old.logged("note_unreadable"))

    peak_of(old, stop("/nonexistent/t.jsonl"))

    assert old.rows(statement) == first
    assert len(old.logged("note_unreadable")) == problems
    indexed = {Path(path).name for path, _at, is_readable in first if is_readable}
    assert "CONTEXT.md" in indexed
    assert "context_archive.md" in indexed


def test_an_archive_is_closed_at_its_size_and_nothing_is_lost(make: Make) -> None:
    """The closed one gets a number; all of them can be searched."""
    ground = make(OBOEGAKI_NOTES_ARCHIVE_MAX_BYTES="10000", MEMORY_KEEP_N="1")
    context = ground.notes / "CONTEXT.md"
    ground.product.environ["MEMORY_CONTEXT"] = str(context)
    logs = ground.root / "logs"
    blocks: list[str] = []
    for day in range(1, 13):
        blocks.append(f"## 2026-06-{day:02d}\nsplit{day}x {'本文' * 700}\n")
        before = context.read_text(encoding="utf-8") if context.exists() else ""
        context.write_text(blocks[-1] + before, encoding="utf-8")
        ground.hook(stop("/nonexistent/t.jsonl"), may_change=[context, logs, *logs_of(logs)])

    files = sorted(logs.glob("context_archive*.md"))
    assert len(files) > 2
    everything = "".join(file.read_text(encoding="utf-8") for file in files)
    assert context.read_text(encoding="utf-8") == blocks[-1]
    assert [everything.count(block) for block in blocks[:-1]] == [1] * 11
    assert ground.product.finds("split1x")
    assert ground.product.finds("split11x")


def logs_of(logs: Path) -> list[Path]:
    """Return the archive's files that may be there after the next rotation."""
    return [logs / "context_archive.md", *(logs / f"context_archive.{n:03d}.md" for n in range(20))]


@pytest.mark.parametrize("name", ["CONTEXT.md", "other.md"])
def test_no_note_is_told_without_an_upper_limit(name: str, make: Make) -> None:
    """Nor read: however long it has grown, a session's start takes no more memory."""
    ground = make()
    with (ground.notes / name).open("w", encoding="utf-8") as file:
        file.write("## 2026-06-01\n")
        for number in range(600_000):
            file.write(f"行 {number} " + "あ" * 30 + "\n")

    ran, peak = peak_of(ground, session_start())

    assert len(ran.context) < 9500
    assert peak < peak_without_archive(ground) + (ground.notes / name).stat().st_size / 2

"""Many writers of one file, with rotations between them, and writers that are killed."""

import os
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from runtime.markdown.blocks import split_blocks
from runtime.paths import Home
from tests.processes import Product

ROOT = Path(__file__).parents[2]
WRITERS = 8
APPENDS = 25
"""Each writer's; 100 take a minute, and were run by hand."""
FILES = ("a.md", "CONTEXT.md")

BEGIN = """
import sys
from pathlib import Path
import anyio
from runtime.errors import ExpectedError
from runtime.app import store_path
from runtime.notes.book import archive_of, refresh
from runtime.notes.following import follow
from runtime.notes.places import Places
from runtime.notes.rotation import rotate
from runtime.notes.writer import write
from runtime.paths import Home
from runtime.setting_sections import Notes
from runtime.settings import Settings
from runtime.store.store import open_store
from schemas.notes import Append
home = Home(sys.argv[1])
context = home.notes + "/CONTEXT.md"
settings = Settings(notes=Notes(context=context))
database = store_path(home, settings)
"""
WRITE = (
    BEGIN
    + """
me, count = sys.argv[2], int(sys.argv[3])
for number in range(count):
    name = ("a.md", "CONTEXT.md")[number % 2]
    block = Append(file=name, heading=f"2026-06-11 {me} {number}", body=f"body {me}-{number}.")
    # Others run on the same cores: whoever waits must not give up.
    done = write([block], Places(home, settings), limit_chars=10**9, lock_dir=Path(home.run),
                 lock_timeout_s=50.0)
    anyio.run(follow, home, settings, database, [place.indexed_as for place in done.places])
    print(block.heading, flush=True)
"""
)
DISTURB = (
    BEGIN
    + """
async def reindex():
    async with open_store(database, 5.0) as store:
        await refresh(home, settings, store)

rotated, runs = 0, 0
print("ready", flush=True)
for line in sys.stdin:
    try:
        rotated += rotate(Path(context), keep=3, archive=archive_of(Path(context), settings),
                          lock_dir=Path(home.run), lock_timeout_s=50.0).archived
        anyio.run(reindex)
    except ExpectedError as error:  # such as a database that is locked for too long
        print(error, file=sys.stderr)
print(rotated)
"""
)


def start(script: str, home: Home, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        (sys.executable, "-c", script, home.root, *arguments),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.fixture
def home(product: Product) -> Home:
    home = Home(str(product.home))
    home.prepare()
    return home


def blocks_in(path: Path) -> Counter[str]:
    text = path.read_bytes().decode()
    return Counter(block.text.strip() for block in split_blocks(text).blocks)


def written_by(name: str, numbers: range) -> list[str]:
    return [f"## 2026-06-11 {name} {number}\nbody {name}-{number}." for number in numbers]


def crowd(home: Home, appends: int) -> int:
    """Let the writers run with two rotations and reindexings between them; blocks rotated."""
    (Path(home.notes) / "CONTEXT.md").write_text("# CONTEXT\n", encoding="utf-8")
    disturber = start(DISTURB, home)
    assert disturber.stdin
    assert disturber.stdout
    assert disturber.stdout.readline() == "ready\n"
    writers = [start(WRITE, home, f"w{number}", str(appends)) for number in range(WRITERS)]
    for at, writer in enumerate(writers[:2], start=1):
        assert writer.stdout
        for _line in range(appends * at // 3):  # a third of the way, and two thirds
            assert writer.stdout.readline()
        disturber.stdin.write("now\n")
        disturber.stdin.flush()
    for writer in writers:
        writer.communicate()
    out, _ = disturber.communicate()
    assert [process.returncode for process in (*writers, disturber)] == [0] * (WRITERS + 1)
    return int(out)


@pytest.mark.process
@pytest.mark.timeout(240)
def test_many_writers_with_rotations_between_them_write_every_block_once(
    product: Product, home: Home
) -> None:
    rotated = crowd(home, APPENDS)

    archive = Path(home.root) / "logs" / "context_archive.md"
    found = sum((blocks_in(Path(home.notes) / name) for name in FILES), blocks_in(archive))
    expected = [
        block for number in range(WRITERS) for block in written_by(f"w{number}", range(APPENDS))
    ]
    assert found == Counter(expected)
    assert sum(blocks_in(archive).values()) == rotated > 0
    environ = {"MEMORY_CONTEXT": f"{home.notes}/CONTEXT.md"}
    assert product.command("search", "body", "--json", environ=environ).code == 0
    with closing(sqlite3.connect(home.database)) as connection:
        rows = connection.execute("SELECT content FROM note_chunks WHERE heading LIKE '2026%'")
        assert Counter(content.strip() for (content,) in rows) == found
    assert [path.name for path in Path(home.notes).iterdir() if path.name not in FILES] == []


@pytest.mark.process
@pytest.mark.timeout(240)
def test_writers_with_homes_of_their_own_and_one_folder_overwrite_nothing(
    home: Home, tmp_path: Path
) -> None:
    # Their lock files lie in their homes, so none of them waits for the other's.
    other = Home(str(tmp_path / "other"))
    other.prepare()
    Path(other.notes).rmdir()
    Path(other.notes).symlink_to(home.notes)

    writers = [start(WRITE, each, f"w{at}", str(APPENDS)) for at, each in enumerate((home, other))]
    outputs = [writer.communicate()[0] for writer in writers]

    assert [len(output.splitlines()) for output in outputs] == [APPENDS, APPENDS]
    found = sum((blocks_in(Path(home.notes) / name) for name in FILES), Counter())
    expected = [block for at in range(2) for block in written_by(f"w{at}", range(APPENDS))]
    assert found == Counter(expected)


@pytest.mark.process
@pytest.mark.timeout(240)
def test_a_writer_that_is_killed_loses_nothing_that_it_has_reported(home: Home) -> None:
    chance = random.Random(11)
    reported: list[str] = []
    for number in range(6):
        writer = start(WRITE, home, f"k{number}", "1000")
        assert writer.stdout
        lines = [writer.stdout.readline() for _line in range(chance.randint(1, 12))]
        for _turn in range(chance.randint(0, 20_000)):
            pass  # Somewhere in the next write, at another place each time.
        writer.kill()
        lines += writer.communicate()[0].splitlines(keepends=True)
        reported += [line.strip() for line in lines if line.endswith("\n")]

    found = sum((blocks_in(Path(home.notes) / name) for name in FILES), Counter())
    headings = Counter(text.splitlines()[0].removeprefix("## ") for text in found.elements())
    assert set(reported) <= set(headings)
    assert set(headings.values()) == {1}
    whole = {block for number in range(6) for block in written_by(f"k{number}", range(1000))}
    assert set(found) <= whole

    # No lock is left behind, and a later writer clears up what a killed one left.
    for left in Path(home.notes).glob(".*.tmp"):
        os.utime(left, (0, 0))
    last = start(WRITE, home, "last", "2")
    assert len(last.communicate()[0].splitlines()) == 2
    assert sorted(path.name for path in Path(home.notes).iterdir()) == sorted(FILES)

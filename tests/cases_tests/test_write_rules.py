"""Writing notes: what a block may be, when a file is full, and two writers of one file."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from runtime.markdown.blocks import split_blocks
from runtime.markdown.dates import find_date
from runtime.notes.edits import find_block
from runtime.notes.refusals import TextRefusedError
from runtime.notes.rules import judge
from tests.cases_tests.playground import CASES, Make, Playground
from tests.processes import Ran

ROOT = CASES.parents[1]


def table(case: str, name: str) -> list[list[str]]:
    """Return the rows of a case's table, without its head."""
    lines = (CASES / case / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def call(ground: Playground, **operation: str) -> Ran:
    """Run one operation of a case as its own command, in the folder of the case."""
    values = {"file": "mem.md", **operation}
    arguments = [f"--{name}={value}" for name, value in values.items() if name != "op"]
    return ground.product.command("notes", values["op"], *arguments, "--json", cwd=ground.folder)


def blocks(path: Path) -> list[str]:
    """Return the headings of a file."""
    return [block.heading for block in split_blocks(path.read_bytes().decode()).blocks]


@pytest.fixture
def in_folder(make: Make, tmp_path: Path) -> Any:
    """Make a playground whose folder of notes is that of the case."""

    def make_ground(case: str, **environ: str) -> Playground:
        return make(case, MEMORY_DIRS=str(tmp_path / "case"), **environ)

    return make_ground


@pytest.mark.process
def test_a_body_cannot_smuggle_in_a_block(in_folder: Any) -> None:
    """One saved is one read back, and a match on its heading names it alone."""
    ground = in_folder("W01")
    path = ground.folder / "mem.md"
    verdicts = []
    for operation in ground.events("calls.ndjson"):
        before = blocks(path)
        ran = call(ground, **operation)
        verdicts.append("saved" if ran.code == 0 else ran.json["refused"])
        if ran.code:
            assert (ran.code, blocks(path)) == (1, before)
            continue
        assert blocks(path) == [*before, operation["heading"]]
        document = split_blocks(path.read_bytes().decode())
        assert find_block(document, operation["heading"]) == len(before)

    assert verdicts == [
        *("heading_in_body", "saved", "control_characters", "saved", "saved"),
        *("empty_heading", "empty_body"),
    ]


DECIDED = {
    "2026/6/11 スラッシュ": "reject",
    "2026年6月11日 和式": "reject",
    "2026-6-1 一桁": "reject",
    "2026-06-11": "reject",
}
"""Where the case leaves it open: one way of writing a date, and a few words beside it."""


@pytest.mark.parametrize(("heading", "verdict"), table("W03", "headings.tsv"))
def test_a_heading_is_accepted_with_a_real_date_and_without_a_relative_one(
    heading: str, verdict: str
) -> None:
    verdict = DECIDED.get(heading, verdict.partition(" ")[0])
    try:
        judge(heading, "本文")
        found = "accept"
    except TextRefusedError as error:
        found = {"no_date": "reject", "no_title": "reject"}[error.reason]

    assert found == verdict


@pytest.mark.parametrize(("heading", "file_time", "shown"), table("W03", "dates.tsv"))
def test_the_date_of_a_heading_is_the_first_that_exists(
    heading: str, file_time: str, shown: str
) -> None:
    expected = {"decide: first or last": "2025-01-01"}.get(shown, shown)

    assert (find_date(heading) or file_time) == expected


@pytest.mark.process
def test_a_file_over_the_limit_can_only_become_smaller(in_folder: Any) -> None:
    ground = in_folder("W05")
    path = ground.folder / "mem.md"
    small, shorter, longer, unformatted = ground.events("calls.ndjson")
    original = path.read_bytes()
    headings = blocks(path)

    refused = call(ground, **small)

    assert (refused.code, refused.json["refused"]) == (1, "too_large")
    assert refused.json["headings"] == headings
    assert len(headings) == 15
    assert "11,083 now" in refused.json["message"]
    assert "10,000 are allowed" in refused.json["message"]
    assert path.read_bytes() == original

    accepted = call(ground, **shorter)

    assert (accepted.code, accepted.json["room"]) == (0, 0)
    assert 10_000 < accepted.json["chars"] == len(path.read_bytes().decode()) < 11_083
    smaller = path.read_bytes()
    assert call(ground, **longer).json["refused"] == "too_large"
    assert path.read_bytes() == smaller

    nofmt = ground.folder / "nofmt.md"
    preamble = nofmt.read_bytes()
    assert call(ground, **unformatted).json["blocks"] == 1
    assert nofmt.read_bytes() == preamble + "\n## 2026-06-11 追加\n追記\n".encode()
    assert ground.product.finds("nohead")


FAN = """
import os, sys
from runtime.cli import notes_rotate, notes_write
from runtime.cli.main import cli
from runtime.notes.writer import write
write.__kwdefaults__["lock_timeout_s"] = 50.0  # On a busy machine nobody may give up.
context = sys.argv[1]
def fork(*arguments):
    child = os.fork()
    if child == 0:
        sys.argv = ["runtime", "notes", *arguments]
        cli()
        os._exit(0)
    return child
children = []
for number in range(1, 21):
    for name, title, word in ("mem.md", "並行", "par"), ("CONTEXT.md", "文脈", "cpar"):
        children.append(fork("append", "--file", name, "--heading", f"2026-06-11 {title} {number}",
                             "--body", f"本文 {word}{number}"))
    if number % 4 == 0:
        children.append(fork("rotate", context, "-n", "2"))
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""
"""As the case's fan.sh: 40 commands at once, 5 rotations between them; loaded once, then forked."""


@pytest.mark.process
@pytest.mark.timeout(240)
def test_forty_writers_and_five_rotations_at_once_lose_and_double_nothing(
    in_folder: Any, tmp_path: Path
) -> None:
    context, archive = tmp_path / "case" / "CONTEXT.md", tmp_path / "logs" / "archive.md"
    ground = in_folder("C02", MEMORY_CONTEXT=str(context), OBOEGAKI_NOTES_ARCHIVE=str(archive))

    done = subprocess.run(
        (sys.executable, "-c", FAN, str(context)),
        cwd=ground.folder,
        env={**os.environ, **ground.product.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
        encoding="utf-8",
    )

    said = done.stdout.splitlines()
    assert sum(line.startswith("saved: ") for line in said) == 40
    # A rotation that could not have a lock in its time says so, and has done nothing.
    assert sum(json.loads(said[-1])) == done.stderr.count("runtime: ") <= 5
    assert words(ground.folder / "mem.md") == Counter(f"par{number}" for number in range(1, 21))
    assert words(context, archive) == Counter(f"cpar{number}" for number in range(1, 21))
    last = ground.product.command("notes", "rotate", str(context), "-n", "2", "--json")
    assert last.json["kept"] == 2
    assert words(context, archive) == Counter(f"cpar{number}" for number in range(1, 21))
    assert len(ground.rows("SELECT 1 FROM note_chunks WHERE heading LIKE '%並行%'")) == 20
    assert len(ground.rows("SELECT 1 FROM note_chunks WHERE heading LIKE '%文脈%'")) == 20


def words(*paths: Path) -> Counter[str]:
    """Count the marker words of the case in some files."""
    texts = [path.read_text(encoding="utf-8") for path in paths if path.exists()]
    return Counter(word for word in " ".join(texts).split() if "par" in word)

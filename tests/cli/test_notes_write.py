"""Writing notes from the command line: what is printed, and the exit code."""

import json
import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runtime.locks import file_lock
from runtime.notes import writer
from runtime.notes.refusals import PLACE, TEXT
from runtime.notes.rotation import lock_path
from runtime.paths import Home
from tests.cli.conftest import Run
from tests.processes import COMMAND, Product

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2"
NEW = ("--heading", "2026-06-11 決定", "--body", "本文 bodyword")


@pytest.fixture
def note(home: Home) -> Path:
    return Path(home.notes) / "a.md"


def refused(run: Run, *arguments: str, **options: Any) -> dict[str, Any]:
    """Run a command that is refused, for people and for programs; return the latter."""
    shown = run("notes", *arguments, **options)
    told = run("notes", *arguments, "--json", **options)
    assert (shown.exit_code, told.exit_code) == (1, 1)
    refusal: dict[str, Any] = json.loads(told.stdout)
    assert shown.stdout.startswith("refused: ")
    assert refusal["message"] in shown.stdout
    assert shown.stderr == ""
    return refusal


def test_a_block_is_saved_and_found_at_once(run: Run, run_json: Callable[..., Any], note: Path):
    saved = run("notes", "append", "--file", "a.md", *NEW)
    hits = run_json("search", "bodyword")["hits"]

    assert (saved.exit_code, saved.stdout) == (0, f"saved: {note} (2026-06-11 決定)\n")
    assert note.read_bytes().decode() == "## 2026-06-11 決定\n本文 bodyword\n"
    assert [(hit["source"], hit["date"]) for hit in hits] == [(str(note), "2026-06-11")]


def test_the_index_holds_the_write_before_anything_searches(home: Home, run: Run, note: Path):
    saved = json.loads(run("notes", "append", "--file", "a.md", *NEW, "--json").stdout)

    assert saved["indexed"] is True
    assert rows(home) == [(str(note), "2026-06-11 決定")]
    run("notes", "replace", "--file", "a.md", "--match", "決", "--heading", "2026-06-12 b",
        "--body", "x")  # fmt: skip
    assert rows(home) == [(str(note), "2026-06-12 b")]
    run("notes", "move", "--file", "a.md", "--match", "b", "--to", "b.md")
    assert rows(home) == [(str(note.with_name("b.md")), "2026-06-12 b")]
    run("notes", "delete", "--file", "b.md", "--match", "b")
    assert rows(home) == []


def rows(home: Home) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(home.database)) as connection:
        return connection.execute("SELECT source, heading FROM note_chunks").fetchall()


def test_a_save_answers_programs_with_sizes(run: Run, note: Path):
    text = "## 2026-06-11 決定\n本文 bodyword\n"

    saved = run("notes", "append", "--file", "a.md", *NEW, "--json")

    assert json.loads(saved.stdout) == {
        "action": "appended",
        "file": str(note),
        "heading": "2026-06-11 決定",
        "source": None,
        "chars": len(text),
        "limit": 10_000,
        "room": 10_000 - len(text),
        "blocks": 1,
        "indexed": True,
    }


@pytest.mark.parametrize("data", ["本文\n".encode(), "\ufeff本文\r\n".encode(), "本文".encode()])
def test_a_body_may_come_on_stdin(run: Run, note: Path, data: bytes):
    saved = run("notes", "append", "--file", "a.md", "--heading", "2026-06-11 x", input=data)

    assert saved.exit_code == 0
    assert note.read_bytes().decode() == "## 2026-06-11 x\n本文\n"


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "empty_body"), (b"\n \n", "empty_body"), (b"\x93\xfa", "not_text")]
)
def test_stdin_without_a_text_is_refused(run: Run, data: bytes, reason: str):
    arguments = ("append", "--file", "a.md", "--heading", "2026-06-11 x")

    assert refused(run, *arguments, input=data)["refused"] == reason


def test_every_operation_says_what_it_did(run: Run, note: Path):
    run("notes", "append", "--file", "a.md", *NEW)

    replaced = run(
        "notes", "replace", "--file", "a.md", "--match", "決定", "--heading", "2026-06-12 b",
        "--body", "x",
    )  # fmt: skip
    moved = run("notes", "move", "--file", "a.md", "--match", "b", "--to", "b.md")
    deleted = run("notes", "delete", "--file", "b.md", "--match", "b")

    other = note.with_name("b.md")
    assert replaced.stdout == f"replaced: {note} (2026-06-12 b)\n"
    assert moved.stdout == f"moved: {note} -> {other} (2026-06-12 b)\n"
    assert deleted.stdout == f"deleted: {other} (2026-06-12 b)\n"


def test_a_full_file_is_refused_with_its_size_the_limit_and_the_headings(
    run: Run, note: Path, monkeypatch: pytest.MonkeyPatch
):
    note.write_text("## 2026-06-01 a\nx\n\n## 2026-06-02 b\ny\n", encoding="utf-8")
    monkeypatch.setenv("MEMORY_FILE_MAX_CHARS", "50")

    refusal = refused(run, "append", "--file", "a.md", *NEW)

    assert refusal["refused"] == "too_large"
    assert refusal["headings"] == ["2026-06-01 a", "2026-06-02 b"]
    for part in ("67 characters", "at most 50", "has 37 now", "runtime notes replace"):
        assert part in refusal["message"]
    shown = run("notes", "append", "--file", "a.md", *NEW).stdout
    assert shown.endswith("\n  ## 2026-06-01 a\n  ## 2026-06-02 b\n")


def test_a_long_list_of_headings_is_cut_for_people_only(run: Run, note: Path):
    headings = [f"2026-06-01 {number}" for number in range(120)]
    note.write_text("".join(f"## {heading}\n" for heading in headings), encoding="utf-8")

    refusal = refused(run, "delete", "--file", "a.md", "--match", "none")

    assert refusal["headings"] == headings
    shown = run("notes", "delete", "--file", "a.md", "--match", "none").stdout
    assert shown.endswith("\n  and 20 more\n")


def test_a_secret_is_refused_and_nothing_of_it_is_printed_stored_or_logged(home: Home, run: Run):
    for where in (("--heading", f"2026-06-11 {GITHUB}", "--body", "x"),
                  ("--heading", "2026-06-11 x", "--body", f"token: {GITHUB}")):  # fmt: skip
        ran = run("notes", "append", "--file", "a.md", *where)
        assert (ran.exit_code, "github-token" in ran.output) == (1, True)
        assert GITHUB[4:] not in ran.output

    whole = b"".join(path.read_bytes() for path in Path(home.root).rglob("*") if path.is_file())
    assert GITHUB.encode() not in whole
    assert not os.listdir(home.notes)


def test_headings_that_hold_a_secret_are_listed_without_it(run: Run, note: Path):
    note.write_text(f"## 2026-06-01 {GITHUB}\nx\n", encoding="utf-8")

    refusal = refused(run, "delete", "--file", "a.md", "--match", "none")

    assert refusal["headings"] == ["2026-06-01 [redacted:github-token]"]


HIDDEN = "<private>\n## 2026-06-01 zebra\nx\n</private>\n## 2026-06-02 open\ny\n"


def test_a_private_heading_is_not_told(run: Run, note: Path):
    """Whoever asks may be a model; line and size stay, so that the person finds the block."""
    note.write_text(f"{HIDDEN}## 2026-06-03 last\nz\n<private>\n## 2026-06-04 zebra", "utf-8")
    told = ["[private]", "2026-06-02 open", "2026-06-03 last", "[private]"]

    listed = json.loads(run("notes", "list", "--json").stdout)["notes"][0]["headings"]

    assert [(block["heading"], block["line"]) for block in listed] == [
        *zip(told, (2, 5, 7, 10), strict=True)
    ]
    none = refused(run, "delete", "--file", "a.md", "--match", "none")
    several = refused(run, "delete", "--file", "a.md", "--match", "zebra")
    taken = refused(run, "append", "--file", "a.md", "--heading", "2026-06-01 zebra", "--body", "n")
    assert none["headings"] == told
    assert several["headings"] == ["[private]", "[private]"]
    assert "names 2 blocks: give more" in several["message"]
    assert (taken["refused"], taken["headings"]) == ("heading_taken", ["[private]"])


def test_a_private_or_secret_heading_that_goes_is_not_told(run: Run, note: Path):
    note.write_text(f"{HIDDEN}## 2026-06-03 {GITHUB}\nz\n", encoding="utf-8")

    for arguments in (
        ("move", "--file", "a.md", "--match", "06-01", "--to", "b.md", "--json"),
        ("move", "--file", "a.md", "--match", "06-03", "--to", "b.md", "--json"),
        ("delete", "--file", "b.md", "--match", "06-03", "--json"),
        ("delete", "--file", "a.md", "--match", "06-02"),
    ):
        done = run("notes", *arguments)

        assert done.exit_code == 0
        assert "zebra" not in done.output
        assert GITHUB not in done.output


def test_a_batch_is_one_change(run: Run, note: Path):
    lines = [
        {"op": "append", "heading": "2026-06-11 a", "body": "x"},
        {"op": "append", "heading": "2026-06-12 b", "body": "y", "file": "b.md"},
        {"op": "replace", "match": "a", "heading": "2026-06-11 a", "body": "z"},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()

    done = run("notes", "batch", "--file", "a.md", "--json", input=data)

    answer = json.loads(done.stdout)
    assert [change["action"] for change in answer["changes"]] == [
        *("appended", "appended", "replaced")
    ]
    assert [(Path(state["file"]).name, state["blocks"]) for state in answer["files"]] == [
        *(("a.md", 1), ("b.md", 1))
    ]
    assert answer["indexed"] is True
    assert note.read_bytes() == b"## 2026-06-11 a\nz\n"


def test_a_batch_from_a_file_says_a_line_for_each(run: Run, note: Path, tmp_path: Path):
    path = tmp_path / "operations.json"
    path.write_text(
        json.dumps([{"op": "append", "file": "a.md", "heading": "2026-06-11 a", "body": "x"}]),
        encoding="utf-8",
    )

    assert run("notes", "batch", str(path)).stdout == f"saved: {note} (2026-06-11 a)\n"


def test_a_refused_batch_names_the_operation_and_changes_nothing(run: Run, note: Path):
    note.write_bytes(b"## 2026-06-01 a\nx\n")
    lines = [
        {"op": "append", "file": "b.md", "heading": "2026-06-11 a", "body": "x"},
        {"op": "delete", "file": "a.md", "match": "none"},
    ]

    refusal = refused(run, "batch", input=json.dumps(lines).encode())

    assert (refusal["refused"], refusal["operation"]) == ("no_match", 2)
    assert os.listdir(note.parent) == ["a.md"]
    shown = run("notes", "batch", input=json.dumps(lines).encode()).stdout
    assert shown.startswith("refused: operation 2: ")


def test_the_number_of_a_single_operation_is_not_told(run: Run):
    refusal = refused(run, "append", "--file", "a.md", "--heading", "x", "--body", "x")

    assert (refusal["refused"], refusal["operation"]) == ("no_date", None)


def test_a_locked_note_is_refused_after_a_while(
    home: Home, run: Run, note: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(writer.write, "__kwdefaults__", {"lock_timeout_s": 0.01})

    with file_lock(lock_path(Path(home.run), note), 0):
        refusal = refused(run, "append", "--file", "a.md", *NEW)

    assert refusal["refused"] == "busy"
    assert not note.exists()


def test_a_database_that_cannot_be_had_keeps_no_note_from_being_written(
    home: Home, run: Run, note: Path
):
    """The file is the truth; the index is made up for by the next search."""
    Path(home.database).mkdir()

    saved = run("notes", "append", "--file", "a.md", *NEW, "--json")

    assert saved.exit_code == 0
    assert json.loads(saved.stdout)["indexed"] is False
    assert "saved, but not indexed yet" in saved.stderr
    assert note.exists()


def test_a_context_outside_the_folders_is_written_though_not_searched(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    context = tmp_path / "CONTEXT.md"
    monkeypatch.setenv("MEMORY_CONTEXT", str(context))

    saved = run("notes", "append", "--file", "CONTEXT.md", *NEW)

    assert saved.stdout == f"saved: {context} (2026-06-11 決定)\n"
    assert context.exists()


def test_a_note_is_named_by_its_path_below_the_folder_from_anywhere(
    run: Run, note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A relative name does not depend on where the command is run."""
    for number, folder in enumerate(("x", "y")):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        run(
            "notes",
            "append",
            "--file",
            "a.md",
            "--heading",
            f"2026-06-11 {number}",
            "--body",
            folder,
        )

    assert note.read_bytes() == b"## 2026-06-11 0\nx\n\n## 2026-06-11 1\ny\n"


def test_notes_are_listed_with_their_blocks_and_the_room_left(
    run: Run, run_json: Callable[..., Any], note: Path
):
    note.write_text("# T\n\n## 2026-06-01 a\nx\n\n## undated\n", encoding="utf-8")
    note.with_name("bad.md").write_bytes(b"\xff")

    shown = run("notes", "list")
    told = run_json("notes", "list", "--file", "a.md")

    assert shown.stdout == (
        f"{note}  40 of 10,000 characters, 2 blocks\n  3: 2026-06-01 a  (19)\n  6: undated  (11)\n"
    ).replace("40 of", f"{len(note.read_text(encoding='utf-8'))} of")
    assert "not listed" in shown.stderr
    (listing,) = told["notes"]
    assert (listing["file"], listing["blocks"], listing["limit"]) == (str(note), 2, 10_000)
    assert listing["headings"][1] == {"heading": "undated", "line": 6, "chars": 11}


def test_what_cannot_be_listed_is_told_and_the_rest_is_listed(
    run: Run, note: Path, monkeypatch: pytest.MonkeyPatch
):
    """A FIFO is not waited for, and a device, which has no end, is not read."""
    monkeypatch.setenv("OBOEGAKI_NOTES_MAX_FILE_BYTES", "1000")
    note.write_text("## 2026-06-11 a\nx\n", encoding="utf-8")
    os.mkfifo(note.with_name("b.md"))
    note.with_name("c.md").symlink_to("/dev/zero")
    note.with_name("d.md").write_bytes(b"\x82\xa0")
    note.with_name("e.md").write_text("x" * 1001, encoding="utf-8")

    shown = run("notes", "list")

    assert (shown.exit_code, shown.stdout.count("\n")) == (0, 2)
    assert "characters, 1 block\n" in shown.stdout
    told = shown.stderr.splitlines()
    assert [line.split(str(note.parent))[1][:5] for line in told] == [
        *("/b.md", "/c.md", "/d.md", "/e.md")
    ]
    assert "not a regular file" in told[0]
    assert told[3].endswith("1001 bytes, at most 1000 (notes.max_file_bytes)")


def test_a_folder_that_cannot_be_listed_is_told(run: Run, note: Path, tmp_path: Path):
    """An empty list would say that there are no notes."""
    gone = tmp_path / "gone"

    shown = run("notes", "list", env={"MEMORY_DIRS": f"{note.parent}{os.pathsep}{gone}"})

    assert (shown.exit_code, shown.stdout) == (0, "")
    assert f"not listed: {gone}: missing" in shown.stderr


def test_the_configured_context_is_listed_too(
    run_json: Callable[..., Any], note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    note.write_bytes(b"## 2026-06-01 a\n")
    context = tmp_path / "CONTEXT.md"
    monkeypatch.setenv("MEMORY_CONTEXT", str(context))
    absent = [Path(listing["file"]) for listing in run_json("notes", "list")["notes"]]
    context.write_bytes(b"## 2026-06-02 b\n")

    listed = [Path(listing["file"]) for listing in run_json("notes", "list")["notes"]]

    assert (absent, listed) == ([note], [context, note])


def test_without_notes_the_list_says_how_to_begin(run: Run):
    ran = run("notes", "list")

    assert (ran.exit_code, ran.stdout) == (0, "")
    assert "runtime notes append" in ran.stderr


def test_a_note_that_is_not_there_cannot_be_listed(run: Run):
    ran = run("notes", "list", "--file", "none.md")

    assert (ran.exit_code, getattr(ran.exception, "reason", "")) == (1, "no_file")


def test_a_refused_operation_of_a_batch_has_its_number_in_front_once(run: Run):
    plan = '{"op":"foo","file":"a.md"}'

    refusal = refused(run, "batch", input=plan.encode())

    assert (refusal["refused"], refusal["operation"]) == ("bad_operation", 1)
    shown = run("notes", "batch", input=plan.encode()).stdout
    assert shown.startswith("refused: operation 1: op is none of append, replace, delete and move:")


def test_every_reason_is_on_the_page():
    page = Path(__file__).parents[2] / "docs" / "how-to" / "write-notes.md"
    others = {
        *("duplicate", "heading_taken", "no_match", "many_matches", "empty_match", "too_large"),
        *("structure", "bad_operation", "busy", "changed", "not_utf8"),
    }
    text = page.read_text(encoding="utf-8")

    assert {reason for reason in {*TEXT, *PLACE, *others} if f"`{reason}`" not in text} == set()


@pytest.mark.process
def test_a_terminal_is_not_read_for_a_body(product: Product):
    """Nobody would know what it waits for."""
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            (*COMMAND, "notes", "append", "--file", "a.md", "--heading", "2026-06-11 x"),
            stdin=theirs,
            capture_output=True,
            env={**os.environ, **product.environ},
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)

    assert done.returncode == 2
    assert b"--body" in done.stderr

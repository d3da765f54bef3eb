"""Purging and forgetting by command: shown first, then done, and no byte is left."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runtime import prepared
from runtime.locks import try_lock, unlock
from runtime.longterm import exchange
from runtime.longterm.dump_folder import LocalFolder
from runtime.paths import Home
from tests.cli.conftest import Run
from tests.embeddings.models import static_model

MARK = "zanzibarquux"
HASHES = "SELECT text_hash FROM vectors JOIN memories ON row = id * 4 WHERE instr(content, ?)"


def written(text: str, *, session: str = "s-one", cwd: str = "/nowhere/shop") -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUse",
        "session_id": session,
        "cwd": cwd,
        "tool_name": "Write",
        "tool_input": {"file_path": f"{cwd}/a.md", "content": text},
        "tool_response": {"content": text},
    }


def long(word: str) -> str:
    return "\n".join(f"line {number} about the {word} factory in the north" for number in range(9))


def everything(home: Home, *, but: str = "") -> bytes:
    return b"\n".join(
        path.read_bytes()
        for path in sorted(Path(home.root).rglob("*"))
        if path.is_file() and not (but and str(path).startswith(but))
    )


@pytest.fixture
def filled(home: Home, run: Run, capture: Callable[..., str]) -> Home:
    """A home in which the mark stands in every place that keeps something."""
    capture(written(long(MARK)), number=1)
    capture(written(long("harmless")), number=2)
    capture(written(long("other"), session="s-two", cwd="/nowhere/bank"), number=3)
    capture(b'{"hook_event_name": "Stop", "last": "' + MARK.encode(), number=4)
    capture(b"no event, but \\u007a" + MARK[1:].encode(), number=5)
    result = run("search", "factory")
    assert result.exit_code == 0, result.output
    prepared.write(home, [], {"startup": MARK.encode()})
    (Path(home.root) / "tidy-plan.txt").write_text(f"# {MARK}\n", encoding="utf-8")
    (Path(home.logs) / "crash.txt").write_text(f"Traceback {MARK}\n", encoding="utf-8")
    return home


def test_nothing_changes_without_yes(filled: Home, run: Run) -> None:
    before = everything(filled, but=filled.database)

    result = run("longterm", "forget", "--match", MARK.upper())

    assert result.exit_code == 0, result.output
    assert "#1 line 0 about the »zanzibarquux« factory in the north" in result.stdout
    assert "would be forgotten: 1 memory, 1 captured event" in result.stderr
    assert everything(filled, but=filled.database) == before
    assert MARK in json.dumps(json.loads(run("search", MARK, "--json").stdout)["hits"])


def test_a_part_of_a_word_is_found_and_shown_where_it_stands(filled: Home, run: Run) -> None:
    """A secret may have been pasted into the middle of anything."""
    shown = run("longterm", "forget", "--match", "bARq")

    assert "the zanzi»barq«uux factory" in shown.stdout


def test_a_text_is_gone_from_every_place(filled: Home, run: Run, run_json: Any) -> None:
    """Store, index, captured events, log, input put aside, prepared answers, plans."""
    assert everything(filled).count(MARK.encode()) > 5

    found = run_json("longterm", "forget", "--match", MARK, "--yes")

    assert found["done"]
    assert [memory["id"] for memory in found["memories"]] == [1]
    assert found["log_lines"] >= 2
    assert {Path(path).parent.name for path in found["files"]} == {"dead", "run", "logs", "home"}
    assert found["others"] == []
    left = everything(filled)
    assert MARK.encode() not in left
    assert MARK[1:].encode() not in left
    assert len(json.loads(run("search", "factory", "--json").stdout)["hits"]) == 2


def test_no_vector_of_what_is_forgotten_is_left(
    filled: Home, run: Run, run_json: Any, tmp_path: Path
) -> None:
    folder = static_model(tmp_path / "small")
    text = f'[semantic]\nenabled = true\nencoder = "model2vec"\nmodel = "{folder}"\n'
    Path(filled.config).write_text(text, encoding="utf-8")
    run("longterm", "store", "--content", "the login of the " + MARK, "--source", "x")
    run("longterm", "store", "--content", "the cache", "--source", "x")
    run("embed", "backfill")
    before = run_json("embed", "status")
    with closing(sqlite3.connect(filled.database)) as connection:
        query = (
            "SELECT text_hash FROM vectors JOIN memories ON row = id * 4 WHERE instr(content, ?)"
        )
        hashes = [text_hash for (text_hash,) in connection.execute(query, (MARK,))]
    assert hashes

    found = run_json("longterm", "forget", "--match", MARK, "--yes")

    after = run_json("embed", "status")
    gone = len(found["memories"])
    assert after["records"] == before["records"] - gone
    assert after["encoded"] == before["encoded"] - len(hashes) > 0
    assert [value for value in hashes if value in everything(filled)] == []
    assert json.loads(run("search", "login", "--semantic", "--json").stdout)["hits"] != []
    assert MARK not in run("search", "login", "--semantic", "--json").stdout


@pytest.mark.parametrize("project", ["bank", "/nowhere/bank"])
def test_a_project_is_gone_from_every_place(project: str, filled: Home, run_json: Any) -> None:
    assert b"/nowhere/bank" in everything(filled)

    found = run_json("longterm", "forget", "--project", project, "--yes")

    assert [memory["id"] for memory in found["memories"]] == [3]
    assert found["events"] == 1
    left = everything(filled)
    assert b"/nowhere/bank" not in left
    assert b"s-two" not in left
    assert b"s-one" in left


def test_a_session_is_gone_from_every_place(filled: Home, run_json: Any) -> None:
    found = run_json("longterm", "forget", "--session", "s-two", "--yes")

    assert ([memory["id"] for memory in found["memories"]], found["events"]) == ([3], 1)
    assert b"s-two" not in everything(filled)


def test_of_several_options_all_must_hold(filled: Home, run_json: Any) -> None:
    none = run_json("longterm", "forget", "--match", MARK, "--session", "s-two")
    since = run_json("longterm", "forget", "--since", "2000-01-01")

    assert (none["memories"], none["events"], none["files"]) == ([], 0, [])
    assert since["memories"] == []
    assert since["events"] == 0


def test_a_pinned_memory_stays_and_is_named(filled: Home, run: Run, run_json: Any) -> None:
    """Only a deletion by its id takes it."""
    run("longterm", "mark", "1", "--pinned")

    found = run_json("longterm", "forget", "--match", MARK, "--yes")

    assert [memory["id"] for memory in found["pinned"]] == [1]
    assert found["memories"] == []
    assert found["others"] == [filled.database]


def test_notes_stay_and_are_named(home: Home, run: Run, run_json: Any) -> None:
    note = Path(home.notes) / "a.md"
    note.write_text(f"# A\n\n## 2026-06-11 B\n\nthe {MARK}\n", encoding="utf-8")
    run("reindex")

    found = run_json("longterm", "forget", "--match", MARK, "--yes")

    assert found["notes"] == [f"{note}:3"]
    assert MARK in note.read_text(encoding="utf-8")


def test_what_is_forgotten_is_not_captured_again(
    filled: Home, run_json: Any, capture: Callable[..., str]
) -> None:
    run_json("longterm", "forget", "--match", MARK, "--yes")
    capture(written(long(MARK)), number=9)

    stats = run_json("stats")

    assert (stats["memories"], stats["memories_deleted"]) == (2, 1)


def test_without_an_option_nothing_is_forgotten(run: Run) -> None:
    result = run("longterm", "forget", "--yes")

    assert result.exit_code == 2
    assert "give at least one of" in result.stderr


def test_only_what_is_deleted_can_be_purged(filled: Home, run: Run) -> None:
    one = run("longterm", "purge", "1", "--yes")
    every = run("longterm", "purge")

    assert "no deleted memory 1" in str(one.exception)
    assert "nothing is deleted" in every.stderr


@pytest.mark.parametrize("more", [(), ("--yes",)])
def test_where_nothing_is_found_nothing_is_counted(
    more: tuple[str, ...], filled: Home, run: Run
) -> None:
    done = run("longterm", "forget", "--match", "no such words anywhere", *more)

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("nothing that could be forgotten was found; --match takes")
    other = run("longterm", "forget", "--session", "none", *more)
    assert other.stderr == "nothing that could be forgotten was found\n"


def dumped(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.iterdir()))


def test_this_machines_dumps_are_replaced_and_anothers_are_named(
    filled: Home, run: Run, run_json: Callable[..., Any], tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    run("longterm", "dump", str(shared))
    (own,) = shared.iterdir()
    data = own.read_bytes()
    copy = own.with_name(f"{own.stem} 2.ndjson")
    copy.write_bytes(data)
    other = shared / "laptop_20260611T093000.ndjson"
    other.write_text(
        json.dumps({"content": f"a {MARK}", "created_at": "2026-06-11"}) + "\n", encoding="utf-8"
    )
    innocent = shared / "nas_20260611T093000.ndjson"
    innocent.write_text('{"content": "harmless", "created_at": "2026-06-11"}\n', encoding="utf-8")

    shown = run("longterm", "forget", "--match", MARK)
    assert f"{own}: would go" in shown.stdout
    assert own.read_bytes() == data

    done = run_json("longterm", "forget", "--match", MARK, "--yes")

    assert sorted(done["dumps"]) == sorted([str(own), str(copy)])
    assert done["other_dumps"] == [str(other)]
    assert done["unread_dumps"] == []
    assert not own.exists()
    assert not copy.exists()
    assert MARK.encode() in other.read_bytes()
    left = [path for path in shared.iterdir() if path not in {other, innocent}]
    assert len(left) == 1
    assert MARK.encode() not in left[0].read_bytes()
    assert b'"purged_at"' in left[0].read_bytes()
    assert b"harmless" in left[0].read_bytes()


def test_dumps_that_hold_nothing_of_it_stay_as_they_are(
    filled: Home, run: Run, run_json: Callable[..., Any], tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    run("longterm", "dump", str(shared))
    before = dumped(shared)

    done = run_json("longterm", "forget", "--match", "never said anywhere", "--yes")

    assert (done["dumps"], done["other_dumps"]) == ([], [])
    assert dumped(shared) == before


def test_a_forgotten_session_goes_from_the_dump_too(
    filled: Home, run: Run, run_json: Callable[..., Any], tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    run("longterm", "dump", str(shared))

    done = run_json("longterm", "forget", "--session", "s-two", "--yes")

    assert len(done["dumps"]) == 1
    assert b"other factory" not in dumped(shared)
    assert MARK.encode() in dumped(shared)


def test_a_dump_under_a_former_name_of_this_machine_is_its_own(
    filled: Home, run: Run, run_json: Callable[..., Any], tmp_path: Path, monkeypatch: Any
) -> None:
    shared = tmp_path / "shared"
    monkeypatch.setenv("OBOEGAKI_HOST", "office")
    run("longterm", "dump", str(shared))
    (own,) = shared.iterdir()
    monkeypatch.setenv("OBOEGAKI_HOST", "home")

    done = run_json("longterm", "forget", "--match", MARK, "--yes")

    assert (done["dumps"], done["other_dumps"]) == ([str(own)], [])
    (left,) = shared.iterdir()
    assert left.name.startswith("home_")
    assert MARK.encode() not in left.read_bytes()


def test_a_dump_that_cannot_be_taken_away_is_said_to_hold_it_still(
    filled: Home, run: Run, run_json: Callable[..., Any], tmp_path: Path, monkeypatch: Any
) -> None:
    shared = tmp_path / "shared"
    run("longterm", "dump", str(shared))
    (own,) = shared.iterdir()

    def refuse(_folder: LocalFolder, name: str) -> None:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr(LocalFolder, "remove", refuse)
    done = run_json("longterm", "forget", "--match", MARK, "--yes")

    assert done["dumps"] == []
    assert str(own) in done["others"]
    assert MARK.encode() in own.read_bytes()


def test_what_a_killed_dump_left_goes_and_looking_changes_nothing(
    filled: Home, run: Run, tmp_path: Path, monkeypatch: Any
) -> None:
    shared = tmp_path / "shared"
    monkeypatch.setenv("OBOEGAKI_HOST", "office")
    run("longterm", "forget", "--match", MARK)
    assert not (Path(filled.root) / "dumps").exists()
    run("longterm", "dump", str(shared))
    half = shared / ".office_20260611T093000.ndjson.0a.tmp"
    half.write_text(MARK, encoding="utf-8")
    others = shared / ".laptop_20260611T093000.ndjson.0a.tmp"
    others.write_text(MARK, encoding="utf-8")
    run("longterm", "forget", "--match", MARK)
    assert half.exists()

    run("longterm", "forget", "--match", MARK, "--yes")

    assert not half.exists()
    assert others.exists()


def test_a_dump_that_is_being_written_is_waited_for(
    filled: Home, run_json: Callable[..., Any], monkeypatch: Any
) -> None:
    """It may have read what is forgotten, and would be there when nobody looks any more."""
    monkeypatch.setattr(exchange, "WAIT_S", 0.0)
    lock = try_lock(f"{filled.run}/sync.lock")
    assert lock is not None

    done = run_json("longterm", "forget", "--match", MARK, "--yes")

    unlock(lock)
    assert len(done["memories"]) > 0
    assert ["dumps: another" in place or "sync" in place for place in done["unread_dumps"]] == [
        True
    ]

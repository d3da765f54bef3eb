"""`runtime longterm`: store, list, show, delete, restore, stats."""

import json

import pytest

from runtime.errors import UnknownIdError
from runtime.store.refusals import ContentTooLongError, NothingToStoreError
from tests.cli.conftest import WRITE

STORE = ("longterm", "store", "--source", "claude_code", "--content")


def test_a_memory_is_stored_once(run_json):
    first = run_json(*STORE, "期限は30日", "--tag", "a", "--tag", "b")
    again = run_json(*STORE, "期限は30日 ")

    assert (first["id"], first["status"]) == (1, "stored")
    assert (again["id"], again["status"]) == (1, "known")
    assert first["content_hash"] == again["content_hash"]


@pytest.mark.parametrize("printed", ["期限は30日\n".encode(), "\ufeff期限は30日".encode()])
def test_the_text_may_come_from_stdin(run, run_json, printed):
    stored = run(*STORE, "-", input=printed)

    assert stored.stdout == "stored #1\n"
    assert run_json("longterm", "show", "1")["content"].strip() == "期限は30日"


def test_bytes_that_are_no_text_are_stored_as_far_as_they_are(run, run_json):
    run(*STORE, "-", input=b"\xff fact \xe3\x81")

    assert run_json("longterm", "show", "1")["content"] == "\ufffd fact \ufffd"


def test_a_stored_memory_is_found(run_json):
    run_json(*STORE, "再試行の上限は三回", "--project", "shop")

    (hit,) = run_json("search", "上限", "--project", "shop")["hits"]
    assert (hit["id"], hit["kind"], hit["source"]) == (1, "long-term", "claude_code")


def test_the_project_may_be_a_folder(run_json, tmp_path):
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)

    run_json(*STORE, "one fact", "--project", str(folder / "deeper"))

    memory = run_json("longterm", "show", "1")
    assert (memory["project"], len(memory["project_key"])) == ("shop", 16)


def test_the_machine_has_the_name_that_is_set(run_json, monkeypatch):
    monkeypatch.setenv("OBOEGAKI_HOST", "study")

    run_json(*STORE, "one fact")

    assert run_json("longterm", "show", "1")["host"] == "study"
    assert run_json("longterm", "stats")["by_host"] == {"study": 1}


@pytest.mark.parametrize(
    ("content", "error"),
    [("", NothingToStoreError), ("x" * 100_001, ContentTooLongError)],
)
def test_what_cannot_be_a_memory_is_refused(run, content, error):
    done = run(*STORE, content)

    assert isinstance(done.exception, error)
    assert done.stdout == ""


def test_a_memory_is_shown_whole_with_where_it_comes_from(run, capture):
    capture(WRITE)

    shown = run("longterm", "show", "1").stdout

    facts, _, content = shown.partition("\n\n")
    assert facts.splitlines()[0] == "id: 1"
    assert {"source: tool:Write", "project: shop", "about: /nowhere/shop/retry.md"} <= set(
        facts.splitlines()
    )
    assert content.count("retry policy 期限") == 30


def test_deleting_and_restoring_tell_what_was_done(run, run_json):
    run_json(*STORE, "one fact")

    deleted = run("longterm", "delete", "1", "7")
    again = run_json("longterm", "delete", "1")
    listed = run_json("longterm", "list", "--deleted")
    restored = run("longterm", "restore", "1")

    assert deleted.stdout == "deleted 1\n"
    assert isinstance(deleted.exception, UnknownIdError)
    assert deleted.exception.ids == ("7",)
    assert again == {"deleted": [], "already_deleted": [1], "missing": []}
    assert [memory["id"] for memory in listed] == [1]
    assert restored.stdout == "restored 1\n"
    assert run("longterm", "restore", "1").stderr == "not deleted: 1\n"


def test_json_tells_what_does_not_exist_too(run):
    done = run("longterm", "delete", "7", "--json")

    assert json.loads(done.stdout) == {"deleted": [], "already_deleted": [], "missing": [7]}
    assert isinstance(done.exception, UnknownIdError)


def test_what_was_deleted_is_stored_again(run, run_json):
    run_json(*STORE, "one fact")
    run("longterm", "delete", "1")

    assert run(*STORE, "one fact").stdout == ("stored #1: it had been deleted and is stored anew\n")
    assert [memory["id"] for memory in run_json("longterm", "list")] == [1]


def test_a_list_is_for_people_and_for_programs(run, run_json, capture):
    capture(WRITE)
    run(*STORE, "one fact", "--project", "web")
    run("longterm", "mark", "2", "--pinned", "--global")

    shown = run("longterm", "list").stdout.splitlines()

    assert [line.split()[0] for line in shown] == ["#2", "#1"]
    assert shown[0].endswith("  claude_code  web   pinned,global  one fact")
    assert [m["id"] for m in run_json("longterm", "list", "--tool", "write")] == [1]
    assert "no such memories" in run("longterm", "list", "--tag", "none").stderr


def test_counts_are_for_people_and_for_programs(run, run_json):
    for number in range(12):
        run(*STORE, f"fact {number}", "--project", f"p{number}")

    shown = run("longterm", "stats").stdout
    found = run_json("longterm", "stats")

    assert (found["total"], found["by_source"]) == (12, {"claude_code": 12})
    assert found["oldest_at"] < found["newest_at"]
    assert "projects beside these  2\n" in shown
    assert "source claude_code     12\n" in shown


def test_a_memory_that_does_not_exist_cannot_be_shown(run):
    assert isinstance(run("longterm", "show", "9").exception, UnknownIdError)


def test_counts_of_nothing_are_left_out(run):
    run("longterm", "store", "--source", "me", "--content", "鍵は事務所の二段目")
    told = run("longterm", "stats").stdout
    run("longterm", "delete", "1")

    assert run("longterm", "purge", "--yes").stdout == "1 memory purged\n"
    assert "nothing yet; 1 memory never told\n" in told

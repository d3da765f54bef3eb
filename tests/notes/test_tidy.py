"""A plan of operations, none of which happens by itself."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.notes.entries import NoteTexts, of_memory, parse_note
from runtime.notes.report import Measures, take_inventory
from runtime.notes.tidy import Plan, make_plan
from tests.notes.made import memory

TODAY = date(2026, 11, 30)
OLD = "## 2026-11-01 Cache\nThe cache is kept in memory. It is emptied at night.\n"
NEW = "## 2026-11-02 The cache\nThe cache is kept in memory. It is emptied at noon.\n"
CLOSING = "## {} 締め日\n毎月{}日に締める。請求書はその翌日に送る。\n"
"""One title: of two dates no program knows which holds."""


def planned(*texts: str, roots: Sequence[str] = ("/notes",), limit: int = 1000) -> Plan:
    """Make the plan for files a.md, b.md, … of which each is in the root of its turn."""
    files = tuple(
        parse_note(text, f"{roots[n % len(roots)]}/{chr(ord('a') + n)}.md", roots[n % len(roots)])
        for n, text in enumerate(texts)
    )
    notes = NoteTexts(files, ())
    return make_plan(take_inventory(notes, [], Measures(TODAY, limit)), notes, roots)


def operations(plan: Plan) -> list[dict[str, Any]]:
    """Accept every proposal of the plan."""
    lines = [line for line in plan.text.split("\n") if line.startswith("# {")]
    return [json.loads(line.removeprefix("# ")) for line in lines]


def test_a_plan_that_nobody_edited_changes_nothing() -> None:
    plan = planned(OLD, NEW, "## 2020-01-01 A\nx\n\n## B\n\n## C\ny\n", "x" * 1000)

    assert all(line.startswith("#") for line in plan.text.splitlines())
    assert plan.operations == len(operations(plan)) == 5


def test_of_copies_the_older_goes() -> None:
    plan = planned(OLD, OLD.replace("2026-11-01", "2026-11-05"))

    assert operations(plan) == [
        {"op": "delete", "file": "/notes/a.md", "match": "2026-11-01 Cache"}
    ]


def test_the_newer_of_two_duplicates_gets_what_only_the_older_says() -> None:
    """The older goes first, else its text would be there twice for a moment."""
    plan = planned(OLD, NEW)

    assert operations(plan) == [
        {"op": "delete", "file": "/notes/a.md", "match": "2026-11-01 Cache"},
        {
            "op": "replace",
            "file": "/notes/b.md",
            "match": "2026-11-02 The cache",
            "heading": "2026-11-02 The cache",
            "body": "The cache is kept in memory. It is emptied at noon.\n\n"
            "The cache is kept in memory. It is emptied at night.",
        },
    ]


def test_three_that_are_alike_become_one() -> None:
    plan = planned(OLD, NEW, OLD.replace("night", "two").replace("01 Cache", "01 A cache"))

    found = operations(plan)

    assert [item["op"] for item in found] == ["delete", "delete", "replace"]
    assert all(word in found[2]["body"] for word in ("noon", "night", "two"))


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("## 2026-11-01 A\n\n## 2026-11-01 B\nx\n", {"op": "delete", "match": "2026-11-01 A"}),
        (
            "## 2026-01-01 A\nx\n",
            {"op": "move", "match": "2026-01-01 A", "to": "/notes/archive/a.md"},
        ),
        (
            "## A\nx\n",
            {"op": "replace", "match": "A", "heading": "YYYY-MM-DD A", "body": "x"},
        ),
        (
            "## 令和8年11月1日 A\nx\n",
            {
                "op": "replace",
                "match": "令和8年11月1日 A",
                "heading": "2026-11-01 A",
                "body": "x",
            },
        ),
        (
            "## A\n2026年11月1日に決めた。\n",
            {
                "op": "replace",
                "match": "A",
                "heading": "2026-11-01 A",
                "body": "2026年11月1日に決めた。",
            },
        ),
    ],
)
def test_each_finding_has_its_proposal(text: str, operation: dict[str, str]) -> None:
    assert operations(planned(text)) == [{"file": "/notes/a.md", **operation}]


def test_which_of_two_holds_is_left_to_a_person() -> None:
    """One block that says both would be what nobody decided."""
    plan = planned(CLOSING.format("2026-11-03", 25), CLOSING.format("2026-11-04", 20))

    told = plan.text.splitlines()[3:]
    assert [line for line in told if not line.startswith("# {")] == [
        "#",
        (
            "# which one holds? One title, several dates, and the texts differ; the newest first."
            " Keep what holds, delete the others:"
        ),
        "# b.md:1 “2026-11-04 締め日”: 毎月20日に締める。",
        "# a.md:1 “2026-11-03 締め日”: 毎月25日に締める。",
        "# Or delete the older ones, and write into the newest what holds:",
    ]
    assert operations(plan) == [
        {"op": "delete", "file": "/notes/b.md", "match": "2026-11-04 締め日"},
        {"op": "delete", "file": "/notes/a.md", "match": "2026-11-03 締め日"},
        {
            "op": "replace",
            "file": "/notes/b.md",
            "match": "2026-11-04 締め日",
            "heading": "2026-11-04 締め日",
            "body": "毎月20日に締める。請求書はその翌日に送る。",
        },
    ]


def test_what_is_to_be_decided_is_merged_with_nothing() -> None:
    """Also not over a third block, which is like both."""
    third = CLOSING.format("2026-11-05", 20).replace(" 締め日", " 経理の締め日")

    plan = planned(CLOSING.format("2026-11-03", 25), CLOSING.format("2026-11-04", 20), third)

    assert not any("25" in item.get("body", "") for item in operations(plan))
    assert plan.text.count("first decide above which one holds") == 2


def test_a_copy_of_what_is_to_be_decided_may_go() -> None:
    texts = [CLOSING.format(f"2026-11-0{day}", text) for day, text in ((3, 25), (4, 20), (2, 20))]

    plan = planned(*texts, CLOSING.format("2026-11-01", 25))

    found = [(item["op"], item["file"]) for item in operations(plan)]
    assert [file for op, file in found if op == "delete"] == [
        "/notes/b.md",
        "/notes/a.md",
        "/notes/d.md",
        "/notes/c.md",
    ]


@pytest.mark.parametrize(
    "texts",
    [
        (OLD + "\n" + OLD, OLD, CLOSING.format("2027-11-03", 25)),
        (OLD, OLD.replace("night", "two").replace("01 Cache", "01 A cache"), NEW),
        ("x" * 300 + f"\n## 2026-11-01 A\n{'a' * 900}\n", f"## 2026-11-02 B\n{'a' * 900}\n"),
        (CLOSING.format("2026-11-03", 25), CLOSING.format("2026-11-04", 20), "x" * 900),
    ],
)
def test_each_reason_has_an_operation_or_says_why_not(texts: tuple[str, ...]) -> None:
    plan = planned(*texts)

    parts = plan.text.split("#\n")[1:]
    assert parts
    assert all(len(part.splitlines()) > 1 for part in parts), plan.text


def test_of_a_full_file_the_oldest_blocks_move_until_it_is_not() -> None:
    texts = [f"## 2026-11-0{day} A{day}\n{str(day) * 280}\n\n" for day in (3, 1, 2)]

    plan = planned("".join(texts))

    assert [item["match"] for item in operations(plan)] == ["2026-11-01 A1"]


def test_a_block_gets_one_proposal() -> None:
    """What is stale and a duplicate and empty is to go once."""
    stale = OLD.replace("2026-11", "2026-01")

    plan = planned(stale, NEW, "## 2020-01-01 Empty\n")

    names = [(item["file"], item["match"]) for item in operations(plan)]
    assert len(names) == len(set(names)) == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (OLD + "\n" + OLD.replace("night", "two"), "two blocks of one heading"),
        ("# 2026-01-01 A\n\ntext\n", "a title is no block"),
        ("##\nx\n", "nothing names it"),
        ("## 2026-01-01 A\nx\n<private>\ny\n</private>\n", "an operation would lose it"),
        ("## 2026-12-01 A\nx\n", "only a person knows the date"),
    ],
)
def test_what_no_operation_can_do_is_left_to_the_reader(text: str, why: str) -> None:
    plan = planned(text)

    assert operations(plan) == [], why
    assert len(plan.text.splitlines()) > 4
    assert plan.operations == 0


def test_what_is_private_stays_out_of_the_plan() -> None:
    private = "\n<private>\nmine\n</private>\nkey = sk-ant-api03-" + "a1B2" * 24 + "\n"

    plan = planned(OLD + private, NEW, "## Undated\n" + private)

    assert "mine" not in plan.text
    assert "a1B2" not in plan.text
    assert operations(plan) == []


def test_a_private_block_that_contradicts_another_is_not_shown() -> None:
    private = CLOSING.format("2026-11-03", 25) + "<private>\nmine\n</private>\n"

    plan = planned(private, CLOSING.format("2026-11-04", 20))

    assert "mine" not in plan.text
    assert "what it says is left out" in plan.text
    assert "/notes/a.md" not in {item["file"] for item in operations(plan)}


@pytest.mark.parametrize("roots", [("/one", "/two"), ("/one",)])
def test_operations_name_whole_paths(roots: Sequence[str]) -> None:
    """A relative one would mean another file to somebody in another folder."""
    plan = planned("## 2026-01-01 A\nx\n", "## B\nx\n", roots=roots)

    assert [item["file"] for item in operations(plan)] == ["/one/a.md", f"{roots[-1]}/b.md"]
    assert operations(plan)[0]["to"] == "/one/archive/a.md"


def test_nothing_to_tidy_is_a_plan_of_comments() -> None:
    plan = planned("## 2026-11-01 A\nx\n")

    assert plan.operations == 0
    assert plan.text.count("\n") == 3


@pytest.mark.parametrize(
    ("roots", "ignore"), [(("/notes/a.md",), ()), (("/notes",), ("archive/",))]
)
def test_nothing_is_moved_where_no_search_would_find_it(
    roots: Sequence[str], ignore: Sequence[str]
) -> None:
    """Such a move is refused, and the whole plan with it."""
    notes = NoteTexts((parse_note("## 2020-01-01 A\nx\n", "/notes/a.md", "/notes"),), ())
    found = take_inventory(notes, [], Measures(TODAY, 1000))

    plan = make_plan(found, notes, roots, ignore)

    assert (operations(plan), plan.operations) == ([], 0)
    assert "# by hand: no search would find it" in plan.text


def test_memories_are_in_no_plan() -> None:
    memories = [of_memory(memory(number, "the same text " * 9)) for number in (1, 2)]
    notes = NoteTexts((), ())
    found = take_inventory(notes, memories, Measures(TODAY, 1000))

    plan = make_plan(found, notes, ["/notes"])

    assert len(found.duplicates) == 1
    assert plan.operations == 0


LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=12)


@given(st.lists(st.tuples(LINE, LINE), max_size=5))
def test_no_text_of_a_note_becomes_an_operation_by_itself(blocks: list[tuple[str, str]]) -> None:
    """Whatever a reader takes for a line's end, each line begins with the mark."""
    text = "".join(f"## {heading}\n{body}\n\n" for heading, body in blocks)

    plan = planned(text, text.replace("a", "b"))

    assert all(line.startswith("#") for line in plan.text.splitlines())
    assert len(operations(plan)) == plan.operations


def test_what_is_proposed_already_counts_for_a_full_file() -> None:
    """The stale block is to move anyhow, and with it the file is no longer full."""
    plan = planned(f"## 2026-01-01 A\n{'a' * 280}\n\n## 2026-11-02 B\n{'b' * 600}\n")

    assert [item["match"] for item in operations(plan)] == ["2026-01-01 A"]


def test_a_full_file_whose_blocks_all_have_a_proposal_is_only_named() -> None:
    plan = planned(f"## 2026-11-01 A\n{'a' * 900}\n", f"## 2026-11-02 B\n{'a' * 900}\n")

    assert [(item["op"], item["match"]) for item in operations(plan)] == [
        ("delete", "2026-11-01 A")
    ]
    assert "# 917 of 1,000 characters: b.md\n" in plan.text


def test_long_preambles_and_unread_files_are_reasons_without_an_operation() -> None:
    note = parse_note("x" * 300 + "\n## 2026-11-01 A\nx\n", "/notes/a.md", "/notes")
    notes = NoteTexts((note,), (("/notes/b.md", "gone"),))

    plan = make_plan(take_inventory(notes, [], Measures(TODAY, 1000)), notes, ["/notes"])

    assert "# 301 characters above the first block: a.md\n" in plan.text
    assert "# not read: /notes/b.md: gone\n" in plan.text
    assert plan.operations == 0

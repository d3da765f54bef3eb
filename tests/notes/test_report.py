"""What could be tidied."""

from datetime import date

import pytest

from runtime.notes.entries import NoteTexts, of_memory, parse_note
from runtime.notes.report import Measures, take_inventory
from schemas.inventory import Inventory
from tests.notes.made import memory

TODAY = date(2026, 11, 30)


def inventory(*texts: str, stale_days: int = 90, limit: int = 1000) -> Inventory:
    """Take the inventory of files a.md, b.md, …"""
    files = tuple(
        parse_note(text, f"/notes/{chr(ord('a') + n)}.md") for n, text in enumerate(texts)
    )
    return take_inventory(NoteTexts(files, ()), [], Measures(TODAY, limit, stale_days))


def test_a_block_is_stale_when_it_is_older_than_so_many_days() -> None:
    found = inventory("## 2026-09-01 A\nx\n\n## 2026-08-31 B\ny\n\n## 2020-01-01 C\nz\n\n## D\nv\n")

    assert [place.heading for place in found.stale] == ["2020-01-01 C", "2026-08-31 B"]
    assert found.blocks_total == 4


@pytest.mark.parametrize("days", [0, 10**6, 10**12])
def test_any_age_can_be_asked_for(days: int) -> None:
    found = inventory("## 2026-11-29 A\nx\n\n## 2026-11-30 B\ny\n", stale_days=days)

    assert len(found.stale) == (1 if days == 0 else 0)


@pytest.mark.parametrize("text", ["# 2020-01-01 Title\n\ntext\n", "# 2020-01-01 Title\n"])
def test_a_file_without_blocks_can_be_stale(text: str) -> None:
    """A29: a file of a preamble or an H1 alone was never in the older report."""
    found = inventory(text)

    assert [place.line for place in found.stale] == [1]


def test_files_without_blocks_are_compared_too() -> None:
    found = inventory("# One\n\nthe very same text\n", "# One\n\nthe very same text!\n")

    assert [(pair.a.file, pair.b.file) for pair in found.duplicates] == [
        ("/notes/a.md", "/notes/b.md")
    ]


COPY = "## {} 決定: 期限\n\nセッションの期限は30分。  \n{}"


def test_copies_are_listed_once_each_against_the_newest() -> None:
    found = inventory(
        COPY.format("2026-06-11", ""),
        COPY.format("2026/11/01", "\n\n").replace("\n", "\r\n"),
        COPY.format("2026-06-12", ""),
    )

    assert [(pair.a.file, pair.b.file, pair.how) for pair in found.duplicates] == [
        ("/notes/b.md", "/notes/c.md", "copy"),
        ("/notes/b.md", "/notes/a.md", "copy"),
    ]
    assert found.contradictions == ()


def test_code_that_differs_in_indentation_is_no_copy() -> None:
    """A11: whether a line belongs to the loop is the whole difference."""
    text = "## 2026-11-01 A\n```\nfor x in y:\n    f()\n{}g()\n```\n"

    found = inventory(text.format("    "), text.format(""))

    assert [pair.how for pair in found.duplicates] == ["similar"]


def test_the_newer_of_a_pair_comes_first() -> None:
    old = "## 2026-10-01 Cache\nThe cache is kept in memory. It is emptied at night. Nobody asks.\n"
    new = "## 2026-10-02 Cache\nNobody asks. It is emptied at night. The cache is kept in memory.\n"

    (pair,) = inventory(old, new).duplicates

    assert (pair.a.date, pair.b.date, pair.how) == ("2026-10-02", "2026-10-01", "reordered")


def test_empty_blocks_are_nobody_s_duplicates() -> None:
    found = inventory("## 2026-11-01 A\n\n## 2026-11-01 A\n")

    assert found.duplicates == ()
    assert [place.line for place in found.empty] == [1, 3]


def titled(*dates: str) -> str:
    bodies = ("thirty minutes\n", "until they log out, whatever happens\n", "0\n", "never!\n")
    return "\n".join(f"## {day} Limit\n{body}" for day, body in zip(dates, bodies, strict=False))


@pytest.mark.parametrize(
    ("text", "pairs", "why"),
    [
        (titled("2026-11-01", "2026-11-02"), [(4, 1)], "the newer one leads"),
        (titled("2026-11-01", "2026-11-02", "2026-11-03"), [(7, 4), (7, 1)], "against the newest"),
        (titled("2026-11-01", "2026-11-01"), [], "one date is no contradiction"),
        (titled("2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"), [], "four are a series"),
        ("## 2026-11-01\nx\n\n## 2026-11-02\nsomething else\n", [], "no title, nothing said twice"),
        ("# 2026-11-01\n## A\nx\n# 2026-11-02\n## A\nother\n", [], "dates of another heading"),
    ],
)
def test_one_title_under_two_dates_is_a_contradiction(
    text: str, pairs: list[tuple[int, int]], why: str
) -> None:
    found = [(item.a.line, item.b and item.b.line) for item in inventory(text).contradictions]

    assert found == pairs, why


LIMIT = "## {} 締め日\n{}\n"
BASE = "毎月25日に締める。請求書はその翌日に送る。"


@pytest.mark.parametrize(
    ("other", "is_contradiction", "why"),
    [
        (BASE.replace("25", "20"), True, "one digit is the whole difference"),
        (BASE.replace("25", "2.5"), True, "a point inside a number says something"),
        (BASE.replace("締める", "締めない"), True, "the opposite"),
        (BASE + "月末が休みなら前日。", True, "the newer may have taken it back"),
        (BASE.replace("。", "．").replace("毎月", "毎月 "), False, "blanks and punctuation"),
        ("**" + BASE.replace("25日", "25日、") + "**", False, "marks"),
        (BASE.replace("25", "２５"), False, "full-width digits"),
        ("請求書はその翌日に送る。毎月25日に締める。", False, "another order"),
        ("毎月25日に締める。", False, "the newer has it all, and more"),
    ],
)
def test_texts_that_are_alike_contradict_when_the_older_says_something_else(
    other: str, is_contradiction: bool, why: str
) -> None:
    found = inventory(LIMIT.format("2026-11-03", other), LIMIT.format("2026-11-04", BASE))

    told = [(item.a.date, item.b and item.b.date) for item in found.contradictions]
    assert told == ([("2026-11-04", "2026-11-03")] if is_contradiction else []), why
    assert not (is_contradiction and found.duplicates), why


def test_what_a_title_says_behind_its_colon_can_contradict() -> None:
    text = "## {} 締め日: 毎月{}日\n請求書は翌営業日に送る。\n"

    found = inventory(text.format("2026-11-03", 25), text.format("2026-11-04", 20))

    assert [(item.a.line, item.b and item.b.file) for item in found.contradictions] == [
        (1, "/notes/a.md")
    ]
    assert found.duplicates == ()


def test_in_a_series_only_what_is_alike_contradicts() -> None:
    found = inventory(
        LIMIT.format("2026-11-01", "最初の週は設計。"),
        LIMIT.format("2026-11-02", "次の週はテストと測定だけ。"),
        LIMIT.format("2026-11-03", BASE),
        LIMIT.format("2026-11-04", BASE.replace("25", "20")),
    )

    assert [(item.a.date, item.b and item.b.date) for item in found.contradictions] == [
        ("2026-11-04", "2026-11-03")
    ]
    assert found.duplicates == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("## 2026-12-01 A\nx\n\n## 2026-11-30 B\ny\n", [1]),
        ("---\ndate: 2027-01-01\n---\n## A\nx\n\n## B\ny\n", [4]),
        ("## 2026-11-01 A\nx\n### 2026-12-24 then\ny\n", [1]),
    ],
)
def test_a_date_after_today_is_told_once(text: str, lines: list[int]) -> None:
    found = inventory(text).contradictions

    assert [(item.a.line, item.reason) for item in found] == [
        (line, "after today") for line in lines
    ]


def test_sizes_are_measured_against_the_limit() -> None:
    found = inventory("x" * 800, "x" * 801, "x" * 300 + "\n## 2026-11-01 A\nx\n", "x" * 1200)

    assert [(size.file, size.chars, size.limit) for size in found.oversized] == [
        ("/notes/d.md", 1200, 1000),
        ("/notes/b.md", 801, 1000),
    ]
    assert [(size.file, size.chars) for size in found.long_preambles] == [("/notes/c.md", 301)]


def test_undated_are_blocks_and_files_without_any() -> None:
    found = inventory("above\n## A\nx\n## 2026-11-01 B\ny\n## Empty\n", "# Title\n\ntext\n")

    assert [(place.file, place.line) for place in found.undated] == [
        ("/notes/a.md", 2),
        ("/notes/b.md", 1),
    ]


def test_memories_are_compared_within_their_project() -> None:
    content = "[user] what is the limit [assistant] thirty minutes after the last action"
    memories = [
        memory(1, content, project_key="p"),
        memory(2, content + "!", project_key="p"),
        memory(3, content + "?", project_key="q"),
        memory(4, content + ".", project_key="p", is_pinned=True),
    ]

    found = take_inventory(None, [of_memory(item) for item in memories], Measures(TODAY, 1000))

    assert {(pair.a.id, pair.b.id) for pair in found.duplicates} == {(2, 1), (4, 1), (4, 2)}
    assert [place.id for place in found.stale] == [1, 2, 3]
    assert (found.blocks_total, found.memories_total) == (0, 4)
    assert found.looked_at == ("long-term",)
    assert found.undated == found.empty == found.oversized == ()


def test_files_that_were_not_read_are_told() -> None:
    found = take_inventory(NoteTexts((), (("/a.md", "gone"),)), [], Measures(TODAY, 1000))

    assert [(file.file, file.reason) for file in found.unreadable] == [("/a.md", "gone")]


def test_the_older_names_are_still_there() -> None:
    """Source text, "memory_report.py": its JSON has these names."""
    found = inventory(COPY.format("2026-06-11", ""), COPY.format("2026-11-01", ""), "x" * 900)

    shape = found.model_dump(mode="json")

    assert shape["blocks_total"] == 3
    assert {"file", "heading", "date"} <= shape["stale"][0].keys()
    assert {"a", "b", "similarity"} <= shape["duplicates"][0].keys()
    assert {"file", "chars", "limit"} <= shape["oversized"][0].keys()


def test_progress_runs_through_all_groups() -> None:
    told: list[tuple[int, int]] = []
    notes = NoteTexts((parse_note("## A\nx\n## B\ny\n", "a.md"),), ())
    memories = [of_memory(memory(number, f"{number}" * 9)) for number in range(3)]

    take_inventory(notes, memories, Measures(TODAY, 1000), lambda *at: told.append(at))

    assert told == sorted(told)
    assert told[-1] == (10, 10)

"""Operations of a batch, from JSON."""

import json

import pytest

from runtime.notes.batch import parse
from runtime.notes.refusals import BadOperationError, MarkedOperationsError
from schemas.notes import Append, Delete, Move, Replace

APPEND = {"op": "append", "file": "a.md", "heading": "2026-06-11 x", "body": "y\u2028z"}
DELETE = {"op": "delete", "file": "a.md", "match": "x"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([APPEND, DELETE]),
        json.dumps([APPEND, DELETE], indent=2),
        json.dumps(APPEND) + "\n\n" + json.dumps(DELETE) + "\n",
        "# why\n" + json.dumps(APPEND) + "\n#\n# {}\n" + json.dumps(DELETE),
        json.dumps(APPEND, ensure_ascii=False) + "\r\n" + json.dumps(DELETE),
        "\ufeff" + json.dumps([APPEND, DELETE]),
    ],
)
def test_an_array_and_lines_are_the_same(text: str) -> None:
    assert parse(text.encode(), None) == (
        Append(file="a.md", heading="2026-06-11 x", body="y\u2028z"),
        Delete(file="a.md", match="x"),
    )


def test_one_object_may_be_written_over_several_lines() -> None:
    assert parse(json.dumps(DELETE, indent=2).encode(), None) == (Delete(file="a.md", match="x"),)


def test_a_file_that_is_not_named_is_the_default() -> None:
    moved = {"op": "move", "match": "x", "to": "b.md"}
    replaced = {"op": "replace", "file": "c.md", "match": "x", "heading": "h", "body": "b"}

    assert parse(json.dumps([moved, replaced]).encode(), "a.md") == (
        Move(file="a.md", match="x", to="b.md"),
        Replace(file="c.md", match="x", heading="h", body="b"),
    )


@pytest.mark.parametrize(
    ("data", "operation", "part"),
    [
        (b"", None, "no operation"),
        (b" \n", None, "no operation"),
        (b"# nothing\n# {}\n", None, "no operation"),
        (b"[]", None, "no operation"),
        (b"\xff", None, "offset 0"),
        (b"{", None, "line 1 is not JSON"),
        (json.dumps(DELETE).encode() + b"\nx", None, "line 2 is not JSON"),
        (b"[" * 100_000, None, "nested too deep"),
        (b"[1]", 1, "it is no object"),
        (json.dumps([DELETE, {**DELETE, "op": "drop-it-all"}]).encode(), 2, "op is none of"),
        (json.dumps([{"op": "delete", "match": "x"}]).encode(), 1, "file has to be given"),
        (b'{"op": "move"}', 1, "file has to be given, match has to be given, to has to be given"),
        (json.dumps([{**DELETE, "body": "x"}]).encode(), 1, "body does not belong there"),
        (json.dumps([{**DELETE, "match": 1}]).encode(), 1, "match is no text"),
        (b"[{}]", 1, "op is none of"),
    ],
)
def test_what_is_no_operation_is_refused_with_its_place(
    data: bytes, operation: int | None, part: str
) -> None:
    with pytest.raises(BadOperationError) as caught:
        parse(data, None)

    assert (caught.value.reason, caught.value.operation) == ("bad_operation", operation)
    assert part in str(caught.value)
    assert "drop-it-all" not in str(caught.value)
    # Whoever shows it puts the number in front, once.
    assert "operation 1" not in str(caught.value)


@pytest.mark.parametrize("mark", ["# ", "#"])
def test_a_plan_on_which_nothing_was_decided_is_told_from_an_empty_one(mark: str) -> None:
    plan = f"# Proposals\n#\n{mark}{json.dumps(APPEND)}\n\n# why\n{mark}{json.dumps(DELETE)}\n"

    with pytest.raises(MarkedOperationsError) as caught:
        parse(plan.encode(), None)

    assert caught.value.reason == "bad_operation"
    assert "take the mark off" in str(caught.value)

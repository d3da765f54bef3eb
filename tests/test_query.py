import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.query import MOST, Asked, Filters, first_day, parse


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("retry policy", Asked("retry policy")),
        ('"retry policy"', Asked("", ("retry policy",))),
        ('deploy "retry policy" shop', Asked("deploy shop", ("retry policy",))),
        ("retry -backoff", Asked("retry", (), ("backoff",))),
        ('retry -"fixed delay"', Asked("retry", (), ("fixed delay",))),
        ("再試行 -上限", Asked("再試行", (), ("上限",))),
        ("retry kind:note", Asked("retry", filters=Filters(kind=("note",)))),
        ("kind:notes kind:long-term", Asked("", filters=Filters(kind=("note", "long-term")))),
        ('project:"my shop"', Asked("", filters=Filters(project=("my shop",)))),
        ("tool:Write file:src/app", Asked("", filters=Filters(tool=("Write",), file=("src/app",)))),
        (
            "after:2026-06 before:2027",
            Asked("", filters=Filters(after=("2026-06-01",), before=("2027-01-01",))),
        ),
        ("a after:2026-06-11", Asked("a", filters=Filters(after=("2026-06-11",)))),
    ],
)
def test_a_question_is_taken_apart(text, asked):
    assert parse(text) == asked


@pytest.mark.parametrize(
    "text",
    [
        "AND",
        "a OR b NOT c",
        "NEAR(a b)",
        "foo:bar",
        "http://localhost:8080",
        "kind:",
        "kind:other",
        "kind:permanent",
        "-kind:note",
        "after:yesterday",
        "before:2026-02-30",
        "after:2026-13",
        "before:26",
        "C++",
        "a*",
        "^caret",
        "--json",
        "-",
        "- item",
        '"',
        '""',
        '" "',
        '"never closed',
        'a"b"c',
        "gpt-4o",
        "tool: Write",
        "Kind:note",
    ],
)
def test_everything_else_is_words(text):
    assert parse(text) == Asked(text)


def test_blanks_of_any_kind_part_words():
    assert parse("  a\u3000b\t-c\nd  ") == Asked("a b d", (), ("c",))


def test_what_is_said_twice_counts_once():
    assert parse('"a b" "a b" -c -c tool:x tool:x') == Asked(
        "", ("a b",), ("c",), Filters(tool=("x",))
    )


def test_of_very_many_the_rest_are_words():
    asked = parse(" ".join(f'"p {number}"' for number in range(MOST + 2)))

    assert len(asked.phrases) == MOST
    assert asked.words == f'"p {MOST}" "p {MOST + 1}"'


def test_what_is_looked_for_keeps_phrases_and_no_other_quotation_mark():
    asked = parse('say"it "retry policy" -no kind:note')

    assert asked.text == 'say\'it "retry policy"'
    assert asked.shown == 'say"it retry policy'


def test_filters_of_two_places_add_up():
    both = Filters(kind=("note",)).and_also(Filters(kind=("long-term",), file=("a",)))

    assert both == Filters(kind=("note", "long-term"), file=("a",))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-06-11", "2026-06-11"),
        ("2026-06", "2026-06-01"),
        ("2026", "2026-01-01"),
        ("2024-02-29", "2024-02-29"),
        ("2023-02-29", ""),
        ("0000", ""),
        ("٢٠٢٦", ""),
        ("2026-6", ""),
        ("", ""),
    ],
)
def test_a_date_a_month_or_a_year_begins_on_a_day(text, day):
    assert first_day(text) == day


PIECES = st.sampled_from(
    [
        '"',
        "-",
        "kind:",
        "note",
        "after:",
        "2026",
        "file:",
        " ",
        "\0",
        "\ud800",
        "あ",
        "a b",
        "\u3000",
    ]
)


@given(st.text() | st.lists(PIECES).map("".join))
def test_any_text_is_a_question_and_its_parts_stand_in_it(text):
    asked = parse(text)

    assert all(phrase.strip() and phrase in text for phrase in (*asked.phrases, *asked.without))
    assert all(word in text for word in asked.words.split())

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.query import MOST, REMARK_CHARS, Asked, Filters, parse


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("retry policy", Asked("retry policy")),
        ('"retry policy"', Asked("", ("retry policy",))),
        ('deploy "retry policy" shop', Asked("deploy shop", ("retry policy",))),
        ("retry -backoff", Asked("retry", (), ("backoff",))),
        ('retry -"fixed delay"', Asked("retry", (), ("fixed delay",))),
        ("再試行 -上限", Asked("再試行", (), ("上限",))),
        ("“retry policy” now", Asked("now", ("retry policy",))),
        ("retry -“fixed delay”", Asked("retry", (), ("fixed delay",))),
        ("＂再試行 上限＂", Asked("", ("再試行 上限",))),
        ("“retry policy now", Asked("“retry policy now")),
        ("「再試行 上限」とは", Asked("「再試行 上限」とは")),
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
    ],
)
def test_everything_else_is_words(text):
    assert parse(text) == Asked(text)


WORD = "it was searched for as a word"


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("after:昨日", f"after: is no date here: 昨日; write 2021-01-05, {WORD}"),
        ("再試行 after:yesterday", f"after: is no date here: yesterday; write 2021-01-05, {WORD}"),
        ("before:2026-02-30", f"before: is no date here: 2026-02-30; write 2021-01-05, {WORD}"),
        ("after:6/11/2026", f"after: is no date here: 6/11/2026; write 2021-01-05, {WORD}"),
        ("before:26", f"before: is no date here: 26; write 2021-01-05, {WORD}"),
        ("kind:foo", f"kind: is no kind here: foo; write note, long-term or permanent, {WORD}"),
        (
            "kind\uff1afoo",
            f"kind: is no kind here: foo; write note, long-term or permanent, {WORD}",
        ),
        ('kind:"a b"', f"kind: is no kind here: a b; write note, long-term or permanent, {WORD}"),
        ("kind:", f"kind: is followed by nothing; write kind:note, {WORD}"),
        ('file:" "', f"file: is followed by nothing; write file:decisions, {WORD}"),
        ("tool: Write", f"tool: is followed by nothing; write tool:Write, {WORD}"),
        ("-kind:note", f"-kind:note: a filter takes no dash; leave it out, {WORD}"),
        ("-after:昨日", f"-after:昨日: a filter takes no dash; leave it out, {WORD}"),
        (
            "kind:foo kind:foo",
            f"kind: is no kind here: foo; write note, long-term or permanent, {WORD}",
        ),
    ],
)
def test_a_filter_that_is_not_understood_is_words_and_remarked_on(text, remark):
    assert parse(text) == Asked(text, remarks=(remark,))


def test_of_very_many_values_the_rest_are_words_and_remarked_on():
    asked = parse(" ".join(f"file:{number}" for number in range(MOST + 1)))

    assert len(asked.filters.file) == MOST
    assert asked.words == f"file:{MOST}"
    assert asked.remarks == (f"file: 16 are heeded and no more; leave out file:{MOST}, {WORD}",)


def test_a_remark_is_a_short_line():
    (remark,) = parse('after:"' + "昨日\n" * 1000 + '"').remarks

    assert "\n" not in remark
    assert len(remark) < 3 * REMARK_CHARS + len(WORD)


NOTE = Asked("", filters=Filters(kind=("note",)))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("kind\uff1anote", NOTE),
        ("\uff4b\uff49\uff4e\uff44:note", NOTE),
        ("\uff2b\uff29\uff2e\uff24\uff1a\uff2e\uff2f\uff34\uff25", NOTE),
        ("Kind:Note", NOTE),
        ("kind:long\u2010term", Asked("", filters=Filters(kind=("long-term",)))),
        ("\u2212認証", Asked("", (), ("認証",))),
        ("\uff0d認証", Asked("", (), ("認証",))),
        ("\u2010認証", Asked("", (), ("認証",))),
        ("\u2013認証", Asked("", (), ("認証",))),
        ('\u2212"a b"', Asked("", (), ("a b",))),
        ("\u2014認証", Asked("\u2014認証")),
        ("\u2212", Asked("\u2212")),
        ("\u2212\u2212flag", Asked("\u2212\u2212flag")),
        ("ﬁle:x", Asked("ﬁle:x")),
        ("foo\uff1abar", Asked("foo\uff1abar")),
        ("再試行 after:2021年1月", Asked("再試行", filters=Filters(after=("2021-01-01",)))),
        ("after:令和2年11月", Asked("", filters=Filters(after=("2020-11-01",)))),
        ("before:2021/01/05", Asked("", filters=Filters(before=("2021-01-05",)))),
        ('before:"June 2026"', Asked("", filters=Filters(before=("2026-06-01",)))),
    ],
)
def test_width_case_and_dashes_make_no_difference(text, asked):
    assert parse(text) == asked


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
        "\uff1a",
        "\u2212",
        "ｋｉｎｄ",
        "ﬁle",
        "年",
        "a b",
        "\u3000",
    ]
)


@given(st.text() | st.lists(PIECES).map("".join))
def test_any_text_is_a_question_and_its_parts_stand_in_it(text):
    asked = parse(text)

    assert all(phrase.strip() and phrase in text for phrase in (*asked.phrases, *asked.without))
    assert all(word in text for word in asked.words.split())
    assert all(remark.endswith(WORD) for remark in asked.remarks)

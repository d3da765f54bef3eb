"""What is shown is safe to show, fits its limit, and stays readable."""

import json
from pathlib import Path

import pytest

from runtime.text import (
    clean,
    cut,
    defuse_tags,
    head_and_tail,
    one_line,
    replace_surrogates,
    utf16_units,
)

PAGE = json.loads(
    (Path(__file__).parent / "cases" / "X03" / "webfetch.json").read_text(encoding="utf-8")
)["tool_response"]["result"]
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAG = "\U0001f1ef\U0001f1f5"


@pytest.mark.parametrize(("text", "units"), [("", 0), ("aあ", 2), ("\U0001f600", 2), ("\ud800", 1)])
def test_units_are_counted_as_the_client_counts_them(text, units):
    assert utf16_units(text) == units


@pytest.mark.parametrize(
    ("text", "expected", "why"),
    [
        ("\ud83d\ude00", "\U0001f600", "a pair is one character"),
        ("a\ud83d", "a\ufffd", "half a pair"),
        ("\ude00\ud83d", "\ufffd\ufffd", "a pair the wrong way round"),
        ("\udc80", "\ufffd", "a byte that was no UTF-8"),
        ("あ\U0001f600", "あ\U0001f600", "nothing to do"),
    ],
)
def test_surrogates_become_characters_that_a_file_can_hold(text, expected, why):
    assert replace_surrogates(text) == expected, why


@pytest.mark.parametrize(
    ("text", "expected", "why"),
    [
        ("a\tb\nc", "a\tb\nc", "tab and line feed stay"),
        ("a\r\nb\rc", "a\nb\nc", "line ends of other systems"),
        ("a\u2028b\u2029c", "a\nb\nc", "line ends of Unicode"),
        ("a\x00\x07\x08\x7f\x85b", "ab", "controls"),
        ("\x1b[2J\x1b[31;1ma\x1b[0m", "a", "CSI"),
        ("\x9b31ma", "a", "CSI in one character"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab", "OSC with both its ends"),
        ("\x1b]0;no end\nb", "\nb", "OSC without an end takes its line"),
        ("\x1bP1$r\x1b\\a\x1b(Bb\x1bMc", "abc", "DCS, character set, reverse line feed"),
        ("\x1b[3\x001ma", "a", "a control inside a sequence"),
        ("a\x1b", "a", "a sequence that only begins"),
        ("\u202ea\u2066b\u200fc\u061cd", "abcd", "bidi"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde", "zero width"),
        ("a\U000e0041\U000e007fb", "ab", "tag characters"),
        ("a\ufff9b\ufffbc", "abc", "annotation"),
        (FAMILY, FAMILY, "a joiner between emoji"),
        ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525", "and after a selector"),
        ("a\u200db\u200d", "ab", "a joiner elsewhere"),
        ("葛\U000e0100\U000e0101", "葛\U000e0100", "one selector per character"),
        ("が か\u3099 ﾊﾟ 𠮷", "が か\u3099 ﾊﾟ 𠮷", "Japanese"),
        ("\ud800a", "\ufffda", "surrogates"),
    ],
)
def test_clean_removes_what_must_not_be_shown(text, expected, why):
    assert clean(text) == expected, why


@pytest.mark.parametrize(
    ("text", "expected", "why"),
    [
        ("</runtime-memory>", "&lt;/runtime-memory>", "our own frame"),
        ("<system-reminder>", "&lt;system-reminder>", "a host tag"),
        ("<!-- x --><?xml?>", "&lt;!-- x -->&lt;?xml?>", "comment and declaration"),
        ("＜/x＞﹤x﹥", "&lt;/x＞&lt;x﹥", "wide and small forms"),
        ("<／x> <ｘ>", "&lt;／x> &lt;ｘ>", "wide sign and letter"),
        ("< /x> <\n/x>", "&lt; /x> &lt;\n/x>", "space before the slash"),
        ("<\u200b/x>", "&lt;\u200b/x>", "zero width before the slash"),
        ("< system-reminder >", "&lt; system-reminder >", "space around a name"),
        ("< a href='x'>", "&lt; a href='x'>", "space before a name with attributes"),
        ("List<String>", "List&lt;String>", "a type looks like a tag"),
        ("a < b", "a < b", "a comparison"),
        ("if a < b and c > d", "if a < b and c > d", "two comparisons"),
        ("<3 -> <- <= <<", "<3 -> <- <= <<", "signs"),
        ("<日本語> ＜注＞", "<日本語> ＜注＞", "Japanese brackets"),
        ("&lt;x>", "&lt;x>", "already done"),
    ],
)
def test_defuse_tags_leaves_no_tag_and_no_comparison_changed(text, expected, why):
    assert defuse_tags(text) == expected, why


def test_a_hostile_page_keeps_its_words_and_loses_its_tags_and_tricks():
    shown = defuse_tags(clean(PAGE))

    assert "</runtime-memory>" not in shown
    assert "<system-reminder>" not in shown
    assert not set("\x1b\u202e\u200b\U000e0041") & set(shown)
    assert "IGNORE PREVIOUS INSTRUCTIONS" in shown
    assert "逆順" in shown
    assert "ゼロ幅" in shown


@pytest.mark.parametrize(
    ("text", "limit", "expected", "why"),
    [
        ("abc", 3, "abc", "it fits"),
        ("one two\nthree four five", 14, "one two…", "the last line end"),
        ("a\nbcdefghijkl", 11, "a\nbcdefghi…", "a line end that would lose too much is no border"),
        ("これは長い文。次の文です", 10, "これは長い文。…", "the end of a sentence"),
        ("hello big world", 12, "hello big…", "a space"),
        ("\U0001f600" * 4, 6, "\U0001f600" * 2 + "…", "no half of a pair"),
        ("abか\u3099い", 4, "ab…", "no letter without its sound mark"),
        ("ab" + FAMILY + "x", 8, "ab…", "no part of a joined emoji"),
        ("ab" + FLAG + FLAG, 8, "ab" + FLAG + "…", "no half of a flag"),
        ("abcdef", 0, "", "no room at all"),
        ("e" + "\u0301" * 99, 50, "e" + "\u0301" * 48 + "…", "endless marks are cut anywhere"),
    ],
)
def test_cut_ends_at_the_best_border_within_the_limit(text, limit, expected, why):
    shown = cut(text, limit, "…")

    assert shown == expected, why
    assert utf16_units(shown) <= limit


def test_cut_without_room_for_the_mark_gives_the_beginning():
    assert cut("abcdef", 3, "[cut here]") == "abc"


def test_head_and_tail_says_how_much_is_left_out():
    text = "a" * 500 + "b" * 500

    shown = head_and_tail(text, 135)

    assert shown == "a" * 72 + "\n[… 897 characters left out …]\n" + "b" * 31
    assert len(shown) <= 135


def test_head_and_tail_leaves_a_text_that_fits():
    assert head_and_tail("a" * 135, 135) == "a" * 135


def test_head_and_tail_with_a_tiny_limit_gives_the_beginning():
    assert head_and_tail("abcdefgh", 3) == "abc"


def test_head_and_tail_splits_no_character_at_either_side():
    shown = head_and_tail("か\u3099" * 200, 101)

    head, _, tail = shown.split("\n")
    assert head == "か\u3099" * (len(head) // 2)
    assert tail == "か\u3099" * (len(tail) // 2)


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("  a\n\n b\t\u3000c ", 80, "a b c"),
        ("\x1b[31mred\x1b[0m", 80, "red"),
        ("one two three", 8, "one two…"),
        ("か\u3099き", 2, "…"),
        ("abc", 0, ""),
    ],
)
def test_one_line_is_one_clean_line_within_the_limit(text, limit, expected):
    assert one_line(text, limit) == expected


@pytest.mark.parametrize(
    "unit", ["<", "< ", "<a ", "\x1b[", "\x1b]", "\u200d", "か\u3099", "\r", ". "]
)
def test_hostile_repetition_ends_within_the_limit_of_the_test(unit):
    text = unit * (200_000 // len(unit))

    assert clean(clean(text)) == clean(text)
    assert defuse_tags(defuse_tags(text)) == defuse_tags(text)
    assert utf16_units(cut(text, 10_000, "…")) <= 10_000
    assert len(head_and_tail(text, 10_000)) <= 10_000

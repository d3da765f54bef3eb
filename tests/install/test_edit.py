import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.install.edit import ShapeError, ours_in, put_in, take_out
from runtime.install.entries import EVENTS, entry, group, is_ours

OLD = {"command": "/old/python", "args": ["-c", "import sys # oboegaki hook", "Stop"]}
OTHER = {"type": "command", "command": "prettier"}

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
HANDLERS = st.lists(st.one_of(JSON, st.just(OTHER)), max_size=3)
GROUPS = st.lists(
    st.one_of(
        JSON,
        st.fixed_dictionaries({"hooks": HANDLERS}, optional={"matcher": st.text(max_size=3)}),
    ),
    max_size=3,
)
HOOKS = st.dictionaries(st.sampled_from([*EVENTS, "Notification"]), GROUPS, max_size=4)
SETTINGS = st.dictionaries(st.text(), JSON, max_size=3).flatmap(
    lambda rest: st.one_of(st.just(rest), HOOKS.map(lambda hooks: {**rest, "hooks": hooks}))
)
LAYOUTS: list[dict[str, Any]] = [
    {"indent": 2},
    {"indent": 4},
    {"indent": "\t"},
    {"indent": None},
    {"indent": None, "separators": (",", ":")},
]


def foreign(document: Any) -> Any:
    """Return the document without our entries and what only they fill: by value, not by text."""
    hooks = {}
    for event, groups in document.get("hooks", {}).items():
        kept = []
        for one in groups:
            if isinstance(one, dict) and isinstance(one.get("hooks"), list):
                handlers = [item for item in one["hooks"] if not is_ours(item)]
                if handlers or not one["hooks"]:
                    kept.append({**one, "hooks": handlers})
            else:
                kept.append(one)
        if kept:
            hooks[event] = kept
    rest = {key: value for key, value in document.items() if key != "hooks"}
    return {**rest, "hooks": hooks}


@given(SETTINGS, st.sampled_from(LAYOUTS), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_putting_in_and_taking_out_gives_back_every_byte(settings, layout, newline, has_bom):
    text = json.dumps(settings, ensure_ascii=False, **layout).replace("\n", newline) + newline
    text = "\ufeff" * has_bom + text

    edited = put_in(text)

    assert take_out(edited.text, edited.empty_before) == text


@given(SETTINGS, st.sampled_from(LAYOUTS))
def test_nobody_elses_entry_changes_and_ours_are_all_there_once(settings, layout):
    edited = put_in(json.dumps(settings, **layout))

    document = json.loads(edited.text)
    assert foreign(document) == foreign(settings)
    assert sorted(event for event, _matcher, _handler in ours_in(document)) == sorted(EVENTS)
    assert all(handler == entry(event) for event, _matcher, handler in ours_in(document))
    assert list(document)[: len(settings)] == list(settings)


@given(SETTINGS, st.sampled_from(LAYOUTS))
def test_a_second_time_changes_nothing(settings, layout):
    once = put_in(json.dumps(settings, **layout)).text

    assert put_in(once).text == once


@given(JSON.filter(lambda value: not isinstance(value, dict)))
def test_settings_that_are_no_object_are_refused(value):
    with pytest.raises(ShapeError):
        put_in(json.dumps(value))


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ('{"hooks": null}', 10),
        ('{"hooks": {"Stop": {"hooks": []}}}', 19),
        ('  ["hooks"]', 2),
    ],
)
def test_a_value_of_another_type_is_refused_at_its_place(text, offset):
    with pytest.raises(ShapeError) as refused:
        put_in(text)

    assert refused.value.offset == offset


def test_an_older_entry_is_replaced_where_it_stands():
    before = {"hooks": {"Stop": [{"hooks": [OTHER, OLD, OTHER]}, {"hooks": [OTHER]}]}}

    after = json.loads(put_in(json.dumps(before)).text)

    assert after["hooks"]["Stop"] == [{"hooks": [OTHER, entry("Stop"), OTHER]}, {"hooks": [OTHER]}]


def test_entries_of_ours_under_a_wrong_matcher_or_twice_become_one():
    before = {
        "hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [OLD, OTHER]},
                {"matcher": "Skill", "hooks": [OLD, OLD]},
            ]
        }
    }

    after = json.loads(put_in(json.dumps(before, indent=2)).text)

    assert after["hooks"]["PreToolUse"] == [
        {"matcher": "Bash", "hooks": [OTHER]},
        group("PreToolUse"),
    ]


def test_an_event_that_we_do_not_want_any_more_is_taken_out():
    before = {"hooks": {"UserPromptSubmit": [{"hooks": [OLD]}], "Notification": [{"hooks": []}]}}

    after = json.loads(put_in(json.dumps(before)).text)

    assert set(after["hooks"]) == {"Notification", *EVENTS}


def test_a_whole_layout_is_kept():
    """Lists in one line, odd numbers, the last of two equal keys: none of them is rewritten."""
    text = """{
    "permissions": {"allow": ["Read", "Edit"],   "deny": []},
    "number": 1.0e3, "number": 2,
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "x"}]}]
    }
}
"""

    edited = put_in(text)

    head, _, tail = edited.text.partition('"command": "x"}]}')
    assert text.startswith(head)
    assert tail.startswith(', {"hooks": [{"type": "command"')
    assert tail.endswith("        ]\n    }\n}\n")
    assert take_out(edited.text) == text


def test_taking_out_of_settings_without_us_changes_nothing():
    text = '{"hooks": {"Stop": []}}'

    assert take_out(text) == text

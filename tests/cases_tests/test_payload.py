"""What arrives on stdin, and that stdout is one document or nothing."""

import json
import os
from typing import Final

import pytest

from runtime.redact import redact
from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    CASES,
    Make,
    check,
    session_start,
)
from tests.cases_tests.starting import run_hook
from tests.processes import HOOK

# One document or nothing.

LOUD: Final = {
    "as users run it": {},
    "with debug logs": {"OBOEGAKI_LOGS_LEVEL": "debug"},
    "with warnings": {"PYTHONWARNINGS": "always", "OBOEGAKI_LOGS_LEVEL": "debug"},
    "with development mode": {"PYTHONDEVMODE": "1"},
}


@pytest.mark.parametrize("why", LOUD)
def test_stdout_is_one_document_or_nothing(why: str, make: Make) -> None:
    """SessionStart and PreToolUse may answer, and then for their own event."""
    ground = make("P01", **LOUD[why])
    (ground.notes / "mem.md").write_text(
        "## 2026-06-01 review\n本文 reviewword\n", encoding="utf-8"
    )
    # -I would ignore the variables that this test is about.
    command = [word for word in HOOK if word != "-I"]

    answers = {}
    for event in ground.events("events.ndjson"):
        ran = run_hook(ground, json.dumps(event).encode(), command=command)
        check(ran, event)
        assert ran.err == ""
        answers[event["hook_event_name"]] = ran

    assert "mem.md" in answers["SessionStart"].context
    assert "reviewword" in answers["PreToolUse"].context
    assert answers["PostToolUse"].out == b""
    assert answers["Stop"].out == b""
    assert ground.logged("event_handled") != []


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (b"", b"", None),
        (b"shell ready\n", b"", "stdout had 12 bytes before the JSON"),
        ("用意\n".encode(), b"", "stdout had 7 bytes before the JSON"),
        (b"\xef\xbb\xbf", b"\n", None),
        (b"", b"\nbye\n", "stdout had 3 bytes after the JSON"),
        (b"{}\n", b"", "bytes after the JSON"),
        (b"\x1b[0m", b"", "stdout had 4 bytes before the JSON"),
    ],
)
def test_the_check_tells_what_a_shell_profile_printed_around_the_answer(
    before: bytes, after: bytes, problem: str | None, make: Make
) -> None:
    ground = make("P01")
    printed = before + ground.hook(session_start()).out + after

    ran = ground.product.command("check-output", stdin=printed)

    assert ran.code == (0 if problem is None else 1)
    assert (problem or "fine") in ran.out.decode() + ran.err


# Malformed input.

ACCEPTED: Final = (
    "03_bom",
    "04_two_docs",
    "10_bad_utf8",
    "11_raw_newline",
    "13_bigint",
    "15_dup_key",
)
MALFORMED: Final = {
    "01_empty": "empty input",
    "02_space": "empty input",
    "05_truncated": "not JSON",
    "06_bad_escape": "not JSON",
    "07_array": "not an object",
    "08_null": "not an object",
    "09_number": "not an object",
    "12_deep": "nested too deep",
    "14_no_event_name": "unknown event",
}


def test_every_malformed_input_of_the_case_is_listed() -> None:
    names = {path.stem for path in (CASES / "P04").iterdir()}
    assert names == {*ACCEPTED, *MALFORMED}


@pytest.mark.parametrize("name", sorted([*ACCEPTED, *MALFORMED]))
def test_malformed_input_is_accepted_or_buried_and_never_seen_by_the_person(
    name: str, make: Make
) -> None:
    ground = make("P04")
    (path,) = ground.folder.glob(f"{name}.*")
    data = path.read_bytes()

    ran = ground.hook(data)

    assert ran.out == b""
    assert ran.err == ""
    rejected = ground.logged("input_unreadable") + ground.logged("unknown_event")
    dead = list((ground.product.home / "dead").iterdir())
    assert os.listdir(ground.product.home / "spool") == []
    if name in ACCEPTED:
        assert rejected == []
        assert dead == []
        assert ground.rows("SELECT count(*) FROM events") == [(1,)]
        return
    (line,) = rejected
    assert line["bytes"] == len(data)
    assert line["error"].startswith(MALFORMED[name])
    excerpt = redact(data[:80].decode(errors="replace")).encode("unicode_escape").decode()
    assert line["excerpt"] == excerpt
    (file,) = dead
    assert file.stat().st_mode & 0o777 == 0o600
    shown = ground.product.command("replay", file.name)
    assert MALFORMED[name] in shown.out.decode()
    assert ground.rows("SELECT count(*) FROM events") == [(0,)]
    assert ground.memories() == []


def test_an_input_without_a_name_is_logged_as_an_unknown_event(make: Make) -> None:
    ground = make("P04")

    ground.hook((ground.folder / "14_no_event_name.json").read_bytes())

    assert len(ground.logged("unknown_event")) == 1


END: Final = b'"session_id":"s","transcript_path":"","cwd":"/","hook_event_name":"Stop"'
SAID: Final = b'"last_assistant_message":"an answer keptword"'
ODD: Final = {
    "a second document": (b"{%s,%s}{%s,%s}" % (END, SAID, END, SAID), 1),
    "text behind": (b"{%s,%s} garbage" % (END, SAID), 1),
    "the last of two keys": (
        b'{%s,"last_assistant_message":"first","last_assistant_message":"keptword"}' % END,
        1,
    ),
    "UTF-16 with a mark": ((f"{{{END.decode()},{SAID.decode()}}}").encode("utf-16"), 1),
    "a bad byte": (b'{%s,"last_assistant_message":"a \xff keptword"}' % END, 1),
    "NUL inside": (b'{%s,"last_assistant_message":"a \\u0000 keptword"}' % END, 1),
    "NUL behind": (b"{%s,%s}\0\0" % (END, SAID), 1),
    "a huge number": (b'{%s,%s,"n":%s}' % (END, SAID, b"9" * 5000), 1),
    "NaN": (b'{%s,%s,"n":NaN,"m":-Infinity,"e":1e999}' % (END, SAID), 1),
    "numbers for texts": (b'{%s,%s,"session_id":7,"cwd":null}' % (END, SAID), 1),
    "an optional field of another type": (b'{%s,%s,"permission_mode":[1]}' % (END, SAID), 1),
    "150 levels": (b'{%s,%s,"x":%s%s}' % (END, SAID, b"[" * 150, b"]" * 150), 1),
    "100,000 levels": (b'{%s,%s,"x":%s%s}' % (END, SAID, b"[" * 100_000, b"]" * 100_000), 0),
    "a name that is no text": (b'{%s,%s,"hook_event_name":["Stop"]}' % (END, SAID), 0),
    "a string": (b'"{}"', 0),
    "binary": (bytes(range(256)), 0),
    "an unclosed string": (b'{%s,"last_assistant_message":"keptword' % END, 0),
}


@pytest.mark.parametrize("why", ODD)
async def test_odd_input_is_stored_once_or_buried(why: str, pipeline: Pipeline) -> None:
    data, count = ODD[why]

    await pipeline.handle(data)

    assert len(await pipeline.memories("keptword")) == count
    assert await pipeline.rows("SELECT count(*) FROM events") == [(count,)]
    assert len(os.listdir(pipeline.app.home.dead)) == 1 - count
    assert os.listdir(pipeline.app.home.spool) == []
    assert "first" not in "".join(await pipeline.memories())

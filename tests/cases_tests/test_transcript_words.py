"""What of a transcript is the person's: odd separators, the host's words, subagents."""

import hashlib
import json
from pathlib import Path
from typing import Final

import pytest

from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    Make,
    assistant,
    stop,
    user,
    write_lines,
)

# Separators that are none.


def test_characters_that_some_call_line_ends_do_not_cut_a_line(make: Make) -> None:
    ground = make("T04")

    ground.hook(ground.payload("stop.json"))

    assert ground.product.finds("sepuser")
    assert ground.product.finds("sepassist")
    assert ground.logged("transcript_unreadable") == []
    (line,) = ground.logged("turns_captured")
    assert line["skipped"] == {}


@pytest.mark.parametrize(
    "separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\r", "\0"]
)
@pytest.mark.parametrize("escaped", [True, False])
async def test_every_other_separator_stays_inside_a_prompt(
    separator: str, escaped: bool, tmp_path: Path, pipeline: Pipeline
) -> None:
    """Raw or escaped: the words on both sides belong to one prompt, and its hash is its own."""
    path = tmp_path / "t.jsonl"
    line = json.dumps(user("u1", f"前{separator}後 sepword"), ensure_ascii=escaped)
    path.write_text(
        line + "\n" + json.dumps(assistant("a1", "答え")) + "\n", newline="", encoding="utf-8"
    )

    await pipeline.handle(stop(str(path)))
    await pipeline.handle(stop(str(path)))

    (memory,) = await pipeline.memories()
    assert "前" in memory
    assert "sepword" in memory
    assert "答え" in memory
    hashes = await pipeline.rows("SELECT content_hash FROM memories")
    assert hashes == [(hash_of(memory),)]


def hash_of(content: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(content.encode()).hexdigest()


# The host's words.

HOSTS: Final = (
    "metareminder", "metastdout", "metathinking", "metacompact", "metasidechain", "metapersisted",
    "metasummary", "Caveat", "Output too large",
)  # fmt: skip


def test_words_of_the_host_are_not_the_persons(make: Make) -> None:
    """A summary line is skipped: what it sums up is stored already."""
    ground = make("T06")

    ground.hook(ground.payload("stop.json"))

    assert ground.product.finds("realrequest")
    assert ground.product.finds("realanswer")
    texts = "\n".join(ground.memories())
    assert not [word for word in HOSTS if word in texts]
    assert "/review" not in texts
    assert "<" not in texts
    (line,) = ground.logged("turns_captured")
    assert line["level"] == "info"
    unknown = {"progress", "queue-operation", "from-next-year", "summary", "system"}
    assert unknown <= set(line["skipped"])
    assert line["skipped"]["sidechain"] == 1
    assert ground.logged("transcript_unreadable") == []


WRAPPED: Final = {
    "a reminder before": ("<system-reminder>metaword</system-reminder>\n依頼 realword", True),
    "two reminders": (
        (
            "<system-reminder>metaword</system-reminder>依頼 realword"
            "<system-reminder>\n\nmetaword\n</system-reminder>"
        ),
        True,
    ),
    "a reminder alone": ("<system-reminder>metaword</system-reminder>", False),
    "error output": ("<local-command-stderr>metaword</local-command-stderr>", False),
    "shell input": ("<bash-input>metaword</bash-input>", False),
    "shell output": ("<bash-stdout>metaword</bash-stdout><bash-stderr></bash-stderr>", False),
    "an opened file": ("<ide_opened_file>metaword</ide_opened_file>依頼 realword", True),
    "a caveat": ("<local-command-caveat>metaword</local-command-caveat>", False),
    "news of a task": ("<task-notification>metaword</task-notification>", False),
    "a list of blocks": (
        [
            {"type": "text", "text": "<system-reminder>metaword</system-reminder>"},
            {"type": "text", "text": "依頼 realword"},
            {"type": "image", "source": {"data": "metaword"}},
        ],
        True,
    ),
    "a tool's result": (
        [{"type": "tool_result", "tool_use_id": "t", "content": "metaword"}],
        False,
    ),
    "nothing": ("", False),
    "an odd shape": ({"text": "metaword"}, False),
    "null": (None, False),
    "numbers": ([1, None, {"type": 3, "text": ["metaword"]}], False),
}


@pytest.mark.parametrize("why", WRAPPED)
async def test_wrapped_words_are_left_out_and_the_persons_stay(
    why: str, tmp_path: Path, pipeline: Pipeline
) -> None:
    content, is_kept = WRAPPED[why]
    path = write_lines(tmp_path / "t.jsonl", user("u1", content))

    await pipeline.handle(stop(str(path)))

    texts = "\n".join(await pipeline.memories())
    assert "metaword" not in texts
    assert ("realword" in texts) == is_kept
    assert "<" not in texts
    assert await pipeline.rows("SELECT outcome FROM events") == [("ok",)]


async def test_a_person_who_writes_about_the_hosts_words_keeps_every_one(
    tmp_path: Path, pipeline: Pipeline
) -> None:
    """Only closed elements are the host's."""
    prompt = "なぜ <system-reminder> が transcript に出るのか。閉じない例です aboutword"
    path = write_lines(tmp_path / "t.jsonl", user("u1", prompt))

    await pipeline.handle(stop(str(path)))

    assert await pipeline.memories() == [f"[user] {prompt}"]


# Subagents.


@pytest.mark.parametrize("name", ["real.json", "phantom.json"])
def test_a_subagents_end_is_ignored_with_one_line(name: str, make: Make) -> None:
    ground = make("T08", MEMORY_KEEP_N="1")
    context = ground.notes / "CONTEXT.md"
    ground.product.environ["MEMORY_CONTEXT"] = str(context)
    context.write_text("## 2026-06-02\na\n## 2026-06-01\nb\n", encoding="utf-8")

    ran = ground.hook(ground.payload(name))

    assert ran.out == b""
    assert ground.memories() == []
    (line,) = ground.logged("event_handled")
    assert (line["outcome"], line["reason"]) == ("ignored", "a subagent")


def test_the_parent_is_captured_after_its_subagents(make: Make) -> None:
    ground = make("T08")
    ground.hook(ground.payload("real.json"))
    ground.hook(ground.payload("phantom.json"))

    ground.hook(
        stop(str(ground.folder / "main.jsonl"), last_assistant_message="親の途中経過 parenta")
    )

    assert ground.product.finds("parentq")
    assert ground.product.finds("parenta")
    everything = "\n".join(ground.memories())
    assert "phantomtext" not in everything
    assert "childa" not in everything
    assert "childq" not in everything


async def test_a_subagents_own_transcript_is_no_conversation_of_the_person(
    tmp_path: Path, cases_dir: Path, pipeline: Pipeline
) -> None:
    """Even if a Stop named it: every line of it is marked as a side chain."""
    path = tmp_path / "agent.jsonl"
    path.write_bytes((cases_dir / "T08" / "agent.jsonl").read_bytes())

    await pipeline.handle(stop(str(path)))

    assert await pipeline.memories() == []


# Half an emoji.


def test_half_an_emoji_costs_neither_the_event_nor_the_line(make: Make) -> None:
    ground = make("P03")
    payload = (ground.folder / "payload.json").read_bytes()

    ground.hook(payload)
    ground.hook(payload)
    ground.hook(stop(str(ground.folder / "transcript.jsonl")))

    assert ground.product.finds("surrogatecheck")
    assert ground.product.finds("afterbroken")
    assert any("絵文字が切れた行の前" in text for text in ground.memories())
    (page,) = ground.memories("surrogatecheck")
    assert "先頭の説明 \ufffd…" in page
    hashes = ground.rows("SELECT content_hash FROM memories WHERE content = ?", page)
    assert hashes == [(hash_of(page),)]


HALVES: Final = (
    r"\ud83d",
    r"\udd25",
    r"\udd25\ud83d",
    r"\ud83d\ud83d",
    r"\ud83dx\udd25",
    r"\uDBFF",
)


@pytest.mark.parametrize("half", HALVES)
async def test_every_kind_of_half_is_replaced_and_whole_ones_stay(
    half: str, tmp_path: Path, pipeline: Pipeline
) -> None:
    """In a result, a prompt, an answer and the payload's own last message."""
    text = rf"\ud83d\udd25 {half} afterhalf "
    filler = "本文" * 120
    line = f'{{"type":"user","uuid":"u1","message":{{"content":"問い {text}"}}}}\n'
    path = tmp_path / "t.jsonl"
    path.write_text(line, encoding="utf-8")
    result = (
        '{"session_id":"s","transcript_path":"","cwd":"/","hook_event_name":"PostToolUse",'
        f'"tool_name":"WebFetch","tool_input":{{"url":"u {half}"}},'
        f'"tool_response":{{"result":"{text}{filler}"}}}}'
    )
    end = json.dumps(stop(str(path)))[:-1] + f',"last_assistant_message":"答え {text}"}}'

    for payload in (result, result, end, end):
        await pipeline.handle(payload.encode())

    texts = await pipeline.memories("afterhalf")
    assert len(texts) == 2
    assert all("🔥" in text and "\ufffd" in text for text in texts)
    hashes = await pipeline.rows("SELECT content, content_hash FROM memories")
    assert all(hash_of(content) == found for content, found in hashes)

"""Transcripts that are missing, late or half written."""

import json
import os
import subprocess
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

# A transcript that is not there.

UNREADABLE: Final = {
    "stop_missing.json": "missing",
    "stop_missing_no_message.json": "missing",
    "stop_empty.json": "empty",
    "stop_folder.json": "not a file",
    "stop_key_absent.json": "missing",
    "stop_tilde.json": "missing",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_transcript_that_cannot_be_read_is_one_line_in_the_log(name: str, make: Make) -> None:
    """The agent is not woken, and the notes are rotated and indexed all the same."""
    ground = make("T01", MEMORY_KEEP_N="1")
    context = ground.notes / "CONTEXT.md"
    ground.product.environ["MEMORY_CONTEXT"] = str(context)
    context.write_text("## 2026-06-02\nkeptword\n## 2026-06-01\nmovedword\n", encoding="utf-8")
    archive = ground.root / "logs" / "context_archive.md"
    event = ground.payload(name)

    ran = ground.hook(event, may_change=[context, archive, archive.parent])

    assert ran.out == b""
    (line,) = ground.logged("transcript_unreadable")
    assert line["path"] == event.get("transcript_path", "")
    assert line["reason"] == UNREADABLE[name]
    assert context.read_text(encoding="utf-8") == "## 2026-06-02\nkeptword\n"
    assert "movedword" in archive.read_text(encoding="utf-8")
    assert ground.rows("SELECT count(*) FROM notes") == [(2,)]
    last = event.get("last_assistant_message")
    assert len(ground.memories()) == (1 if last else 0)
    assert ground.rows("SELECT outcome, reason FROM events") == [
        ("ok", f"transcript {UNREADABLE[name]}")
    ]


def test_the_payloads_answer_stands_in_for_a_missing_transcript(make: Make) -> None:
    """Repeating the event stores nothing twice."""
    ground = make("T01")

    for _time in range(3):
        ground.hook(ground.payload("stop_missing.json"))

    assert ground.product.finds("worktreelast")
    assert len(ground.memories("worktreelast")) == 1


def test_a_turn_replaces_the_answer_that_stood_in_for_it(make: Make) -> None:
    """The transcript may appear later, under the path that was announced."""
    ground = make()
    answer = "遅れて現れる答え lateanswer"
    ground.stop(last_assistant_message=answer)
    ground.write_transcript(user("u1", "問い lateprompt"), assistant("a1", answer))

    ground.stop(last_assistant_message=answer)

    (memory,) = ground.memories("lateanswer")
    assert "lateprompt" in memory


@pytest.mark.parametrize("link", ["dangling", "unreadable", "fifo", "loop", "socket", "long"])
async def test_a_path_that_leads_to_no_readable_file_costs_nothing(
    link: str, tmp_path: Path, pipeline: Pipeline
) -> None:
    """A FIFO in particular would block its reader for ever."""
    path = tmp_path / "t.jsonl"
    if link == "dangling":
        path.symlink_to("/nonexistent/target.jsonl")
    elif link == "unreadable":
        path.symlink_to("/proc/self/mem" if os.geteuid() == 0 else "/root/x.jsonl")
    elif link == "fifo":
        os.mkfifo(path)
    elif link == "loop":
        path.symlink_to(path)
    elif link == "socket":
        path.symlink_to("/dev/null")
    else:
        path = tmp_path / ("x" * 300)

    await pipeline.handle(stop(str(path), last_assistant_message="残る答え stays"))

    assert len(pipeline.logged("transcript_unreadable")) == 1
    assert await pipeline.memories() == ["[assistant] 残る答え stays"]


def test_a_link_that_leads_nowhere_is_left_as_it_is(make: Make) -> None:
    ground = make("T01")
    subprocess.run(("sh", "make_links.sh"), cwd=ground.folder, check=True)
    names = ["dangling.jsonl"] + (["unreadable.jsonl"] if os.geteuid() else [])

    for name in names:
        ground.hook(stop(str(ground.folder / name)))

    reasons = [line["reason"] for line in ground.logged("transcript_unreadable")]
    assert reasons == ["missing", "not readable"][: len(names)]


def test_another_projects_transcript_is_never_taken_instead(make: Make) -> None:
    ground = make()
    folder = ground.root / "user" / ".claude" / "projects" / "p"
    folder.mkdir(parents=True)
    write_lines(
        folder / "other.jsonl", user("u1", "他人の依頼 otherwords"), assistant("a1", "答え")
    )

    ground.hook(stop(str(folder / "none.jsonl")))
    ground.hook(stop("~/.claude/projects/p/none.jsonl"))

    assert ground.memories() == []


def test_a_tilde_is_the_persons_home(make: Make) -> None:
    ground = make()
    write_lines(ground.root / "user" / "t.jsonl", user("u1", "チルダの依頼 tildeword"))

    ground.hook(stop("~/t.jsonl"))

    assert ground.product.finds("tildeword")


# Stop comes before the last lines.


def test_the_last_answer_is_kept_once_although_it_is_written_late(make: Make) -> None:
    ground = make("T02")
    transcript = ground.folder / "transcript.jsonl"
    transcript.write_bytes((ground.folder / "transcript_at_hook_time.jsonl").read_bytes())

    ground.hook(ground.payload("stop1.json"))

    assert ground.product.finds("latedecision")
    with transcript.open("ab") as file:
        file.write((ground.folder / "lines_written_later.jsonl").read_bytes())
    ground.hook(ground.payload("stop2.json"))
    assert ground.product.finds("latedecision")
    (memory,) = ground.memories()
    assert memory.count("latedecision") == 1
    assert memory.count("認証はどうする") == 1
    assert "了解しました。" in memory


@pytest.mark.parametrize("cut", ["before the line", "inside the line", "inside a character"])
async def test_late_lines_are_kept_once_wherever_the_file_ended(
    cut: str, tmp_path: Path, pipeline: Pipeline
) -> None:
    """Also with other white space than in the payload, and when Stop fires three times."""
    final = "決定です。\n\n理由は 漢字 latefinal"
    lines = [user("u1", "問い firstq"), assistant("a1", "調べます。"), assistant("a2", final)]
    raw = [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]
    late = {
        "before the line": 0,
        "inside the line": 40,
        "inside a character": raw[2].index("漢".encode()) + 1,
    }[cut]
    path = tmp_path / "t.jsonl"
    event = stop(str(path), last_assistant_message="決定です。\n理由は 漢字 latefinal\n")

    path.write_bytes(raw[0] + raw[1] + raw[2][:late])
    await pipeline.handle(event)
    path.write_bytes(b"".join(raw))
    await pipeline.handle(event)
    await pipeline.handle(event)

    (memory,) = await pipeline.memories()
    assert memory.count("latefinal") == 1
    assert memory.count("firstq") == 1
    assert memory.index("調べます") < memory.index("latefinal")


async def test_a_turn_that_grew_beyond_the_limit_keeps_its_end(
    tmp_path: Path, pipeline: Pipeline
) -> None:
    """A long turn is shortened to one length: it still grows, though not in size."""
    path = tmp_path / "t.jsonl"
    long = "長い答え" * 40_000
    write_lines(path, user("u1", "問い"), assistant("a1", long))
    await pipeline.handle(stop(str(path)))
    write_lines(path, user("u1", "問い"), assistant("a1", long), assistant("a2", "結論 endword"))

    await pipeline.handle(stop(str(path)))

    (memory,) = await pipeline.memories()
    assert memory.endswith("endword")


async def test_an_earlier_reading_that_commits_last_does_not_shorten_a_turn(
    tmp_path: Path, pipeline: Pipeline
) -> None:
    path = write_lines(tmp_path / "t.jsonl", user("u1", "問い"), assistant("a1", "一 firstpart"))
    whole = [user("u1", "問い"), assistant("a1", "一 firstpart"), assistant("a2", "二 endpart")]
    write_lines(path, *whole)
    await pipeline.handle(stop(str(path)))
    write_lines(path, *whole[:2])
    await pipeline.handle(stop(str(path)))

    (memory,) = await pipeline.memories()
    assert "endpart" in memory

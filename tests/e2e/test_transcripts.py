"""Transcripts through real hook processes, with inputs made from reported faults."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.longterm.fixture_memories import MEMORIES
from tests.payloads import FIXTURES
from tests.processes import Product

pytestmark = pytest.mark.process

CASES = FIXTURES.parent / "cases"


@pytest.fixture
def case(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a case's folder, for the case's files to be changed in."""
    return lambda name: Path(shutil.copytree(CASES / name, tmp_path / name))


def payload(path: Path) -> dict[str, Any]:
    """Read a payload; a path in it that is relative is one of the case's folder."""
    read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for field in ("transcript_path", "agent_transcript_path"):
        if field in read and read[field][:1] not in ("/", "~"):
            read[field] = str(path.parent / read[field])
    return read


def stop(path: Path, **fields: Any) -> dict[str, Any]:
    """Make a Stop about a transcript, or another event of the same shape."""
    base = {"session_id": "s", "transcript_path": str(path), "cwd": "/", "hook_event_name": "Stop"}
    return base | fields


def memories(product: Product) -> list[str]:
    with sqlite3.connect(product.home / "memory.db") as connection:
        rows = connection.execute("SELECT content FROM memories ORDER BY id").fetchall()
    connection.close()
    return [content for (content,) in rows]


def reasons(product: Product) -> list[str]:
    return [line["reason"] for line in product.logged() if line["event"] == "transcript_unreadable"]


def silent(product: Product, event: dict[str, Any]) -> None:
    """Send an event to which nothing may be said."""
    ran = product.hook(event)
    assert (ran.code, ran.out) == (0, b""), ran.err


def test_each_captured_session_is_remembered_word_for_word(
    product: Product, tmp_path: Path
) -> None:
    """Each Stop is delivered twice, then the session ends."""
    for name in MEMORIES:
        path = tmp_path / f"{name}.jsonl"
        shutil.copy(FIXTURES / "transcripts" / f"{name}.jsonl", path)
        silent(product, stop(path, session_id=name))
        silent(product, stop(path, session_id=name))
        silent(product, stop(path, session_id=name, hook_event_name="SessionEnd"))

    expected = [text for texts in MEMORIES.values() for text in texts]
    assert sorted(memories(product)) == sorted(expected)
    assert product.finds("Greeting answer")


def test_a_transcript_that_cannot_be_read_has_its_reason_and_no_other_is_taken(
    product: Product, case: Callable[[str], Path]
) -> None:
    """Nobody looks for the newest transcript instead: it could be another session's."""
    folder = case("T01")
    (folder / "dangling.jsonl").symlink_to("/nonexistent/target.jsonl")
    (folder / "newest.jsonl").write_text(
        (CASES / "T06" / "transcript.jsonl").read_text("utf-8"), encoding="utf-8"
    )
    names = ["empty", "folder", "missing_no_message", "tilde", "key_absent"]
    events = [payload(folder / f"stop_{name}.json") for name in names]

    for event in [*events, stop(folder / "dangling.jsonl")]:
        silent(product, event)

    assert reasons(product) == ["empty", "not a file", "missing", "missing", "missing", "missing"]
    assert memories(product) == []


def test_the_final_answer_stands_in_for_a_missing_transcript(
    product: Product, case: Callable[[str], Path]
) -> None:
    silent(product, payload(case("T01") / "stop_missing.json"))

    assert product.finds("worktreelast")


def test_a_tilde_in_the_path_is_the_persons_home(product: Product, tmp_path: Path) -> None:
    path = tmp_path / "person" / ".claude" / "projects" / "p" / "none.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(CASES / "T06" / "transcript.jsonl", path)
    event = payload(CASES / "T01" / "stop_tilde.json")

    product.hook(event, environ={"HOME": str(tmp_path / "person")})

    assert product.finds("realanswer")


def test_a_failed_capture_does_not_stop_the_index(
    product: Product, case: Callable[[str], Path]
) -> None:
    notes = product.home / "notes"
    notes.mkdir(parents=True)
    (notes / "a.md").write_text("## 2026-06-01 x\nindexedanyway\n", encoding="utf-8")

    silent(product, payload(case("T01") / "stop_missing_no_message.json"))

    with sqlite3.connect(product.home / "memory.db") as connection:
        [(count,)] = connection.execute("SELECT count(*) FROM note_chunks").fetchall()
    connection.close()
    assert count == 1


def test_an_answer_that_is_written_after_the_stop_is_kept_once(
    product: Product, case: Callable[[str], Path]
) -> None:
    folder = case("T02")
    transcript = folder / "transcript.jsonl"
    shutil.copy(folder / "transcript_at_hook_time.jsonl", transcript)

    silent(product, payload(folder / "stop1.json"))
    at_stop = memories(product)
    with transcript.open("ab") as file:
        file.write((folder / "lines_written_later.jsonl").read_bytes())
    silent(product, payload(folder / "stop1.json"))

    assert at_stop == [
        (
            "[user] 昨日の件、認証はどうする?\n\n[assistant] 調べます。\n\n"
            "決定: 認証は JWT にする。理由は失効管理が要らないため latedecision。"
        )
    ]
    assert memories(product) == at_stop
    assert product.finds("latedecision")


def test_the_next_stop_adds_its_answer_to_what_was_written_late(
    product: Product, case: Callable[[str], Path]
) -> None:
    """The case's second Stop belongs to an answer that is not on disk yet either."""
    folder = case("T02")
    transcript = folder / "transcript.jsonl"
    shutil.copy(folder / "transcript_at_hook_time.jsonl", transcript)
    silent(product, payload(folder / "stop1.json"))
    with transcript.open("ab") as file:
        file.write((folder / "lines_written_later.jsonl").read_bytes())

    silent(product, payload(folder / "stop2.json"))

    [memory] = memories(product)
    assert memory.count("latedecision") == 1
    assert memory.count("認証はどうする") == 1
    assert memory.endswith("了解しました。")


def test_a_line_of_json_may_hold_every_kind_of_line_end(
    product: Product, case: Callable[[str], Path]
) -> None:
    silent(product, payload(case("T04") / "stop.json"))

    assert product.finds("sepuser")
    assert product.finds("sepassist")
    assert not [line for line in product.logged() if "unreadable" in json.dumps(line)]


def test_what_the_harness_wrote_is_not_the_persons_words(
    product: Product, case: Callable[[str], Path]
) -> None:
    silent(product, payload(case("T06") / "stop.json"))

    assert memories(product) == [
        "[user] 本当の依頼です realrequest\n\n[assistant] 本当の答え realanswer\n\n[tools] Read /a"
    ]
    skipped = next(
        line["skipped"] for line in product.logged() if line["event"] == "turns_captured"
    )
    assert {"progress", "queue-operation", "from-next-year", "summary"} <= skipped.keys()


def test_a_subagents_end_captures_nothing_and_hinders_nothing(
    product: Product, case: Callable[[str], Path]
) -> None:
    folder = case("T08")

    silent(product, payload(folder / "real.json"))
    silent(product, payload(folder / "phantom.json"))
    before = memories(product)
    silent(product, stop(folder / "main.jsonl"))

    assert before == []
    assert memories(product) == ["[user] 親の依頼 parentq\n\n[assistant] 親の途中経過 parenta"]


def test_a_lone_surrogate_costs_one_character(
    product: Product, case: Callable[[str], Path]
) -> None:
    folder = case("P03")

    silent(product, payload(folder / "payload.json"))
    silent(product, stop(folder / "transcript.jsonl"))

    assert product.finds("surrogatecheck")
    page, turn = memories(product)
    assert page.startswith("先頭の説明 \ufffd… ")
    assert turn == (
        "[user] 絵文字が切れた行の前\n\n[assistant] 切れた行の後にある決定事項 afterbroken"
    )


@pytest.mark.parametrize("name", ["stop_true.json", "stop_false.json", "stop_odd.ndjson"])
def test_a_stop_never_keeps_the_agent_awake(
    name: str, product: Product, case: Callable[[str], Path]
) -> None:
    lines = (case("C05") / name).read_text(encoding="utf-8").splitlines()

    for line in lines:
        silent(product, json.loads(line))


def test_the_same_hook_many_times_at_once_keeps_each_turn_once(
    product: Product, case: Callable[[str], Path]
) -> None:
    """With no store there yet: the schema is created in the same race."""
    folder = case("C01")
    events = [stop(folder / "transcript.jsonl"), payload(folder / "event.json")] * 6

    with ThreadPoolExecutor(len(events)) as pool:
        done = list(pool.map(product.hook, events))
    silent(product, stop(folder / "transcript.jsonl"))

    assert {(ran.code, ran.out) for ran in done} == {(0, b"")}
    stored = "\n".join(memories(product))
    assert [stored.count(word) for word in ("twiceq", "twicea", "twicefired")] == [1, 1, 1]
    assert len(memories(product)) == 2


def test_what_we_injected_does_not_come_back_as_a_memory(
    product: Product, case: Callable[[str], Path]
) -> None:
    """Five rounds, each with the newest injected text pasted into the transcript."""
    folder = case("I03")
    notes = product.home / "notes"
    notes.mkdir(parents=True)
    shutil.copy(folder / "CONTEXT.md", notes)
    template = (folder / "transcript_template.jsonl").read_text(encoding="utf-8")
    lengths = set()

    for _ in range(5):
        told = product.hook(payload(folder / "sessionstart.json")).context
        lengths.add(len(told))
        pasted = json.dumps(told)[1:-1]
        text = template.replace(
            "@@PASTE THE additionalContext THAT WAS REALLY EMITTED HERE@@", pasted
        )
        (folder / "transcript.jsonl").write_text(text.replace("@@PASTE@@", pasted), "utf-8")
        silent(product, payload(folder / "stop.json"))

    assert memories(product) == [
        (
            "[user] 私の依頼です newrequest\n\n"
            "[assistant] 過去の記憶によると JWT injectedfact でした。"
            "新しい結論は newconclusion です。"
        )
    ]
    assert len(lengths) == 1


@pytest.mark.parametrize(("name", "left"), [("nested.txt", 0), ("unclosed.txt", 1)])
def test_a_broken_frame_in_a_prompt_takes_none_of_the_words_along(
    name: str, left: int, product: Product, case: Callable[[str], Path]
) -> None:
    """Lines of an unclosed frame that do not carry our bar might be the person's: they stay."""
    folder = case("I03")
    frame = (folder / name).read_text(encoding="utf-8")
    content = f"before {frame}\n私の依頼です newrequest"
    line = {"type": "user", "uuid": "u", "message": {"role": "user", "content": content}}
    (folder / "transcript.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")

    silent(product, payload(folder / "stop.json"))

    [memory] = memories(product)
    assert memory.startswith("[user] before")
    assert memory.endswith("私の依頼です newrequest")
    assert memory.count("injectedfact") == left
    assert "<runtime-memory>" not in memory

"""Our own words do not come back as memories."""

import json
from pathlib import Path

import pytest

from runtime.frame import BEGIN, framed, quoted
from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    Make,
    Playground,
    assistant,
    session_start,
    skill,
    stop,
    tool_use,
    user,
)

# Our own words do not come back.


def fill(ground: Playground, emitted: str) -> None:
    """Write the transcript of a session that was told `emitted`."""
    template = (ground.folder / "transcript_template.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in template.splitlines()]
    user_line, attachment, answer = lines
    user_line["message"]["content"] = f"{emitted}\n私の依頼です newrequest"
    attachment["attachment"]["content"] = [emitted]
    ground.write_transcript(user_line, attachment, answer)


def test_five_rounds_of_our_own_words_add_nothing(make: Make) -> None:
    """Each round feeds what was told last time, as a new turn of a new session."""
    ground = make("I03")
    (ground.notes / "CONTEXT.md").write_bytes((ground.folder / "CONTEXT.md").read_bytes())
    lengths, counts = [], []
    for _round in range(5):
        told = ground.hook(ground.payload("sessionstart.json")).context
        assert "injectedfact" in told
        fill(ground, told)
        ground.hook(ground.payload("stop.json"))
        lengths.append(len(told))
        counts.append(len(ground.memories("injectedfact")))

    assert lengths == [lengths[0]] * 5
    assert counts == [1] * 5
    assert ground.product.finds("newrequest")
    assert ground.product.finds("newconclusion")
    (memory,) = ground.memories()
    assert memory == (
        "[user] 私の依頼です newrequest\n\n"
        "[assistant] 過去の記憶によると JWT injectedfact でした。新しい結論は newconclusion です。"
    )


@pytest.mark.parametrize("place", ["alone", "before", "after", "inside", "twice"])
@pytest.mark.parametrize("kind", ["session", "skill"])
async def test_a_frame_is_taken_out_wherever_it_stands_and_no_word_with_it(
    kind: str, place: str, tmp_path: Path, pipeline: Pipeline
) -> None:
    """What was told before a skill is marked and taken out the same way."""
    (pipeline.notes / "CONTEXT.md").write_text(
        "## 2026-06-01 review\nJWT injectedfact\n", encoding="utf-8"
    )
    told = await pipeline.context(session_start() if kind == "session" else skill("review"))
    assert "injectedfact" in told
    prompt = {
        "alone": told,
        "before": f"{told}\n依頼 keptwords",
        "after": f"依頼 keptwords\n{told}",
        "inside": f"依頼{told}keptwords",
        "twice": f"{told}依頼{told}keptwords{told}",
    }[place]
    path = tmp_path / "t.jsonl"
    lines = (user("u1", prompt), assistant("a1", f"{told}\n答え {told} answerwords"))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    await pipeline.handle(
        stop(str(path), last_assistant_message=f"{told}\n答え {told} answerwords")
    )

    text = "\n".join(await pipeline.memories())
    assert "injectedfact" not in text
    assert "runtime-memory" not in text
    assert "Past records" not in text
    assert "answerwords" in text
    assert text.count("keptwords") == (0 if place == "alone" else 1)


@pytest.mark.parametrize(("name", "is_gone"), [("nested.txt", True), ("unclosed.txt", False)])
def test_a_nested_frame_goes_whole_and_an_unclosed_one_takes_no_words(
    name: str, is_gone: bool, make: Make
) -> None:
    """Only lines with our bar are ours when the end is lost."""
    ground = make("I03")
    fill(ground, (ground.folder / name).read_text(encoding="utf-8"))

    ground.hook(ground.payload("stop.json"))

    (memory,) = ground.memories()
    assert "私の依頼です newrequest" in memory
    assert "newconclusion" in memory
    assert "runtime-memory>" not in memory
    prompt = memory.split("[assistant]")[0]
    assert ("injectedfact" not in prompt) == is_gone


async def test_a_frame_that_was_cut_anywhere_goes_and_the_words_behind_it_stay(
    tmp_path: Path, pipeline: Pipeline
) -> None:
    """The client shortens long outputs; the person's words follow on a line of their own."""
    told = framed(quoted("JWT injectedfact\n\n二行目 injectedfact"))
    for cut in range(len(BEGIN) + 1, len(told), 3):
        path = tmp_path / f"{cut}.jsonl"
        line = user(f"u{cut}", f"{told[:cut]}\n依頼 keptwords")
        path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        await pipeline.handle(stop(str(path)))

    texts = await pipeline.memories()
    assert len(texts) > 5
    assert all("依頼 keptwords" in text for text in texts)
    assert not any("injectedfact" in text for text in texts)


@pytest.mark.parametrize("tool", ["Write", "WebFetch", "Edit"])
async def test_a_tools_result_that_quotes_what_we_told_is_kept_without_it(
    tool: str, pipeline: Pipeline
) -> None:
    (pipeline.notes / "CONTEXT.md").write_text(
        "## 2026-06-01 x\nJWT injectedfact\n", encoding="utf-8"
    )
    told = await pipeline.context(session_start())

    await pipeline.handle(tool_use(tool, "本文" * 120 + told + " keptwords", file_path="/a.md"))

    (memory,) = await pipeline.memories()
    assert "injectedfact" not in memory
    assert "keptwords" in memory

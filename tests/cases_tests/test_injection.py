"""What the model is told: how much of it."""

import re
import unicodedata
from typing import Final

import pytest

from runtime.frame import END
from runtime.text import utf16_units
from tests.cases_tests.pipeline import Pipeline
from tests.cases_tests.playground import (
    Make,
    Playground,
    session_start,
)

MOST_UNITS: Final = 9500
"""Of 10,000 that the client shows whole."""
PREVIEW_UNITS: Final = 2000

# How much.


@pytest.fixture
def long_context(make: Make) -> Playground:
    """A CONTEXT.md of about 14,600 characters."""
    ground = make("I01")
    text = (ground.folder / "CONTEXT.md").read_bytes()
    (ground.notes / "CONTEXT.md").write_bytes(text)
    return ground


@pytest.mark.parametrize("blocks", ["1", "5", "50"])
@pytest.mark.parametrize("most", ["500", "4000", "9500"])
def test_a_long_context_is_cut_to_what_the_client_shows_whole(
    blocks: str, most: str, long_context: Playground
) -> None:
    """Frame, notice and dates count too; the newest stands first, what is missing is told."""
    text = (long_context.notes / "CONTEXT.md").read_text(encoding="utf-8")
    environ = {"MEMORY_INJECT_BLOCKS": blocks, "MEMORY_INJECT_MAX_CHARS": most}

    told = long_context.hook(long_context.payload("sessionstart.json"), environ=environ).context

    assert utf16_units(told) <= MOST_UNITS
    # The frame and its introduction come on top of the section's own limit.
    assert utf16_units(told) <= int(most) + 300
    assert told.endswith("\n" + END)
    if most == "500":
        return
    headings = re.findall(r"^│> ## (\S+)", told, re.MULTILINE)
    written = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert headings == written[: len(headings)]
    assert headings
    older = len(written) - min(int(blocks), len(written))
    assert ("runtime search" in told[told.index("│> ##") :]) == bool(older)
    assert (f"{older} older blocks" in told) == bool(older)


def test_a_preview_of_the_beginning_holds_what_matters_most(long_context: Playground) -> None:
    """The client may show no more than that: the rules and the newest block's beginning."""
    told = long_context.hook(long_context.payload("sessionstart.json")).context

    preview = told[:PREVIEW_UNITS]
    assert "runtime search" in preview
    assert "## 2026-06-29" in preview


def test_several_folders_share_one_limit(make: Make) -> None:
    ground = make()
    folders = [ground.notes]
    for number in range(3):
        folder = ground.root / f"more{number}"
        folder.mkdir()
        folders.append(folder)
    for folder in folders:
        (folder / "CONTEXT.md").write_text(
            "## 2026-06-01 x\n" + "長い本文。" * 4000, encoding="utf-8"
        )
        for number in range(60):
            (folder / f"{'長い名前' * 15}{number}.md").write_text("# x\n", encoding="utf-8")
    environ = {
        "MEMORY_DIRS": ":".join(map(str, folders)),
        "MEMORY_INJECT_MAX_CHARS": "9500",
        "MEMORY_INJECT_BLOCKS": "50",
    }

    told = ground.hook(session_start(), environ=environ).context

    assert utf16_units(told) <= MOST_UNITS
    assert told.endswith("\n" + END)


CLUSTERS: Final = (
    "🔥",
    "👨‍👩‍👧‍👦",
    "が".encode().decode(),
    "か\u3099",
    "🇯🇵",
    "👍🏽",
    "e\u0301",
    "葛\U000e0100",
)


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("shift", range(4))
async def test_no_cut_goes_through_what_is_seen_as_one_character(
    cluster: str, shift: int, pipeline: Pipeline
) -> None:
    """A line without any border to cut at, longer than the limit."""
    body = "x" * shift + cluster * (6000 // len(cluster))
    (pipeline.notes / "CONTEXT.md").write_text(f"## 2026-06-01\n{body}\n", encoding="utf-8")

    told = await pipeline.context(session_start())

    (shown,) = (line for line in told.split("\n") if cluster in line)
    shown = shown.removeprefix("│> ").removeprefix("x" * shift)
    assert shown.replace(cluster, "") == ""
    assert not any(unicodedata.category(char) == "Cs" for char in told)


async def test_a_cut_is_made_at_the_end_of_a_line(pipeline: Pipeline) -> None:
    lines = [f"行 {number} " + "あ" * 40 for number in range(300)]
    (pipeline.notes / "CONTEXT.md").write_text(
        "## 2026-06-01\n" + "\n".join(lines), encoding="utf-8"
    )

    told = await pipeline.context(session_start())

    shown = [line.removeprefix("│> ") for line in told.split("\n") if "あ" in line]
    assert shown == lines[: len(shown)]
    assert len(shown) > 10
    assert "(cut here)" in told

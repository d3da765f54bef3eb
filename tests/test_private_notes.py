"""What is private or secret in a note stays in the note, wherever the note is cut."""

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.redact import redact_lines
from tests.secret_samples import BEGIN, END

KEY_LINE = "FAKE" * 16
PRIVATE = "<private>\n{}\n</private>"
PIECES = st.lists(
    st.sampled_from(["<private>", "</private>", "\n", "a", "## H", BEGIN, END, KEY_LINE, "<priv"])
)


@pytest.fixture
def notes(product):
    folder = product.home / "notes"
    folder.mkdir(parents=True)
    return folder


def start(product, tmp_path):
    return product.hook(
        {
            "session_id": "s",
            "transcript_path": "",
            "cwd": str(tmp_path),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
    ).context


@pytest.mark.process
@pytest.mark.parametrize(
    ("inside", "why"),
    [
        ("zebra", "in one section"),
        ("## Sub\nzebra", "a heading inside begins a section without the opening tag"),
        ("word\n" * 600 + "zebra", "a long section is cut into parts"),
    ],
)
def test_a_private_part_of_a_note_is_not_found(product, notes, inside, why):
    text = f"## One\nbefore\n{PRIVATE.format(inside)}\n## Two\nafter\n"
    (notes / "a.md").write_text(text, encoding="utf-8")

    assert product.search("zebra") == [], why
    assert product.search("after")[0]["line"] == text.split("\n").index("## Two") + 1


@pytest.mark.process
def test_a_key_that_is_longer_than_a_section_s_part_is_not_indexed(product, notes):
    key = "\n".join([BEGIN, *[KEY_LINE] * 50, END])
    (notes / "a.md").write_text(f"# Keys\n{key}\nthe end\n", encoding="utf-8")

    contents = [hit["content"] for hit in product.search("keys end")]

    assert contents
    assert [content for content in contents if "FAKE" in content] == []


@pytest.mark.process
@pytest.mark.parametrize(
    "text",
    [
        "## 2026-11-30 A\nkept <private>zebra</private>\n",
        "<private>\n## 2026-11-30 A\nzebra\n</private>\n## 2026-11-29 B\nkept\n",
        f"## 2026-11-30 A\nkept\n{BEGIN}\n{KEY_LINE}zebra\n{KEY_LINE}\n",
    ],
)
def test_a_session_is_not_told_what_is_private_in_the_context(product, notes, tmp_path, text):
    (notes / "CONTEXT.md").write_text(text, encoding="utf-8")

    told = start(product, tmp_path)

    assert "kept" in told
    assert "zebra" not in told


@pytest.mark.process
def test_the_database_is_for_its_owner_alone_whatever_the_folder_s_mode(product, notes):
    product.search("anything")

    mode = stat.S_IMODE(os.stat(product.home / "memory.db").st_mode)

    assert mode == 0o600


@pytest.mark.process
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_the_hook_s_help_is_shown_and_is_no_event(product, option):
    ran = product.command("hook", option)

    assert ran.code == 0
    assert b"Usage: runtime hook" in ran.out
    assert product.command("events", "--dead", "--json").json == []


@given(PIECES)
def test_every_line_that_is_left_keeps_its_number(pieces):
    text = "".join(pieces)
    cleaned = redact_lines(text)

    assert cleaned.count("\n") == text.count("\n")
    assert redact_lines(cleaned) == cleaned

"""What is private or secret in a note reaches no row, and the others keep their lines."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.redact import redact, redact_lines
from runtime.store.store import Store
from tests.notes.shadow import chunks, index, write


async def test_secrets_in_notes_are_not_indexed(store: Store, root: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    write(root / "a.md", f"## token {token}\nuse {token}\n")

    await index(store, root)

    assert token not in str(await chunks(store.connection))
    assert "[redacted:github-token]" in str(await chunks(store.connection))


async def test_a_private_part_over_several_sections_is_dropped_and_the_lines_stay(
    store: Store, root: Path
) -> None:
    hidden = "<private>\n## Two\nhiddenword\n\n## Three\nhidden\n</private>"
    text = f"## One\nopen\n{hidden}\n## Four\nopen\n"
    write(root / "a.md", text)

    await index(store, root)

    rows = await chunks(store.connection)
    assert "hidden" not in str(rows)
    assert [(row[2], row[5], row[6]) for row in rows] == [("One", 1, 2), ("Four", 10, 11)]


async def test_a_private_part_without_an_end_reaches_to_the_end_of_the_file(
    store: Store, root: Path
) -> None:
    write(root / "a.md", "## One\nopen\n<private>\n## Two\nhidden\n")

    await index(store, root)

    assert [row[2] for row in await chunks(store.connection)] == ["One"]


async def test_a_key_that_is_longer_than_a_section_part_is_taken_out_whole(
    store: Store, root: Path
) -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"
    body = "\n".join(f"{line}{n:02d}aB" for n in range(60))
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"
    write(root / "a.md", f"## One\n{key}\n\n## Two\nend\n")

    await index(store, root)

    rows = await chunks(store.connection)
    assert "MIIEvQ" not in str(rows)
    assert [(row[2], row[5]) for row in rows] == [("One", 1), ("Two", 65)]


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("plain\n", "plain\n"),
        ("a <private>b</private> c\n", "a  c\n"),
        ("a\n<private>\nb\r\n</private>\nc", "a\n\n\r\n\nc"),
        ("<private><private>\n</private>\n</private>d", "\n\nd"),
        ("a </private>\nb", "a \nb"),
        ("a\n<private>\nb", "a\n\n"),
        ("a <private\nclass='x'>b</private>\nc", "a \n\nc"),
    ],
)
def test_line_breaks_inside_a_private_part_stay(text: str, redacted: str) -> None:
    assert redact_lines(text) == redacted


@given(
    st.lists(
        st.sampled_from(["<private>", "</private>", "hidden", "\n", "\r\n", "## x\n", "open "]),
        max_size=12,
    )
)
def test_a_note_is_redacted_as_any_text_is_but_for_its_line_breaks(pieces: list[str]) -> None:
    text = "".join(pieces)
    redacted = redact_lines(text)

    assert redacted.replace("\r", "").replace("\n", "") == redact(text).replace("\r", "").replace(
        "\n", ""
    )
    if text.count("<private>") <= text.count("</private>"):
        assert redacted.count("\n") <= text.count("\n")

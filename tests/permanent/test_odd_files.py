"""Whatever text is saved, and whatever a file's head says, a folder stays usable."""

import os

import pytest

from runtime.permanent.folder import MOST_NUMBER
from runtime.permanent.local import Local
from runtime.permanent.service import Permanent
from runtime.store.store import open_store
from tests.permanent.conftest import TAG

TITLE = "[a] title"


@pytest.fixture
async def permanent(tmp_path, folder):
    folder.mkdir()
    async with open_store(str(tmp_path / "memory.db"), 5.0) as store:
        yield Permanent(Local(folder, store, "agent"), TAG)


@pytest.mark.parametrize(
    "body",
    [
        "one\r\ntwo\r\n", "a\r\r\nb", "a\rb", "\n\nx", "\ufeffx", "---", "\ud800",
        "---\nnumber: 9\n---\nx", "nul\0", "x\u2028y\x85z\x0c",
    ],
)  # fmt: skip
async def test_what_was_saved_is_no_edit_by_hand(permanent, body):
    created = (await permanent.create(TITLE, body)).post
    shown = await permanent.show(1)
    updated = await permanent.update(1, "[a] another", body, created.revision)

    assert (shown.revision, shown.body_md) == (1, created.body_md)
    assert updated.post.revision == 2
    assert len(await permanent.history(1)) == 2


@pytest.mark.parametrize(
    "title",
    ["[a] nul\0x", "[a] \ud800", "[a] 😀/../..", "[a] " + "𠮷" * 100, "../../etc/x", "[a] \u202ex"],
)
async def test_a_title_of_any_kind_is_one_post_in_the_folder(permanent, folder, title):
    first = await permanent.create(title, "body")
    again = await permanent.create(title, "body")

    assert (first.status, again.status) == ("created", "known")
    assert len(os.listdir(folder)) == 1


@pytest.mark.parametrize(
    "head",
    [
        "number: 99999999999999999999999", "number: 9223372036854775807", "number: true",
        "number: 2147483648", "number: " + "9" * 5000, "number: 2\ntags: " + "[" * 100_000,
        "number: 2\nrevision: 9223372036854775807", 'number: 2\ntitle: "\\ud800"',
        'number: 2\ntags: ["\\ud800", null]', 'number: 2\ncategory: "\\ud800"',
    ],
)  # fmt: skip
async def test_a_head_that_says_the_impossible_stops_nobody(permanent, folder, head):
    (folder / "odd.md").write_text(f"---\n{head}\n---\n\nbody", encoding="utf-8")

    created = (await permanent.create(TITLE, "body")).post

    assert (await permanent.show(created.number)).title == TITLE


async def test_behind_the_last_number_a_gap_is_taken(permanent, folder):
    (folder / "last.md").write_text(f"---\nnumber: {MOST_NUMBER}\n---\n\nx", encoding="utf-8")

    assert (await permanent.create(TITLE, "body")).post.number == 1


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
async def test_a_file_whose_name_is_no_utf_8_is_a_post(permanent, folder):
    try:
        (folder / os.fsdecode(b"bad\xff.md")).write_text(
            f'---\nnumber: 3\ntags: ["{TAG}"]\n---\nx', encoding="utf-8"
        )
    except OSError:
        pytest.skip("this file system takes no such name")

    assert (await permanent.show(3)).title == "bad\ufffd"

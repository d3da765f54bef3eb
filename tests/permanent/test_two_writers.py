"""Any interleaving of two writers, on both backends: no line that was reported saved is lost."""

from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.permanent.backend import Backend
from runtime.permanent.errors import BackendError, ConflictError
from runtime.permanent.esa import open_esa
from runtime.permanent.local import Local
from runtime.permanent.service import Permanent
from runtime.permanent.token import Token
from runtime.store.store import open_store
from tests.esa_server import TOKEN, EsaServer
from tests.permanent.conftest import TAG

TITLE = "[a] b"
FIRST = "".join(f"line {number}\n" for number in range(5))
Step = tuple[int, Literal["read", "save", "merge"], int]
STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["read", "save", "merge"]), st.integers(0, 5)),
    max_size=14,
)


class Writer:
    """Somebody who adds lines to what they have read."""

    def __init__(self, permanent: Permanent, number: int) -> None:
        self._permanent = permanent
        self._number = number
        self.revision, self.text = 1, FIRST

    async def read(self) -> None:
        post = await self._permanent.show(self._number)
        self.revision, self.text = post.revision, post.body_md

    async def save(self, line: str, at: int, *, merging: bool) -> bool:
        lines = self.text.splitlines(keepends=True)
        lines.insert(min(at, len(lines)), line)
        try:
            updated = await self._permanent.update(
                self._number, TITLE, "".join(lines), self.revision, merging=merging
            )
        except ConflictError:
            return False
        self.revision, self.text = updated.post.revision, updated.post.body_md
        return True


async def play(backend: Backend, steps: list[Step]) -> None:
    permanent = Permanent(backend, TAG)
    number = (await permanent.create(f"{TITLE}", FIRST + "\n" * len(steps))).post.number
    writers = [Writer(permanent, number) for _writer in range(2)]
    for writer in writers:
        await writer.read()
    saved = []
    for count, (who, what, at) in enumerate(steps):
        if what == "read":
            await writers[who].read()
            continue
        line = f"added {count} by {who}\n"
        if await writers[who].save(line, at, merging=what == "merge"):
            saved.append(line)
    text = (await permanent.show(number)).body_md.splitlines(keepends=True)
    assert set(saved) <= set(text)
    assert set(FIRST.splitlines(keepends=True)) <= set(text)
    revisions = [each.number for each in await permanent.history(number)]
    assert revisions == list(range(len(revisions), 0, -1))


@settings(max_examples=30)
@given(steps=STEPS)
async def test_two_writers_of_a_folder_lose_nothing(steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        async with open_store(f"{folder}/memory.db", 5.0) as store:
            await play(Local(Path(folder) / "posts", store, "agent"), steps)


@pytest.fixture(scope="module")
def server():
    with EsaServer() as running:
        yield running


@settings(max_examples=30)
@given(steps=STEPS)
async def test_two_writers_of_an_esa_post_lose_nothing(
    server: EsaServer, steps: list[Step]
) -> None:
    server.posts.clear()
    async with AsyncExitStack() as stack:
        esa = await stack.enter_async_context(open_esa(server.url, "team", Token(TOKEN, "a test")))
        await play(esa, steps)


async def test_a_folder_and_its_history_survive_a_lost_store(tmp_path: Path) -> None:
    folder = tmp_path / "posts"
    async with open_store(str(tmp_path / "old.db"), 5.0) as store:
        permanent = Permanent(Local(folder, store, "agent"), TAG)
        post = (await permanent.create(TITLE, "one\n")).post
        await permanent.update(post.number, TITLE, "two\n", 1)

    async with open_store(str(tmp_path / "new.db"), 5.0) as store:
        permanent = Permanent(Local(folder, store, "agent"), TAG)
        assert (await permanent.show(post.number)).revision == 2
        with pytest.raises(BackendError):
            await permanent.update(post.number, TITLE, "three\n", 1)
        assert (await permanent.update(post.number, TITLE, "three\n", 2)).post.revision == 3

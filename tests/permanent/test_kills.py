"""Killed at any moment, or out of room: what was acknowledged is there, once and whole."""

import os
import random
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.permanent import folder as files
from tests.esa_server import EsaServer
from tests.mcp_servers.server_process import HELLO, lines, started, talk, tool
from tests.processes import COMMAND as CLI
from tests.processes import Product
from tests.worker.disks import SmallDisk, can_mount, files_limited_to, small_disk

pytestmark = pytest.mark.process
TITLE = "[a] title"
BODY = "".join(f"line {number} of what is kept\n" for number in range(300))
ROUNDS, OPERATIONS = 4, 12
CREATE, UPDATE = "permanent_memory_create", "permanent_memory_update"


def title(number: int) -> str:
    return f"[kill] memory {number}"


def body(number: int, revision: int) -> str:
    return f"{BODY}{number} at {revision}\n"


def steps(first: int) -> list[dict[str, Any]]:
    """Return requests in pairs: make a memory, then change it."""
    found = []
    for number in range(first, first + OPERATIONS // 2):
        at = 2 * number
        found += [
            tool(10 + at, CREATE, title=title(number), body_md=body(number, 1)),
            tool(
                11 + at, UPDATE, post_number=number, title=title(number),
                body_md=body(number, 2), revision=1,
            ),
        ]  # fmt: skip
    return found


def answers_until_killed(home: Path, requests: list[dict[str, Any]], moment_s: float) -> int:
    """
    Ask one by one, and kill the server so long after its first answer.

    Returns how many requests were answered.
    """
    with started("permanent", home) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(lines(HELLO))
        server.stdin.flush()
        server.stdout.readline()
        # A random moment is what this is about: nothing waits for it to be long enough.
        killing = threading.Timer(moment_s, server.kill)
        killing.start()
        try:
            for count, request in enumerate(requests):
                try:
                    server.stdin.write(lines([request]))
                    server.stdin.flush()
                except BrokenPipeError:
                    return count
                if not server.stdout.readline().endswith(b"\n"):
                    return count
            return len(requests)
        finally:
            killing.join()


@pytest.mark.timeout(240)
def test_a_folder_s_server_that_is_killed_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Retried as they were, the requests end in one memory each, with both its revisions."""
    chance = random.Random(7)
    product = Product(tmp_path / "home")
    first, answered = 1, 0
    for _round in range(ROUNDS):
        requests = steps(first)
        done = answers_until_killed(product.home, requests, chance.uniform(0, 0.6))
        answered += done
        left = requests[done:]
        retried = talk("permanent", product.home, [*HELLO, *left])
        assert [retried.told(each["id"])["name"] for each in left] == [
            each["params"]["arguments"]["title"] for each in left
        ]
        first += OPERATIONS // 2

    assert 0 < answered < ROUNDS * OPERATIONS, "no kill came in between"
    made = files.scan(product.home / "permanent")
    assert list(made) == list(range(1, first))
    assert [file.post.body_md for file in made.values()] == [
        body(number, 2) for number in range(1, first)
    ]
    past = [product.command("permanent", "history", str(n), "--json").json for n in (1, first - 1)]
    assert [[each["number"] for each in saves] for saves in past] == [[2, 1], [2, 1]]
    found = product.command("permanent", "search", "kill", "-n", "100", "--json").json
    assert found["total"] == first - 1


@pytest.fixture
def esa() -> Iterator[EsaServer]:
    with EsaServer() as server:
        yield server


@pytest.fixture
def at_esa(tmp_path: Path, esa: EsaServer) -> Product:
    return Product(
        tmp_path / "home",
        OBOEGAKI_PERMANENT_BACKEND="esa",
        OBOEGAKI_PERMANENT_TEAM="team",
        OBOEGAKI_PERMANENT_URL=esa.url,
        ESA_ACCESS_TOKEN=esa.token,
    )


CALLS = {
    "create": ("create", "--title", TITLE, "--body", "two\n"),
    "update": ("update", "1", "--revision", "1", "--body", "two\n"),
    "merge": ("update", "1", "--revision", "1", "--body", "two\n", "--merge"),
    "archive": ("archive", "1"),
}


@pytest.mark.parametrize(
    ("call", "moment"),
    [
        *((call, "after_write") for call in CALLS),
        ("update", "before_write"),
        ("merge", "before_write"),
    ],
)
def test_killed_between_request_and_answer_a_retry_makes_no_second_one(
    esa: EsaServer, at_esa: Product, call: str, moment: str
) -> None:
    """Esa has got the request, and who sent it is gone."""
    if call != "create":
        esa.add(TITLE, "one\n")
    running: list[subprocess.Popen[bytes]] = []
    getattr(esa, moment).append(lambda: running[0].send_signal(signal.SIGKILL))
    command = [*CLI, "permanent", *CALLS[call]]
    running.append(subprocess.Popen(command, env={**os.environ, **at_esa.environ}))
    assert running[0].wait() == -signal.SIGKILL

    again = at_esa.command("permanent", *CALLS[call], "--json")

    assert again.code == 0, again.err
    (post,) = esa.posts.all()
    saved = {"create": 1, "update": 2, "merge": 2, "archive": 2}[call]
    assert (post.number, post.name, post.revision_number) == (1, TITLE, saved)
    assert post.body_md == ("one\n" if call == "archive" else "two\n")
    assert post.category == ("Archived" if call == "archive" else None)


def test_what_a_killed_writer_left_goes_with_a_later_save(tmp_path: Path) -> None:
    product = Product(tmp_path / "home")
    product.command("permanent", "create", "--title", TITLE, "--body", "one\n")
    folder = product.home / "permanent"
    old, young = (folder / f".0009-x.md.{digit * 12}.tmp" for digit in "ab")
    mine = folder / ".mine.tmp"
    for path in (old, young, mine):
        path.write_text("half", encoding="utf-8")
    for path in (old, mine):
        os.utime(path, (1, 1))

    product.command("permanent", "create", "--title", "[b] other", "--body", "two\n")

    assert (old.exists(), young.exists(), mine.exists()) == (False, True, True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    if not can_mount(tmp_path):
        pytest.skip("mounting a disk needs root; the limit on file sizes is tested besides")
    with small_disk(tmp_path / "disk", 1500) as mounted:
        yield mounted


def what_is_kept(product: Product) -> list[tuple[str, str, int]]:
    shown = product.command("permanent", "search", "--json")
    assert shown.code == 0, shown.err
    return [(post["title"], post["body_md"], post["revision"]) for post in shown.json["posts"]]


WRITES: dict[str, tuple[str, ...]] = {
    "create": ("create", "--title", "[b] new", "--body", BODY),
    "update": ("update", "1", "--revision", "1", "--body", BODY),
}


@pytest.mark.parametrize("call", WRITES)
@pytest.mark.parametrize("what_is_full", ["folder", "home"])
def test_a_full_disk_is_told_and_loses_nothing(
    tmp_path: Path, disk: SmallDisk, call: str, what_is_full: str
) -> None:
    small, large = disk.folder / "small", tmp_path / "large"
    home, folder = (large, small) if what_is_full == "folder" else (small, large)
    product = Product(home, OBOEGAKI_PERMANENT_DIR=str(folder))
    product.command("permanent", "create", "--title", TITLE, "--body", "one\n")
    disk.fill()

    refused = product.command("permanent", *WRITES[call], "--json")
    assert refused.code == 1
    assert "Traceback" not in refused.err
    if what_is_full == "folder":
        assert refused.json["error"] == "cannot_write"
        assert "No space left on device" in refused.err
        assert f"{folder} cannot be written" in refused.err
    half = [path.name for path in folder.iterdir() if not path.name.endswith(".md")]
    assert half == []
    disk.free()
    assert (TITLE, "one\n", 1) in what_is_kept(product)
    again = product.command("permanent", *WRITES[call], "--json")

    assert again.code == 0, again.err
    kept = [("[b] new", BODY, 1), (TITLE, "one\n", 1)] if call == "create" else [(TITLE, BODY, 2)]
    assert what_is_kept(product) == kept


def test_a_limit_on_file_sizes_is_told_like_a_full_disk(tmp_path: Path) -> None:
    product = Product(tmp_path / "home")
    product.command("permanent", "create", "--title", TITLE, "--body", "one\n")
    largest = max(path.stat().st_size for path in product.home.rglob("*"))
    text = "x" * (largest + 100_000)
    done = limited(product, files_limited_to(largest + 65_536), text)

    assert done.returncode == 1
    assert b"cannot be written" in done.stderr or b"full" in done.stderr
    assert what_is_kept(product) == [(TITLE, "one\n", 1)]


def limited(
    product: Product, limit: Callable[[], None], text: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [*CLI, "permanent", "create", "--title", "[c] large"],
        input=text.encode(),
        capture_output=True,
        check=False,
        env={**os.environ, **product.environ},
        preexec_fn=limit,
    )

"""Dumps through an object store: a real S3 server on the loopback."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from tests.processes import Product

SERVER: Final = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
server.stop()
"""
BUCKET: Final = """
import boto3
boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="memories")
"""
PLACE: Final = "s3://memories/dumps"


@pytest.fixture(scope="module")
def store() -> Generator[dict[str, str]]:
    """The variables that lead to a server with one empty bucket."""
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    port = server.stdout.readline().decode().strip()
    environ = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    subprocess.run([sys.executable, "-c", BUCKET], env={**os.environ, **environ}, check=True)
    yield environ
    server.stdin.close()
    server.stdout.close()
    server.wait(30)


def write(product: Product, word: str) -> None:
    product.hook(
        {
            "hook_event_name": "PostToolUse",
            "session_id": "s",
            "transcript_path": "",
            "cwd": "/nowhere/shop",
            "tool_name": "Write",
            "tool_input": {"file_path": f"/{word}.md"},
            "tool_response": {"content": f"{word} " * 60},
        }
    )


@pytest.mark.process
@pytest.mark.timeout(180)
def test_machines_meet_in_an_object_store(store: dict[str, str], tmp_path: Path):
    a = Product(tmp_path / "a", OBOEGAKI_HOST="mac-a", **store)
    b = Product(tmp_path / "b", OBOEGAKI_HOST="mac-b", OBOEGAKI_SYNC_DIR=PLACE, **store)
    write(a, "zebra")
    write(b, "walrus")

    first = a.command("longterm", "dump", PLACE)
    second = a.command("longterm", "dump", PLACE, "--json")
    third = a.command("longterm", "dump", PLACE, "--json")
    b.command("longterm", "dump")
    there = b.command("longterm", "sync", "--json")
    again = b.command("longterm", "sync", "--json")
    back = a.command("longterm", "sync", PLACE, "--json")

    assert first.code == 0, first.err
    # Two full dumps stay.
    assert second.json["removed"] == []
    assert len(third.json["removed"]) == 1
    assert [host["new"] for host in there.json["hosts"]] == [1, 0]
    assert {file["state"] for file in again.json["files"]} == {"unchanged"}
    assert back.code == 0
    assert a.finds("walrus")
    assert b.finds("zebra")


@pytest.mark.process
def test_a_store_that_does_not_answer_is_named(store: dict[str, str], tmp_path: Path):
    lost = {**store, "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}
    product = Product(tmp_path / "a", **lost)

    ran = product.command("longterm", "sync", PLACE)

    assert ran.code == 1
    assert f"dumps in {PLACE}: it cannot be listed" in ran.err


@pytest.mark.process
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("nonsense://bucket/x", "Protocol not known: nonsense"),
        ("gs://bucket/x", "oboegaki[object-store]"),
    ],
)
def test_an_address_that_cannot_be_used_says_what_to_do(place: str, said: str, tmp_path: Path):
    ran = Product(tmp_path / "a").command("longterm", "dump", place)

    assert ran.code == 1
    assert f"dumps in {place}" in ran.err
    assert said in ran.err

"""What was renamed into the spool is handled once, whoever dies at whatever moment."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from runtime.spool import ASK, ASK_IS_OURS_S, event_id
from tests.processes import HOOK, PATIENCE_S, Product
from tests.store.indexes import check_index

SEED = 20260611
KILLS = 60
AT_ONCE = 4


def payload(number: int) -> bytes:
    return json.dumps(
        {
            "hook_event_name": "SessionStart" if number % 5 == 0 else "PostToolUse",
            "session_id": "s",
            "transcript_path": "",
            "cwd": "/nowhere/shop",
            "tool_name": "Write",
            "tool_input": {"file_path": f"/{number}.md"},
            "tool_response": {"content": f"event{number} " * 40},
            "number": number,
        }
    ).encode()


def start(product: Product, number: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        HOOK,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **product.environ},
    )
    process.stdin.write(payload(number))
    process.stdin.close()
    return process


def age_asked(folder: Path) -> None:
    """Rename asked events of dead processes, as if they had lain there for a while."""
    for path in folder.glob(f"*{ASK}"):
        stamp, _, rest = path.name.partition("-")
        older = int(stamp) - int((ASK_IS_OURS_S + 1) * 1e9)
        path.rename(folder / f"{older:020d}-{rest}")


@pytest.mark.process
@pytest.mark.timeout(180)
def test_no_event_is_lost_or_doubled_when_hooks_are_killed(product: Product):
    dice = random.Random(SEED)
    product.hook(payload(10_000))
    seen: set[str] = set()
    killed = 0
    for first in range(0, KILLS, AT_ONCE):
        processes = [start(product, number) for number in range(first, first + AT_ONCE)]
        # Not a wait for something: the moment of the kill is what is being tried out.
        for process in processes:
            time.sleep(dice.uniform(0, 0.12))
            seen |= set(os.listdir(product.home / "spool"))
            process.send_signal(signal.SIGKILL)
        for process in processes:
            killed += process.wait(PATIENCE_S) == -signal.SIGKILL
        seen |= set(os.listdir(product.home / "spool"))
    age_asked(product.home / "spool")

    last = product.hook(payload(10_001))

    assert last.code == 0
    ids = {event_id(name) for name in seen if name[:1].isdigit()}
    connection = sqlite3.connect(product.home / "memory.db")
    recorded = connection.execute("SELECT id, count(*) FROM events GROUP BY id").fetchall()
    twice = connection.execute(
        "SELECT content FROM memories GROUP BY content HAVING count(*) > 1"
    ).fetchall()
    kept = connection.execute("SELECT count(DISTINCT event_id) FROM memories").fetchone()[0]
    wrote = connection.execute("SELECT count(*) FROM events WHERE name = 'PostToolUse'").fetchone()
    connection.close()
    # An aged event has another id; what was asked is told by its process.
    pids = {known.partition("-")[2] for known, _count in recorded}
    assert killed
    assert {taken.partition("-")[2] for taken in ids} - pids == set()
    assert {count for _id, count in recorded} == {1}
    assert len(pids) == len(recorded)
    assert twice == []
    assert kept == wrote[0]
    assert [name for name in os.listdir(product.home / "spool") if name[:1].isdigit()] == []
    check_index(str(product.home / "memory.db"))


@pytest.mark.process
def test_hooks_that_meet_an_empty_home_at_once_lose_nothing(product: Product):
    processes = [start(product, number) for number in range(8)]

    codes = [process.wait(PATIENCE_S) for process in processes]

    age_asked(product.home / "spool")
    assert product.command("stats", "--json").json["events"] == 8
    assert codes == [0] * 8
    assert os.listdir(product.home / "spool") == []


@pytest.mark.process
def test_an_asked_event_of_a_killed_process_is_finished_by_the_next(product: Product):
    product.home.mkdir()
    (product.home / "spool").mkdir()
    name = f"{1:020d}-7{ASK}"
    (product.home / "spool" / name).write_bytes(b"oboegaki-event 1\n\n" + payload(5))

    product.hook(payload(1))

    listed = product.command("events", "--json").json
    assert listed[0]["id"] == f"{1:020d}-7"
    assert len(listed) == 2
    assert os.listdir(product.home / "spool") == []

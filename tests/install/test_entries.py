import json
from pathlib import Path

import pytest

from runtime.install.entries import EVENTS, TIMEOUT_S, entry, is_ours
from runtime.launch import MARK

ROOT = Path(__file__).resolve().parents[2]
PLUGIN_HOOKS = json.loads((ROOT / "hooks.json").read_text(encoding="utf-8"))["hooks"]


def test_the_table_says_what_the_plugin_registers():
    plugin = {
        event: [
            (group.get("matcher"), hook["timeout"]) for group in groups for hook in group["hooks"]
        ]
        for event, groups in PLUGIN_HOOKS.items()
    }

    assert plugin == {event: [(matcher, TIMEOUT_S)] for event, matcher in EVENTS.items()}


@pytest.mark.parametrize("event", EVENTS)
def test_an_entry_is_in_exec_form_and_carries_the_mark(event):
    made = entry(event)

    assert made["args"][-1] == event
    assert MARK in made["args"][-2]
    compile(made["args"][-2], "hook", "exec")


@pytest.mark.parametrize(
    ("handler", "why"),
    [
        (entry("Stop"), "today's form"),
        (PLUGIN_HOOKS["Stop"][0]["hooks"][0], "the plugin's, copied into settings"),
        (
            {
                "command": "/x/python",
                "args": ["-c", "import sys # oboegaki hook\nfuture()", "Stop"],
            },
            "any later form: the mark is enough",
        ),
        (
            {
                "command": "/old/python",
                "args": ["-I", "-c", "from runtime.__main__ import main; main()", "hook", "Stop"],
            },
            "an older exec form",
        ),
        (
            {"command": 'python3 -I -c "from runtime.__main__ import main; main()" hook Stop'},
            "a shell form",
        ),
        ({"command": "/home/a/.venv/bin/runtime", "args": ["hook", "Stop"]}, "the console script"),
        ({"command": "oboegaki hook Stop"}, "the other one, found on PATH"),
        ({"command": "uv run --project /x runtime hook"}, "through uv"),
    ],
)
def test_our_own_entry_is_known_in_every_form(handler, why):
    assert is_ours(handler), why


@pytest.mark.parametrize(
    ("handler", "why"),
    [
        ({"type": "command", "command": "prettier --write"}, "another program"),
        ({"type": "command", "command": "echo oboegaki"}, "it only names us"),
        ({"type": "command", "command": "runtime doctor"}, "another command of ours is no hook"),
        (
            {"command": "python", "args": ["-c", "from runtime.__main__ import main", "x"]},
            "no hook",
        ),
        ({"type": "http", "url": "http://localhost/oboegaki hook"}, "no process"),
        ({"command": 'echo "unbalanced'}, "no shell words"),
        ({"command": ["oboegaki", "hook"]}, "a list where the client wants a string"),
        ("oboegaki hook", "no object"),
        (None, "nothing"),
    ],
)
def test_what_somebody_else_registered_is_not_ours(handler, why):
    assert not is_ours(handler), why

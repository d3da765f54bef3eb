"""Handlers that fail or hang: the others run, and the hook ends with 0."""

import json
from typing import Any, Final

import pytest

from tests.cases_tests.playground import (
    Make,
)
from tests.cases_tests.starting import CLIENT

# A broken hook must never look like a deliberate block.

ROUTED: Final = """
import sys
from types import ModuleType
from runtime import routes
from runtime.routes import Route

def install(name, handle):
    module = ModuleType(name)
    module.handle = handle
    sys.modules[name] = module
    return Route(name)

async def bad(event, services):
    {body}

bad = install("bad", bad)
for name, known in list(routes.ROUTES.items()):
    routes.ROUTES[name] = (bad, *known, bad)
"""
BODIES: Final = {
    "raises": "raise ValueError('x')",
    "exits": "sys.exit(2)",
    "sleeps": "import anyio; await anyio.sleep(60)",
    "recurses": "return await bad_again()",
    "cancels itself": "import asyncio; raise asyncio.CancelledError",
    "cancels its task": "import asyncio; asyncio.current_task().cancel(); await asyncio.sleep(0)",
    "raises a group": "raise ExceptionGroup('g', [ValueError('x'), KeyError('y')])",
    "warns": "import warnings; warnings.warn('x'); raise LookupError",
    "returns nonsense": "return object()",
    "runs out of memory": "raise MemoryError",
    "stops an iteration": "raise StopAsyncIteration",
}


@pytest.mark.parametrize("name", ["stop.json", "pretooluse_skill.json"])
@pytest.mark.parametrize("why", BODIES)
def test_a_handler_that_fails_starves_no_other(
    why: str, name: str, make: Make, run_script: Any
) -> None:
    ground = make("P10", OBOEGAKI_HOOK_BUDGET_S="1")
    (ground.notes / "mem.md").write_text(
        "## 2026-06-01 review\n本文 reviewword\n", encoding="utf-8"
    )
    event = ground.payload(name, last_assistant_message="他の担当は動く stillkept")

    ran = run_script(ground, ROUTED.format(body=BODIES[why]) + CLIENT, event)

    if name == "stop.json":
        assert ran.out == b""
        assert ground.memories() == ["[assistant] 他の担当は動く stillkept"]
    else:
        assert "reviewword" in ran.context
    ((outcome, handlers),) = ground.rows("SELECT outcome, handlers FROM events")
    assert outcome == "failed"
    runs = [entry["outcome"] for entry in json.loads(handlers)]
    assert runs[0] != "ok"
    assert runs[-1] != "ok"
    assert set(runs[1:-1]) == {"ok"}
    assert len(ground.logged("handler_failed") + ground.logged("handler_timed_out")) == 2


HANGING: Final = {
    "sleeps without awaiting": "import time; time.sleep(60)",
    "waits in a thread": "import anyio, time; await anyio.to_thread.run_sync(time.sleep, 60)",
    "loops": "\n    while True: pass",
    "catches all": (
        "import time\n    while True:\n        try: time.sleep(60)\n"
        "        except BaseException: pass"
    ),
}


DEADLINE: Final = "from runtime import client\nclient.DEADLINE_S = 2.0\n"
"""The real one, only sooner."""


@pytest.mark.parametrize("why", HANGING)
def test_a_handler_that_hangs_ends_with_the_deadline(why: str, make: Make, run_script: Any) -> None:
    """The process ends by itself, with 0 and without a word."""
    ground = make("P10")

    ran = run_script(
        ground, ROUTED.format(body=HANGING[why]) + DEADLINE + CLIENT, ground.payload("stop.json")
    )

    assert ran.out == b""

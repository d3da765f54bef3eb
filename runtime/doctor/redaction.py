"""A made-up key goes the way that captured text goes: it must not come out."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from runtime.doctor.check import Checked, Place, found
from runtime.redact import redact, redact_bytes, redact_value
from runtime.store.longterm import redacted
from runtime.text import clean
from schemas.records import NewMemory

NEEDLES: Final = ("ghp_" + "a1B2c3D4e5F6" * 3, "AKIA" + "Q7WERTY2UIOP4ASD")
"""Keys of two vendors' shapes; put together here, so that no scanner takes them for real."""


def _memory(text: str) -> str:
    made = NewMemory(
        key="self-test", content=text, source="doctor", created_at=datetime.now(UTC), target=text
    )
    return redacted(made).model_dump_json()


WAYS: Final[dict[str, Callable[[str], str]]] = {
    "text": lambda text: redact(clean(text)),
    "payload": lambda text: json.dumps(redact_value({"tool_input": {"command": [text]}})),
    "unreadable input": lambda text: redact_bytes(text.encode()).decode(),
    "memory": _memory,
}
"""Every way from captured text to the disk, by name."""


def check(_place: Place, ways: dict[str, Callable[[str], str]] = WAYS) -> list[Checked]:
    """Send the keys through and look for them."""
    leaks = [
        name
        for name, way in ways.items()
        if any(needle in way(f"export TOKEN={needle} # and {needle}.") for needle in NEEDLES)
    ]
    if not leaks:
        saw = f"a made-up key is taken out on all {len(ways)} ways"
        return [found("redaction.self_test", "ok", saw)]
    saw = f"a made-up key comes through: {', '.join(leaks)}"
    advice = "set OBOEGAKI_DISABLE=1 and install oboegaki again: what is stored may hold secrets"
    return [found("redaction.self_test", "problem", saw, advice)]

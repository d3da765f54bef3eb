import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.context import AppContext
from runtime.pipeline import handle
from runtime.spool import Captured, new_id
from schemas.answers import HookAnswer
from schemas.events import MODULES
from tests.processes import Product

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        *("session_id", "transcript_path", "cwd", "tool_name", "tool_input", "tool_response"),
        *("source", "last_assistant_message", "stop_hook_active", "command_name", "command_args"),
        *("agent_id", "permission_mode", "name", "value"),
    ]
)
SENSIBLE = st.sampled_from(
    ["Skill", "Write", "/nowhere/a", "startup", {"skill": "deploy"}, {"content": "x" * 300}, "\0"]
)
EVENTS = st.builds(
    lambda name, fields: json.dumps({**fields, "hook_event_name": name}).encode(),
    st.sampled_from([*sorted(MODULES), "Later"]),
    st.dictionaries(FIELDS, SENSIBLE | JSON, max_size=8),
)
BYTES = st.binary(max_size=200) | EVENTS | EVENTS.map(lambda data: data[:-3])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(BYTES, st.dictionaries(st.sampled_from(["project", "entrypoint", "nested"]), st.text()))
async def test_any_bytes_are_handled_and_answered_by_a_valid_document_or_nothing(
    app: AppContext, data: bytes, facts: dict[str, str]
) -> None:
    told: list[bytes] = []
    await handle(Captured(new_id(1), facts, data), app, told.append)
    answer = b"".join(told) or None

    assert answer is None or HookAnswer.model_validate_json(answer)


@pytest.mark.process
@pytest.mark.timeout(120)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BYTES)
def test_the_process_exits_0_with_one_object_or_nothing(product: Product, data: bytes) -> None:
    done = product.hook(data)

    assert done.code == 0
    assert done.answer is None or HookAnswer.model_validate(done.answer)

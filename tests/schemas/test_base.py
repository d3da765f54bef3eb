"""When models are built: at their first use, or all of them where there are threads."""

import subprocess
import sys

from pydantic import BaseModel

from schemas.base import Lenient, Own, build_all

FIRST_USE = """
from schemas.base import Lenient
from schemas.events import validated
validated({"hook_event_name": "Stop", "session_id": "", "transcript_path": "", "cwd": ""})
def below(model):
    return {model, *(found for one in model.__subclasses__() for found in below(one))}
models = below(Lenient)
print(*sorted(model.__name__ for model in models if model.__pydantic_complete__))
print("SubagentStop" in {model.__name__ for model in models}, "SessionEnd" in str(models))
"""


def test_an_event_builds_its_own_model_and_no_other():
    """In a process of its own: here other tests have built them."""
    done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, check=True)

    assert done.stdout.split() == [b"Stop", b"True", b"False"]


def test_a_process_with_threads_can_build_them_all():
    build_all()

    assert [model for model in _below(Lenient, Own) if not model.__pydantic_complete__] == []


def _below(*models: type[BaseModel]) -> list[type[BaseModel]]:
    return [*models, *(below for model in models for below in _below(*model.__subclasses__()))]

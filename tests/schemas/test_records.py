from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from schemas.records import NewMemory, TranscriptMark


def test_a_memory_needs_a_moment_with_its_zone():
    values = {"key": "k", "content": "x", "source": "session"}

    assert NewMemory.model_validate({**values, "created_at": datetime(2026, 6, 11, tzinfo=UTC)})
    with pytest.raises(ValidationError):
        NewMemory.model_validate({**values, "created_at": datetime(2026, 6, 11)})  # noqa: DTZ001


def test_a_transcript_is_never_read_from_before_its_beginning():
    with pytest.raises(ValidationError):
        TranscriptMark(path="/t", offset=-1, head="")

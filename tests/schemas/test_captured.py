import pytest
from pydantic import ValidationError

from schemas.captured import CapturedEvent
from schemas.exported import ExportedEvent
from tests.migrations.make import EVENT, PAYLOAD


def test_an_exported_event_holds_all_of_the_captured_one():
    exported = ExportedEvent.model_validate({**EVENT.model_dump(), "payload": PAYLOAD})

    assert set(CapturedEvent.model_fields) <= set(ExportedEvent.model_fields)
    assert ExportedEvent.model_validate_json(exported.model_dump_json()) == exported


def test_a_newer_version_s_export_is_read():
    exported = ExportedEvent.model_validate({"id": "1", "payload": {}, "later": 1})

    assert exported.model_extra == {"later": 1}


def test_a_row_with_an_outcome_that_there_is_not_is_a_mistake():
    with pytest.raises(ValidationError):
        CapturedEvent.model_validate({**EVENT.model_dump(), "outcome": "perhaps"})

import pytest

from tests.payloads import Payloads

NAMES = list(Payloads())


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_named_after_its_event(payloads, name):
    assert payloads[name]["hook_event_name"] == name.split("-")[0]


def test_a_payload_is_the_reader_s_own_copy(payloads):
    payloads["Stop"]["session_id"] = "changed"

    assert payloads["Stop"]["session_id"] != "changed"


def test_an_unknown_payload_is_a_key_error(payloads):
    with pytest.raises(KeyError):
        payloads["Nothing"]

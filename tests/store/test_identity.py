import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.store.identity import content_key

TEXT = st.text(st.characters(exclude_categories=("Cs",)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ガイド", unicodedata.normalize("NFD", "ガイド")),
        ("a line", "a line "),
        ("a line", "\n a line\n\n"),
    ],
)
def test_forms_of_one_text_have_one_key(one, other):
    assert content_key(one) == content_key(other)


@pytest.mark.parametrize("other", ["a  line", "A line", "ａ line", "a line."])
def test_another_text_has_another_key(other):
    assert content_key("a line") != content_key(other)


def test_a_key_says_what_it_is_made_of():
    """SHA-256 of "a", which every machine works out alike."""
    digest = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"

    assert content_key("a") == f"content:{digest}"


@given(TEXT)
def test_every_form_of_any_text_has_its_key(text):
    keys = {content_key(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")}

    assert keys == {content_key(text)}

"""Redaction holds for texts nobody thought of."""

import json

from hypothesis import given
from hypothesis import strategies as st

from runtime.redact import redact, redact_bytes, redact_value
from tests.secret_samples import KEYS, NEEDLES, PEM, TEXT, URL

PIECES = st.sampled_from(
    [
        *KEYS.values(),
        PEM,
        URL,
        *"<>/@:=;&,'\"`\\[]() \n\t.-_$!",
        *("password", "token", "secret", "api_key", "Authorization", "bearer ", "auth", "pass"),
        *("<private>", "</private>", "<priv", "ate>", "private", "< private x", "--", "-----"),
        *(
            "-----BEGIN ",
            "PRIVATE KEY-----",
            "-----END ",
            "eyJ",
            "sk-",
            "ghp_",
            "://",
            "\\n",
            "\\u",
        ),
        *("Abc12345", "swordfish", "0123456789abcdef", "AAAAAAAAAAAAAAAA", "パスワード", "は", "İ"),
        *("APIキー", "ＡＰＩ", "ＰＷ", "pw", "トークン", "シークレット", "鍵", "秘密", "暗証番号"),
        *(
            "「",
            "」",
            "『",
            "：",
            "＝",
            "\u3000",
            "**",
            "1234",
            "１２３４",
            "ｈｕｎｔｅｒ２ｘ９",
            "桁",
            "id_ed25519",
        ),
        *("[redacted:", "[redacted:url-password]", "[redacted:jwt]", "str", "x@y", "A=", "K: "),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=3), max_size=14).map("".join)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
WORDS = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Zs"], max_codepoint=0xFFFF))


@given(TEXTS)
def test_a_second_pass_changes_nothing(text):
    cleaned = redact(text)

    assert redact(cleaned) == cleaned


@given(TEXTS)
def test_a_redacted_text_holds_no_private_block(text):
    assert "<private>" not in redact(text).lower()


LINES = TEXT.split("\n")


@given(st.lists(st.text("ab \n。は,;", max_size=5), min_size=len(LINES), max_size=len(LINES)))
def test_the_known_secrets_go_between_any_ordinary_text(between):
    text = "\n".join(line + more for line, more in zip(LINES, between, strict=True))

    cleaned = redact(text)

    assert [needle for needle in NEEDLES if needle in cleaned] == []


@given(WORDS)
def test_words_without_digits_and_signs_are_never_changed(text):
    assert redact(text) == text


@given(JSON_VALUES)
def test_a_json_value_keeps_its_shape_and_a_second_pass_changes_nothing(value):
    cleaned = redact_value(value)

    assert redact_value(cleaned) == cleaned
    assert _shape(cleaned) == _shape(value)


@given(st.binary() | JSON_VALUES.map(lambda value: json.dumps(value).encode("utf-8")))
def test_redacted_bytes_are_always_utf_8(data):
    redact_bytes(data).decode("utf-8")


@given(st.sampled_from(sorted(KEYS)), st.booleans())
def test_a_token_inside_json_bytes_is_found(name, ascii_only):
    data = json.dumps({"本文": [f"鍵\n{KEYS[name]}\n"]}, ensure_ascii=ascii_only).encode("utf-8")

    needle = KEYS[name].removeprefix("ESA_ACCESS_TOKEN=")
    assert needle not in redact_bytes(data).decode("utf-8")


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return [_shape(item) for item in value.values()]
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return str if isinstance(value, str) else value

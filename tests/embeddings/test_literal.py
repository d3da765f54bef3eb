"""Which questions are meant to the letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.embeddings.literal import is_literal
from runtime.query import parse


@pytest.mark.parametrize(
    "query",
    [
        "",
        "認証",
        "打合せ",
        "サーバー",
        "redis",
        "retry_policy",
        "retryPolicy",
        "auth/token_service.py",
        "v2.4.0",
        "--strict",
        "9f3c2ab",
        "utf-8-sig",
        "2026-06-11",
        "6月11日",
        "test_a test_b",
        '"retry policy"',
        'why "retry policy"',
        "kind:note",
        "🐛",
    ],
)
def test_a_word_a_name_a_date_or_a_phrase_is_literal(query: str) -> None:
    assert is_literal(parse(query))


@pytest.mark.parametrize(
    "query",
    [
        "retry policy",
        "セッションの期限は何日?",
        "打合せの記録",
        "サーバ証明書 更新",
        "why does session.py lose the user",
        "what's new",
        "一覧APIのp95が悪化した原因",
        "2026年6月11日の決定 期限",
        "退款接口 超时",
    ],
)
def test_several_words_are_a_question(query: str) -> None:
    assert not is_literal(parse(query))


@given(st.text(max_size=60))
def test_any_text_is_one_or_the_other(text: str) -> None:
    assert is_literal(parse(text)) in {True, False}

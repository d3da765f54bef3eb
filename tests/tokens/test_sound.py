"""Loan words and their originals sound alike, other words do not."""

import pytest

from runtime.tokens.index import index_tokens
from runtime.tokens.sound import sounds_like_katakana, sounds_like_latin


@pytest.mark.parametrize(
    ("katakana", "latin"),
    [
        ("コンポーネント", "component"),
        ("レンダー", "render"),
        ("レンダリング", "rendering"),
        ("プロバイダ", "provider"),
        ("コンテキスト", "context"),
        ("サーバ", "server"),
        ("キャッシュ", "cache"),
        ("ディレクトリ", "directory"),
        ("リポジトリ", "repository"),
        ("モジュール", "module"),
        ("スケジュール", "schedule"),
        ("スキーマ", "schema"),
        ("トリガ", "trigger"),
        ("チーム", "team"),
        ("チケット", "ticket"),
        ("ブランチ", "branch"),
        ("フェッチ", "fetch"),
        ("キャプチャ", "capture"),
        ("スレッド", "thread"),
        ("トランザクション", "transaction"),
        ("マイグレーション", "migration"),
        ("インデックス", "index"),
        ("ヴァリデーション", "validation"),
    ],
)
def test_a_loan_word_and_its_original_meet(katakana: str, latin: str) -> None:
    written = index_tokens(f"{latin}s").split()
    heard = index_tokens(katakana).split()

    assert set(sounds_like_latin(katakana)) & set(written)
    assert set(sounds_like_katakana(latin)) & set(heard)


@pytest.mark.parametrize(("katakana", "latin"), [("サーバ", "client"), ("テスト", "build")])
def test_words_that_sound_different_do_not_meet(katakana: str, latin: str) -> None:
    assert not set(sounds_like_latin(katakana)) & set(index_tokens(latin).split())
    assert not set(sounds_like_katakana(latin)) & set(index_tokens(katakana).split())


def test_an_inflected_word_sounds_like_its_stem() -> None:
    assert set(sounds_like_katakana("render")) <= set(sounds_like_katakana("rendered"))


@pytest.mark.parametrize("word", ["the", "id", "école", "2026", "aeiou", ""])
def test_what_cannot_be_told_apart_has_no_sound(word: str) -> None:
    assert sounds_like_katakana(word) == []


@pytest.mark.parametrize("word", ["", "キー", "アイウ"])
def test_a_katakana_word_of_vowels_or_too_short_has_no_sound(word: str) -> None:
    assert sounds_like_latin(word) == []

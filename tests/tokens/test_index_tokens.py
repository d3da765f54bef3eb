"""What a text is found by: the exact tokens and their order."""

import pytest

from runtime.tokens.index import index_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ""),
        (" \t\n.。、・", ""),
        ("Redis timeout", "redis timeout rdａ tntａ"),
        ("認証", "認証 証 認 証"),
        ("が", "が"),
        ("バグ", "ばぐ ぐ バグ"),
        ("JWTに決めた", "jwt に決 決め めた た 決"),
        ("打ち合わせ", "打ち ち合 合わ わせ せ 打合 打 合"),
        ("サーバー", "さー ーば ばー ー サーバ sbｱ"),
        ("parseHTTPResponse", "parse http response parsehttpresponse psａ tpａ rspnsａ"),
        ("max_retry_2", "max retry 2 maxretry2 rtrａ"),
        ("__init__", "init ntａ"),
        ("___", ""),
        ("build_3f9c2ab", "build 3f9c2ab build3f9c2ab brdａ"),
        ("MAX_ÉCOLE", "max école maxécole"),
        ("it´s", "it s"),
        ("3f9c2ab", "3f9c2ab"),
        ("deface", "deface dfsａ"),
        ("20260611", "20260611 d0611 d20260611 d202606"),
        ("Straße", "strasse strsａ"),
        ("ΟΔΟΣ", "οδοσ"),
        ("한국어", "한국 국어 어"),
        ("ภาษา", "ภาษ าษา ษา า"),
        ("完了🎉👍🏽", "完了 了 🎉 👍 完 了"),
        ("❤️", "❤"),
        ("葛\U000e0100城", "葛城 城 葛 城"),
        ("ㄅㄆㄇ", "ㄅㄆ ㄆㄇ ㄇ"),
        ("𠮷野家", "𠮷野 野家 家 𠮷 野 家"),
        ("人々", "人々 々 人 々"),
        ("a\x00b\x1fc\x7fd", "a b c d"),
        ("a\ud800b\udfffc", "a b c"),
    ],
)
def test_a_text_is_cut_into_its_tokens(text: str, tokens: str) -> None:
    assert index_tokens(text) == tokens


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("ＡＰＩ　０３－１２３４", "API 03-1234", "full width"),
        ("ｷｬｯｼｭ", "キャッシュ", "half-width katakana"),
        ("ﾊﾞｸﾞ", "バグ", "half-width sound marks"),
        ("データベース", "データベース", "decomposed kana"),
        ("café", "cafe\u0301", "decomposed Latin"),
        ("한국어", "한국어", "decomposed Hangul"),
        ("JWT", "jwt", "case"),
        ("①", "1", "circled digit"),
        ("co\u00adoperate", "cooperate", "soft hyphen"),
    ],
)
def test_spellings_of_the_same_text_give_the_same_tokens(one: str, other: str, why: str) -> None:
    assert index_tokens(one) == index_tokens(other), why


WITH_YEAR = {"d0611", "d20260611", "d202606"}


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("2026-06-11", WITH_YEAR),
        ("2026/6/11", WITH_YEAR),
        ("2026.6.11", WITH_YEAR),
        ("20260611", WITH_YEAR),
        ("2026年6月11日", WITH_YEAR),
        ("2026年 6月 11日", WITH_YEAR),
        ("２０２６年６月１１日", WITH_YEAR),
        ("二〇二六年六月十一日", WITH_YEAR),
        ("令和8年6月11日", WITH_YEAR),
        ("令和八年六月十一日", WITH_YEAR),
        ("平成元年一月二十日", {"d0120", "d19890120", "d198901"}),
        ("On 2026-06-11.", WITH_YEAR),
        ("2026-06-11T10:00:00Z", WITH_YEAR),
        ("2026-06-11-02", WITH_YEAR),
        ("06/11/2026", WITH_YEAR),
        ("11.6.2026", WITH_YEAR),
        ("June 11, 2026", WITH_YEAR),
        ("Jun. 11th 2026", WITH_YEAR),
        ("the 11th of June 2026", WITH_YEAR),
        ("11 June", {"d0611"}),
        ("6月11日", {"d0611"}),
        ("六月十一日", {"d0611"}),
        ("6/11", {"d0611"}),
        ("2026年6月", {"d202606"}),
        ("2026-06", {"d202606"}),
        ("June 2026", {"d202606"}),
        ("13/45", set()),
        ("0/0", set()),
        ("6.11", set()),
        ("3.6/11.2", set()),
        ("1.2/3", set()),
        ("1/2.3", set()),
        ("1.2.2026.3", set()),
        ("6:11", set()),
        ("123/45", set()),
        ("20269999", set()),
        ("may I ask 300 things", set()),
        ("一日、二年", set()),
        ("2026", set()),
    ],
)
def test_a_date_gives_the_same_tokens_in_any_spelling(text: str, dates: set[str]) -> None:
    words = index_tokens(text).split()
    found = {word for word in words if word[0] == "d" and word[1:].isdecimal()}

    assert found == dates

"""Hits and misses in a real FTS5 table."""

from pathlib import Path

import pytest

from runtime.tokens.query import phrase_terms, query_terms
from tests.tokens.token_table import TokenTable

CASES = Path(__file__).parents[1] / "cases"


def blocks(*paths: Path) -> dict[str, str]:
    """Give the text of each block of the files under the date that begins its heading."""
    found: dict[str, str] = {}
    for path in paths:
        for block in path.read_text(encoding="utf-8").split("## ")[1:]:
            found[block[:10]] = block
    return found


def rows(path: Path) -> list[tuple[str, ...]]:
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return [tuple(line.split("\t")) for line in lines]


@pytest.mark.parametrize(
    ("text", "query", "kind"),
    [
        ("打合せは月曜", "打ち合わせ", "okurigana"),
        ("打ち合わせは月曜", "打合せ", "okurigana"),
        ("取扱いに注意", "取り扱い", "okurigana"),
        ("サーバを再起動", "サーバー", "long vowel"),
        ("サーバーを再起動", "サーバ", "long vowel"),
        ("ｻｰﾊﾞを再起動", "サーバー", "width"),
        ("ＪＷＴを使う", "jwt", "width"),
        ("らーめんの話", "ラーメン", "kana"),
        ("getUserName を直す", "user name", "camelCase"),
        ("getUserName を直す", "getusername", "camelCase"),
        ("get_user_name を直す", "getUserName", "snake_case"),
        ("HTTPServer が落ちる", "server", "camelCase"),
        ("設定は src/app/config.toml に", "config.toml", "path"),
        ("設定は src/app/config.toml に", "src/app", "path"),
        ("直したのは 3f9c2ab7d1e0", "3f9c2ab", "hex id"),
        ("Python 3.11.7 で動く", "3.11", "version"),
        ("--no-verify は使わない", "no-verify", "flag"),
        ("昨日、3.11にした", "3.11", "version beside Japanese"),
        ("2026年6月11日に決めた", "2026-06-11", "date"),
        ("2026-06-11 に決めた", "6月11日", "date"),
        ("6/11 に決めた", "2026-06-11", "date"),
        ("公開鍵の置き場", "鍵", "one kanji"),
        ("公開鍵の置き場", "公開", "two kanji"),
        ("胃が痛い", "い", "one hiragana, in the middle"),
        ("バグの話", "バグ", "two katakana"),
        ("ฉันชอบกาแฟ", "กาแฟ", "Thai"),
        ("ฉันชอบกาแฟ", "ฟ", "one Thai letter at the end"),
        ("ສະບາຍດີ", "ດີ", "Lao"),
        ("សួស្តី", "ស្តី", "Khmer"),
        ("မင်္ဂလာပါ", "လာပါ", "Burmese"),
        ("데이터베이스를 고쳤다", "데이터", "Korean"),
        ("데이터베이스를 고쳤다", "다", "one Hangul syllable at the end"),
        ("数据库的配置", "数据库", "Chinese"),
        ("㐂寿の祝い", "㐂寿", "kanji of extension A"),
        ("𠮷野家で会う", "𠮷野", "kanji of extension B"),
        ("ㄅㄆㄇ", "ㄅㄆㄇ", "Bopomofo"),
        ("リリース🎉", "🎉", "emoji"),
        ("👍🏽了解", "👍", "emoji with a skin tone"),
        ("the timeouts were raised", "timeout raising", "English endings"),
        ("Привет, мир", "МИР", "Cyrillic"),
    ],
)
def test_a_text_is_found(table: TokenTable, text: str, query: str, kind: str) -> None:
    table.add("まったく別の事柄 unrelated words", text)

    assert table.search(query) == [2], kind


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("認証の方式", "確信"),
        ("redis timeout", "postgres"),
        ("これはそれです", "この件について認証"),
        ("the a of", "cache of the server"),
        ("2026-06-11", "2025年7月12日"),
        ("キャッシュ", "ャ行"),
    ],
)
def test_a_text_without_the_word_is_not_found(table: TokenTable, text: str, query: str) -> None:
    table.add(text)

    assert table.search(query) == []


@pytest.mark.parametrize(
    ("name", "hits", "misses"),
    [
        (
            "コードレビュー",
            ["このコードレビューの手順", "コードレビュー", "ｺｰﾄﾞﾚﾋﾞｭｰ"],
            ["レビューのコード", "コードのレビュー", "コードレビ"],
        ),
        ("review", ["Review this", "reviews", "codeReview"], ["preview", "re view"]),
        (
            "code-review",
            ["the code-review skill", "codeReview", "code_review", "コードはcode review"],
            ["review code", "code and review", "codereview"],
        ),
        ("memplug:recall", ["/memplug:recall を使う"], ["recall memplug", "memplug"]),
        ("認証JWT", ["新認証JWT方式"], ["認証とJWT", "認証局JWT"]),
        ("JWT認証", ["JWT認証局"], ["JWTの認証", "認証 JWT"]),
        ("第2章", ["第2章", "第2章節"], ["第2の章", "第12章"]),
        ("the", ["the end"], ["then"]),
        ("鍵", ["公開鍵です"], ["錠"]),
        ("กาแฟ", ["ฉันชอบกาแฟ", "กาแฟดี"], ["กา แฟ"]),
        ("code review", ["review of code"], ["code"]),
    ],
)
def test_a_name_is_found_only_where_it_occurs(
    table: TokenTable, name: str, hits: list[str], misses: list[str]
) -> None:
    table.add(*hits, *misses)

    assert sorted(table.naming(name)) == list(range(1, len(hits) + 1))


@pytest.mark.parametrize(("query", "date"), rows(CASES / "Q01" / "queries.tsv"))
def test_a_latin_word_beside_japanese_is_found(table: TokenTable, query: str, date: str) -> None:
    texts = blocks(CASES / "Q01" / "mem.md")
    table.add(*texts.values())

    for spelling in (query, query.upper(), query.lower()):
        assert list(texts)[table.search(spelling)[0] - 1] == date


@pytest.mark.parametrize("row", rows(CASES / "Q03" / "queries.tsv"))
def test_all_words_of_a_query_can_be_required(table: TokenTable, row: tuple[str, ...]) -> None:
    """Where no text has all the words, any of them will do."""
    query, wanted, unwanted = (*row, "")[:3]
    texts = blocks(CASES / "Q03" / "mem.md")
    table.add(*texts.values())

    found = table.naming(query) or table.search(query)
    dates = {list(texts)[rowid - 1] for rowid in found}

    assert not wanted or wanted in dates
    assert unwanted not in dates


def test_a_quoted_phrase_is_among_the_phrases(table: TokenTable) -> None:
    texts = blocks(CASES / "Q03" / "mem.md")
    table.add(*texts.values())

    found = table.all_of(query_terms('"redis is"').phrases)

    assert [list(texts)[rowid - 1] for rowid in found] == ["2026-04-02"]


@pytest.mark.parametrize(
    "query", (CASES / "Q04" / "queries.txt").read_text(encoding="utf-8").splitlines()
)
def test_a_query_with_syntax_characters_finds_its_text(table: TokenTable, query: str) -> None:
    table.add(*blocks(CASES / "Q04" / "mem.md").values())

    assert table.search(query) == [1]
    assert table.naming(query) == [1]


@pytest.mark.parametrize(
    "query", (CASES / "Q04" / "queries_empty.txt").read_text(encoding="utf-8").split("\n")
)
def test_a_query_of_syntax_only_raises_nothing(table: TokenTable, query: str) -> None:
    table.add(*blocks(CASES / "Q04" / "mem.md").values())

    for terms in (query_terms(query).terms, phrase_terms(query)):
        assert table.all_of(terms) in ([], [1])
    assert table.search(query) in ([], [1])


def test_a_query_of_twelve_thousand_characters_is_answered(table: TokenTable) -> None:
    table.add("長い質問文への答え")
    query = (CASES / "Q04" / "query_long.txt").read_text(encoding="utf-8")

    assert table.search(query) == [1]


@pytest.mark.parametrize(("query", "dates"), rows(CASES / "Q06" / "queries.tsv"))
def test_composition_and_width_do_not_matter(table: TokenTable, query: str, dates: str) -> None:
    texts = blocks(*sorted((CASES / "Q06").glob("*.md")))
    table.add(*texts.values())

    found = {list(texts)[rowid - 1] for rowid in table.naming(query)}

    assert found == set(dates.split(","))
    assert found <= {list(texts)[rowid - 1] for rowid in table.search(query)}

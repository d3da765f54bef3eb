"""Questions of a person's, as a whole."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.query import Filters, filter_value, parse
from runtime.store.search import search
from runtime.store.search_hits import Hit, Question, find
from schemas.search import SearchHit
from tests.store.kept import TODAY, hits, note, remember, texts

UPDATE = "the cache update runs every night on both machines"
RARE = "the xylophone adapter needs firmware seven"
PAIR = "for payments the gateway timeout went to forty seconds"
PHRASE = "every release is tagged before the changelog is closed"
ORDER = "rotate the signing keys in the first week of a quarter"
REASON = "we left the message queue because its consumers lost acknowledgements"
LOGIN = "認証は社内の仕組みを使わず、ログインの期限は30分"
SETTING = "認証設定は環境ごとに分ける。秘密は金庫から読む"
RETRIES = "外部への呼び出しは再試行の上限を三回とする"
MIXED = "端末側の認証情報は sqlite の小さな表に置く"
NOISE = [
    "the update of the docs is a matter of an hour",
    "a timeout in tests is a smell",
    "keys of the office hang in the hall",
    "設定画面の色を決めた",
    "上限のない一覧は頁に分ける",
    "sqlite の版を上げた",
    "messages to customers are short",
]


@pytest.fixture
async def filled(store):
    for number, text in enumerate([*NOISE, UPDATE, RARE, PAIR, PHRASE, ORDER]):
        await remember(store, text, at=f"2026-05-{number + 1:02}T03:00:00")
    sections = [REASON, LOGIN, SETTING, RETRIES, MIXED]
    await note(
        store, "/notes/a.md", {f"2026-06-{n:02}": text for n, text in enumerate(sections, 1)}
    )
    return store


@pytest.mark.parametrize(
    ("query", "first", "why"),
    [
        ("update", UPDATE, "a common word"),
        ("xylophone", RARE, "a rare word"),
        ("gateway timeout", PAIR, "two words"),
        ('"tagged before the changelog"', PHRASE, "a phrase"),
        ("keys signing rotate", ORDER, "the same words in another order"),
        ("why did we leave the message queue?", REASON, "a question"),
        ("認証", LOGIN, "two characters"),
        ("認証設定", SETTING, "a compound"),
        ("再試行の上限", RETRIES, "a phrase in Japanese"),
        ("認証 sqlite", MIXED, "both scripts"),
    ],
)
async def test_ten_kinds_of_question_find_their_answer(filled, query, first, why):
    found = await texts(filled, query)

    if why in {"a common word", "two characters"}:
        assert first in found[:3], why
    else:
        assert found[0] == first, why


def test_both_kinds_of_hit_have_the_same_fields():
    assert set(Hit._fields) == set(SearchHit.model_fields)


async def test_scripts_may_rely_on_the_first_seven_fields(filled):
    (hit,) = await hits(filled, "xylophone")

    assert list(hit._asdict())[:7] == [
        *("id", "kind", "source", "heading", "date", "score", "snippet")
    ]
    assert hit[:5] == (9, "long-term", "session", "", "2026-05-09")


async def test_a_hit_tells_its_day_on_the_person_s_calendar(store, tokyo):
    await remember(store, "retry", at="2026-06-10T22:30:00")

    tokyo()
    (hit,) = await hits(store, "retry")

    assert hit.date == "2026-06-11"


ANY = st.text() | st.lists(
    st.sampled_from(
        [
            *('"', "-", "*", "(", ")", "^", ":", "'", "\0", "\ud800", " ", "\n", "{", "+", "NEAR("),
            *("AND", "OR", "NOT", "kind:note", "after:2026", "before:2026-06", "project:shop"),
            *("file:a", "tool:x", "-認証", '"認証"', "認証", "update", "あ", "ﾊﾟ", "é"),
        ]
    )
).map("".join)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY, st.fixed_dictionaries({name: st.lists(ANY, max_size=2) for name in Filters._fields}))
async def test_no_question_raises(filled, query, given_filters):
    """Whatever stands in it, and in the options beside it."""
    values = {
        name: tuple(filter(None, (filter_value(name, text) for text in found)))
        for name, found in given_filters.items()
    }
    asked = parse(query)
    asked = asked._replace(filters=asked.filters.and_also(Filters(**values)))

    found = await filled.reader.run(find, Question(asked, 5, TODAY))

    assert all(0 < hit.share <= 1.0001 for hit in found)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY)
async def test_no_text_raises_where_it_is_taken_as_typed(filled, query):
    assert len(await search(filled.reader, query, 5)) <= 5

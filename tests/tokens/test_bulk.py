"""What is done to a whole text at once is what would be done to its characters in turn."""

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from runtime.tokens import bulk, dates
from runtime.tokens.bulk import UNSETTLED, WINDOW_CHARS, normalized, scripts_and_windows
from runtime.tokens.script import fold_kana, normalize, scripts_of

SAMPLES = "aZ9_-.“é ・あガー々認𠮷👍한กㄅ🏽\u0301\u3099\ufe0f\u00ad\ud83d\ude00\ud800"
texts = st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from(SAMPLES)))
DATED = "0123456789-/.  年月日元〇一二十令和平成元JunemarchMay,thofsep_あx́"
dated = st.lists(
    st.one_of(
        st.text(DATED, max_size=8), st.sampled_from(["June 11, 2026", "令和八年", "11 of sep"])
    )
).map("".join)


def test_every_character_of_one_unit_has_its_script() -> None:
    for page in range(0x100):
        text = "".join(map(chr, range(page << 8, (page + 1) << 8)))

        scripts, _windows = scripts_and_windows(text)

        assert scripts.decode() == scripts_of(text), hex(page)


@given(texts)
@example("ガ")
@example("\ud83d\ude00 a")
def test_each_character_gets_its_script_and_its_window(text: str) -> None:
    scripts, windows = scripts_and_windows(text)

    folded = fold_kana(text)
    following = [*folded, ""][1:]
    assert scripts.decode() == scripts_of(text)
    assert len(windows) == WINDOW_CHARS * len(text)
    for at, (char, after) in enumerate(zip(folded, following, strict=True)):
        window = windows[WINDOW_CHARS * at : WINDOW_CHARS * (at + 1)]
        assert window[0] == char
        assert window[1] == after or not after
        assert window[2] == " "


@given(texts)
@example("か\u3099")
@example("葛\U000e0100城")
def test_a_text_is_normalised_alike(text: str) -> None:
    assert normalized(text) == normalize(text)


def test_what_is_left_as_it_is_cannot_change() -> None:
    settled = "".join(char for char in map(chr, range(0x10000)) if not UNSETTLED.search(char))

    assert {"a", "あ", "ア", "認"} <= set(settled)
    assert all(normalize(char) == char for char in settled)
    # Nothing in it combines with what stands before it.
    assert not any(map(unicodedata.combining, settled))
    assert unicodedata.normalize("NFKC", settled[::-1]) == settled[::-1]


@given(dated)
@example("令和 八年")
@example("jUne\u0332 11")
def test_a_text_has_the_same_dates(text: str) -> None:
    text = normalize(text)

    assert bulk.date_tokens(text) == dates.date_tokens(text)

"""Secrets that only their name gives away: ``password = …``, ``Authorization: …``."""

import re
from typing import Final

from runtime.patterns import pattern
from runtime.secret_tokens import mark
from runtime.secret_values import JUDGED_CHARS, Form, is_secret

JAPANESE: Final = (
    *("パスワード", "パスフレーズ", "パスコード", "シークレット", "トークン", "キー", "鍵"),
    *("認証情報", "資格情報", "クレデンシャル", "暗証番号", "暗証コード", "pin番号", "pinコード"),
)
HINTS: Final = ("pass", "pw", "secret", "token", "key", "auth", "bearer", "identified", *JAPANESE)
"""Where a name may begin, in lower case; everything else is matched from there on."""

NAME: Final = pattern(
    r"(?P<word>password|passwd|passphrase|pass|pwd|pw|secret|token|authorization|auth|key"
    rf"|identified by|{'|'.join(JAPANESE)})"
    r"(?:_?[0-9]{1,2}|_base)?"
    r"(?P<close>\\*[\"'`」』]?\]?)(?:\*\*)?[ \t\u3000]*"
    # A type may stand between: name: str = "x".
    r"(?:(?P<strong>\??:[ \t]?[A-Za-z_][\w\[\]., |?]{0,60}?=[ \t]*(?=[fbru]{0,2}[\"'`])"
    r"|=>|:=|\?=|=(?![=>~])|(?::(?![:=])|：)(?:\*\*(?=[ \t\u3000]))?|＝|(?<=[a-z])>)"
    r"|(?P<weak>[!=]==?|,|(?=\\*[\"']))"
    r"|(?P<topic>は[ \t\u3000]*(?=[「『\"'`])|(?=[「『])))[ \t\u3000]*",
    re.IGNORECASE,
)
"""A name, the quote that closes it, and what joins it to the value; Markdown may have it bold."""

FLAG: Final = pattern(
    r"(?P<word>password|passwd|passphrase|pass|pwd|secret|token|key)[ \t]+(?![-|])", re.IGNORECASE
)
SCHEME: Final = pattern(
    r"(?:authorization\\*[\"'`]?[ \t]*[:=,][ \t]*(?:\\*[\"'`])?)?"
    r"(?:bearer|basic|token|digest|apikey)[ \t]+(?P<value>[A-Za-z0-9._~+/=:-]{8,})",
    re.IGNORECASE,
)
MIN_BEARER_CHARS: Final = 16  # "Bearer authentication" is prose; real tokens are longer.

BRACKETS: Final = {"「": "」", "『": "』"}
OPEN: Final = pattern(r"(?P<prefix>[fbru]{0,2})(?P<quote>\\*[\"'`]|[「『])", re.IGNORECASE)
INSIDE: Final = {
    **{quote: pattern(rf"(?>(?:[^{quote}\\\n]|\\.)*)") for quote in "\"'`"},
    **{opening: pattern(rf"[^{opening}{end}\n]*+") for opening, end in BRACKETS.items()},
}
INSIDE_ESCAPED: Final = {quote: pattern(rf"[^{quote}\\\n]*+") for quote in "\"'`"}
BARE: Final = pattern(r"(?>(?:[!#-&(-;=?-\[\]-_a-~]++|\\++(?![nrt\"']))*)")
"""Printable ASCII but quotes and angle brackets, up to a written-out line break."""

NEXT_PAIR: Final = pattern(r"[;&,][A-Za-z][\w -]{0,40}=")
BARE_END: Final = ".,;:)]}\\"

BEFORE_CHARS: Final = 64  # No more of a name is looked at before its secret word.
KEY_OF: Final = pattern(
    r"(?:api|access|private|secret|auth|encryption|signing|account|master|service|shared"
    r"|アクセス|プライベート|シークレット|マスター?|秘密|認証|暗号化?|署名|共有|共通)"
    r"[_\- \u3000]?の?\Z",
    re.IGNORECASE,
)
KEY_OF_CHARS: Final = 12
KEY_WORDS: Final = frozenset({"key", "キー", "鍵"})
JOINED: Final = ("auth", "access", "refresh", "bearer", "session", "csrf", "bot", "api", "id")
PASSWORDS: Final = ("パスワード", "パスフレーズ", "パスコード")
TOKEN_WORDS: Final = frozenset({"token", "auth", "authorization", "pw", *JAPANESE} - {*PASSWORDS})
"""Names that stand before a harmless word, too: in lexers and style sheets, in Japanese prose."""

ESCAPES: Final = ("\\n", "\\r", "\\t")

PIN_WORDS: Final = ("暗証番号", "暗証コード", "pin番号", "pinコード")
PIN: Final = pattern(
    r"[「『\"'`]?(?P<value>(?!([0-9])\2*+(?![0-9]))[0-9]{4,12}+)"
    r"(?![A-Za-z]|[.,:/~〜～-]?[0-9]|[ \u3000]?[桁文字回個件年月日時分秒人名円以番から~〜～%％])"
)
"""Four to twelve digits that are neither one digit over and over nor a number of something."""

WIDE: Final = pattern("[－-ｚ]+")
NARROW: Final = {ord(char) + 0xFEE0: char for char in map(chr, range(128)) if char.isalnum()} | {
    ord("＿"): "_",
    ord("－"): "-",
}


def replace_assigned(text: str) -> str:
    """Replace the value behind every secret name; the name stays. Linear time."""
    kept: list[str] = []
    position = 0
    narrow = _narrow(text)
    for start in _hints(narrow):
        if start < position:
            continue
        found = _scheme(narrow, start) or _assigned(narrow, start) or _flag(narrow, start)
        if found is None:
            continue
        kind, begin, end = found
        kept += (text[position:begin], mark(kind))
        position = end
    return "".join([*kept, text[position:]]) if kept else text


def is_secret_name(name: str) -> bool:
    """Tell whether the last words of a JSON key name a secret: ``dbPassword``, ``api-key``."""
    name = _narrow(name)
    for start in _hints(name):
        found = NAME().match(name + "=", start)
        if found and found.end() == len(name) + 1 and _names_secret(found.string, found):
            return True
    return False


def is_secret_under(name: str, value: str) -> bool:
    """Tell whether a JSON string is the secret that its key names."""
    word = _narrow(name).lower()
    if word.endswith(PIN_WORDS) and PIN().fullmatch(_narrow(value)):
        return True
    named_token = word.endswith(tuple(TOKEN_WORDS))
    return is_secret_name(name) and is_secret(_narrow(value), Form.QUOTED, named_token=named_token)


def _narrow(text: str) -> str:
    """Write full-width letters and digits as ASCII; every character keeps its place."""
    if text.isascii():
        return text
    return WIDE().sub(lambda run: run[0].translate(NARROW), text)


def _hints(text: str) -> list[int]:
    """Give every place where a name may begin, in order."""
    # The only character whose lower case is longer than itself would shift the places.
    lowered = text.replace("İ", "I").lower()
    found: list[int] = []
    for hint in HINTS:
        start = lowered.find(hint)
        while start >= 0:
            end = start + len(hint)
            if hint not in JAPANESE or _may_end_name(lowered[end : end + 1]):
                found.append(start)
            start = lowered.find(hint, end)
    return sorted(found)


def _may_end_name(following: str) -> bool:
    """Tell キー： from キーボード and キーを; prose would be most of what is matched."""
    return following == "は" or not following.isalpha()


def _scheme(text: str, start: int) -> tuple[str, int, int] | None:
    """Find the credentials of an ``Authorization`` header, or of ``Bearer`` alone."""
    scheme = SCHEME().match(text, start)
    if scheme is None:
        return None
    value = scheme["value"]
    in_header = text[start] in "aA"
    if not in_header and (text[start] not in "bB" or len(value) < MIN_BEARER_CHARS):
        return None
    if not any(map(str.isdigit, value)) and value[1:] == value[1:].lower():
        return None
    return "bearer", scheme.start("value"), scheme.end("value")


def _assigned(text: str, start: int) -> tuple[str, int, int] | None:
    name = NAME().match(text, start)
    if name is None or not _names_secret(text, name):
        return None
    word = name["word"].lower()
    if word in PIN_WORDS and (pin := PIN().match(text, name.end())):
        return "assigned-secret", pin.start("value"), pin.end("value")
    opened = OPEN().match(text, name.end())
    if opened:
        return _quoted(text, name, opened)
    if name["strong"] is None or word == "auth":
        return None
    begin = _name_start(text, start)
    # "pass: 12" counts tests, "x > y" compares.
    if (word == "pass" and begin == start) or (
        name["strong"] == ">" and text[begin - 1 : begin] != "<"
    ):
        return None
    return _unquoted(text, name.end(), _bare_form(text, begin, name), word)


def _flag(text: str, start: int) -> tuple[str, int, int] | None:
    """Find the value of a command-line option: ``--password x``."""
    name = FLAG().match(text, start)
    if name is None or not _is_option(text, _name_start(text, start)):
        return None
    if not _names_secret(text, name):
        return None
    return _unquoted(text, name.end(), Form.FLAG, name["word"].lower())


def _quoted(text: str, name: re.Match[str], opened: re.Match[str]) -> tuple[str, int, int] | None:
    quote = opened["quote"]
    inside = (INSIDE if len(quote) == 1 else INSIDE_ESCAPED)[quote[-1]]()
    begin = opened.end()
    head = inside.match(text, begin, begin + JUDGED_CHARS)
    value = head[0] if head else ""
    if "f" in opened["prefix"].lower() and "{" in value:
        return None
    word = name["word"].lower()
    option = _is_option(text, _name_start(text, name.start()))
    form = Form.QUOTED if name["strong"] or option else Form.WEAK
    if name["topic"] is not None or quote in BRACKETS:
        form = Form.BARE  # Such brackets hold what a screen says far more often.
    if form is Form.WEAK and word in TOKEN_WORDS:
        return None
    if not is_secret(value, form, named_token=word in TOKEN_WORDS):
        return None
    whole = inside.match(text, begin)
    return ("assigned-secret", begin, whole.end()) if whole else None


def _unquoted(text: str, begin: int, form: Form, word: str) -> tuple[str, int, int] | None:
    head = BARE().match(text, begin, begin + JUDGED_CHARS)
    value = head[0] if head else ""
    if following := NEXT_PAIR().search(value):
        value = value[: following.start()]
    if not is_secret(value.rstrip(BARE_END), form, named_token=word in TOKEN_WORDS):
        return None
    if len(value) == JUDGED_CHARS and (rest := BARE().match(text, begin)):
        value = rest[0]
    return "assigned-secret", begin, begin + len(value.rstrip(BARE_END))


def _bare_form(text: str, begin: int, name: re.Match[str]) -> Form:
    if name["strong"] != "=" or name[0][-1] != "=" or name["close"]:
        return Form.BARE
    if _is_option(text, begin):
        return Form.SHELL
    written = text[begin : name.end() - 1]
    is_variable = written.isascii() and written.isupper() and written.isidentifier()
    return Form.SHELL if is_variable else Form.BARE


def _names_secret(text: str, name: re.Match[str]) -> bool:
    """Tell whether the word is a name's own part: ``apiToken`` is one, ``tokenizer`` not."""
    start = name.start()
    if _is_in_mark(text, start):
        return False
    word = name["word"].lower()
    if word in KEY_WORDS:
        return bool(KEY_OF().search(text[max(0, start - KEY_OF_CHARS) : start]))
    if word not in {"token", "pwd", "pw", "auth", "pass"}:
        return True
    before = text[_name_start(text, start) : start]
    if not before or not before[-1].isalnum() or _is_japanese(before[-1]):
        return True
    return (text[start].isupper() and not before[-1].isupper()) or before.lower().endswith(JOINED)


def _name_start(text: str, start: int) -> int:
    begin = start
    stop = max(0, start - BEFORE_CHARS)
    while begin > stop and (text[begin - 1].isalnum() or text[begin - 1] in "_-."):
        begin -= 1
    # The letter of a written-out escape is not the name's first letter.
    return begin + 1 if text[max(0, begin - 1) : begin + 1] in ESCAPES else begin


def _is_japanese(char: str) -> bool:
    """Tell a letter that no Latin word goes on from: kana, kanji and what lies about them."""
    return "\u3000" <= char <= "\u9fff"


def _is_option(text: str, begin: int) -> bool:
    return text[begin : begin + 2] == "--"


def _is_in_mark(text: str, start: int) -> bool:
    opened = text.rfind("[redacted:", max(0, start - BEFORE_CHARS), start)
    return opened >= 0 and "]" not in text[opened:start]

"""Secrets that show what they are: a vendor's prefix, a key block, a password in a URL."""

import re
from typing import Final, NamedTuple

from runtime.patterns import pattern
from runtime.private_tags import line_breaks

START: Final = (
    r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})"
    r"|(?<=\[[mK])|(?<=[\[;][0-9]m)|(?<=[\[;][0-9]{2}m))"
)
"""A token begins here: no word before it, or an escape of JSON, URL or terminal colour."""

JWT_START: Final = START.replace("A-Za-z0-9_]", "A-Za-z0-9_-]")
"""The same, and no hyphen: a run of token characters then has one beginning only."""

PEM_BEGIN: Final = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
PEM_END: Final = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
PEM_CLOSED: Final = rf"[^-]*+(?>(?:-(?!----(?:BEGIN|END) )[^-]*+)*){PEM_END}"
PEM_LINE: Final = (
    r"(?:(?>(?:\s|\\+[nr])+)(?:[0-9]{1,6}[→\t:|] ?)?[\"'+>| ]{0,4}"
    r"(?:[A-Za-z0-9+/=]{16,}+|[A-Za-z0-9+/=]{4,}+(?=\s|\\|[\"',]|\Z)))"
)
"""A line of base64 after a real or a written-out line break, with or without a line number."""


PEM: Final = rf"{PEM_BEGIN}(?:{PEM_CLOSED}|(?>{PEM_LINE}+)(?:\s*+{PEM_END})?)"

CANDIDATE: Final = re.compile(r"[A-Za-z0-9_.:/+=-][A-Za-z0-9_.:/+=-]{14,}+")
"""A run as long as the shortest token; the table is looked up in such runs only."""


class Rule(NamedTuple):
    """
    One kind of token: `pattern` is tried only if one of `anchors` occurs in the text.

    It is compiled at first use: compiling the whole table would be most of a hook's start.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: str


def _rule(kind: str, anchors: str, pattern: str, start: str = START) -> Rule:
    return Rule(kind, tuple(anchors.split()), start + pattern)


RULES: Final = (
    # First, because its end frees the beginning of a token right behind it.
    _rule("aws-key", "AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _rule("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    _rule(
        "openai-key",
        "sk-",
        r"sk-(?:(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{32,})",
    ),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,}"),
    _rule("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    _rule(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_.-]{16,}",
    ),
    _rule("slack-token", "xox", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),
    _rule("slack-token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    _rule(
        "slack-webhook",
        "hooks.slack.com",
        r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9]{6,}/[A-Za-z0-9]{6,}/[A-Za-z0-9]{8,}",
        start="",
    ),
    _rule("google-key", "AIza", r"AIza[A-Za-z0-9_-]{30,}"),
    _rule("google-key", "GOCSPX- ya29.", r"(?:GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,}"),
    _rule("stripe-key", "k_live_ k_test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _rule("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    _rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    _rule("pypi-token", "pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{30,}"),
    _rule("huggingface", "hf_", r"hf_[A-Za-z0-9]{30,}"),
    _rule("sendgrid", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{32,}"),
    _rule("twilio", "SK AC", r"(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9_])"),
    _rule("digitalocean", "_v1_", r"do[oprt]_v1_[0-9a-f]{64}"),
    _rule("shopify", "shp", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}"),
    _rule("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,}"),
    _rule("vault-token", "hvs. hvb.", r"hv[sb]\.[A-Za-z0-9_-]{24,}"),
    _rule("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}"),
    _rule("age-key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    _rule("telegram", ":AA", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}"),
    _rule(
        "jwt",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{10,}+\.(?:eyJ[A-Za-z0-9_-]{4,}+|[A-Za-z0-9_-]{16,}+)"
        r"(?:\.[A-Za-z0-9_-]++){0,3}",
        start=JWT_START,
    ),
)

URL_PASSWORD: Final = pattern(
    r"(:(?:\\?/){2}[^\s/:@\"'<>`]*+:)"
    # A port with more text behind it, a template or an earlier mark is no password.
    r"(?![0-9]{1,5}[?#),;\]]|[$<{*]|%[(s]|\[redacted:)"
    r"[!#-&(-.0-;=?-\[\]-_a-~]+(?=@[^\s@])"
)
"""The password runs to the last ``@`` of the authority; a slash ends the authority."""

USER_OPTION: Final = pattern(
    r"(?<!\S)((?:-u|--user)[ =]?(?:\\*[\"'])?[A-Za-z0-9._@-]{1,64}:)"
    r"(?![0-9]{1,10}(?:\s|\Z)|[$<{*\[/.~])[!#-&(-;=?-\[\]-_a-~]{8,}"
)
"""``curl -u user:password``; user and group ids of other tools are numbers or short."""


def mark(kind: str) -> str:
    """Name what was taken out."""
    return f"[redacted:{kind}]"


def replace_key_blocks(text: str) -> str:
    """
    Replace key blocks alone, and leave their line ends: every other line keeps its number.

    What is left around a block may be a block again, as where one key was pasted
    into another; each round has one beginning less.
    """
    found = 1 if "-----BEGIN" in text else 0
    while found:
        text, found = re.subn(PEM, _key_mark, text)
    return text


def _key_mark(key: re.Match[str]) -> str:
    return mark("private-key") + line_breaks(key[0])


def replace_tokens(text: str) -> str:
    """Replace key blocks, every token of the table, and passwords in URLs by their marks."""
    if "-----BEGIN" in text:
        text = re.sub(PEM, mark("private-key"), text)
    candidates = "\n".join(CANDIDATE.findall(text))
    for rule in RULES if candidates else ():
        if any(anchor in candidates for anchor in rule.anchors):
            text = re.sub(rule.pattern, mark(rule.kind), text)
    if "@" in text:
        text = URL_PASSWORD().sub(rf"\g<1>{mark('url-password')}", text)
    if "-u" in text:
        text = USER_OPTION().sub(rf"\g<1>{mark('url-password')}", text)
    return text

"""Tells a secret from code, prose and placeholders that stand in the same place."""

import re
from enum import Enum
from typing import Final

from runtime.patterns import pattern

MIN_CHARS: Final = 8  # Shorter values are words, numbers and settings far more often.
JUDGED_CHARS: Final = 128  # No more of a value is looked at, so that time stays linear.


class Form(Enum):
    """How a value stands behind its name."""

    QUOTED = "quoted"  # password = "x", "password": "x"
    WEAK = "weak"  # quoted, but joined by a comparison, a comma or a space
    SHELL = "shell"  # DB_PASSWORD=x
    FLAG = "flag"  # --password x
    BARE = "bare"  # password: x


NOT_SECRET: Final = pattern(
    r"\[redacted:|\$[({]|\$[A-Za-z_]\w*(?:[/.:].*)?\Z|\{|%\(|%[sA-Z]|<|\[|\(|#\{|@\{|&[A-Za-z]+\s|!(?:Ref|Sub|vault)"
    r"|(?:id|src|type|env|name)="  # mount options
    r"|[a-z][a-z0-9+.-]{1,20}:/"  # a URL; its own password has a rule of its own
    r"|(?:~|\.{1,2})?/[\w.@-]+(?:/|\.[a-z]{2,4}\b|\Z)|[A-Za-z]:\\"  # a path
    r"|[^\s@]++@[\w-]+(?:\.[\w-]+)+\Z"  # a mail address
    r"|(?i:your[-_a-z ]*|change[-_]?me|place[-_]?holder)\Z",
)
"""Templates, references, places, addresses and placeholders, from the first character."""

NON_VALUE: Final = pattern(r"[^\x21-\x7e]|\$\{|\{\{|#\{|<[a-z_-]+>")
"""A space, a sign outside ASCII, or a template."""

ALL_MASK: Final = pattern(r"[*•●x.X#_?-]+|(.)\1*")
WORDS: Final = frozenset(
    {
        "anonymous",
        "authentication",
        "authorization",
        "confirmation",
        "credential",
        "credentials",
        "current-password",
        "disabled",
        "enabled",
        "encrypted",
        "forgotten",
        "generated",
        "identifier",
        "incorrect",
        "mismatch",
        "new-password",
        "optional",
        "passcode",
        "passphrase",
        "password",
        "passwords",
        "protected",
        "redacted",
        "required",
        "undefined",
        "unchanged",
    }
)

CALL: Final = pattern(r"[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*[!?]?[(\[]")
"""A call or a subscript."""

CODE: Final = pattern(
    r"[A-Za-z_$][\w$]{0,23}(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]{0,23})+[!;,)]*\Z"  # a.b
    r"|[A-Za-z_]*(?i:token|password|passwd|secret|key|value|input|param)[A-Za-z_]*[0-9]{0,3}\Z"
    r"|[\w.]+<"  # a generic type
)
"""A chain of names, a name like the secret's own, or a type: an expression, not a literal."""

KIND_OF_KEY: Final = pattern(
    r"(?i:(?>(?:id|aes|argon|bcrypt|cbc|chacha|curve|dsa|ecdsa|ed|gcm|hmac|md|pbkdf|poly|rsa|secp|sha"
    r"|sk|ssh|with|xts|k1|r1|[0-9]++)[-_]?)+)\Z"
)
"""What an algorithm or its key's file is called: HMAC-SHA256, secp256k1, id_ed25519."""

DIGIT: Final = pattern("[0-9]")
LETTER: Final = pattern("[A-Za-z]")
NAME_PARTS: Final = pattern(r"(?:[A-Za-z][a-z]*|[A-Z]+|[0-9]{1,4})(?:[-_./:+ ]|\Z)")


def is_secret(value: str, form: Form, *, named_token: bool = False) -> bool:
    """
    Tell whether a value in such a place is a secret.

    At least 8 characters, ASCII, and none of template, path, URL, mail address,
    mask or known word. Then, by form: quoted values need no digit unless the name
    is one that lexers and style sheets use too (`named_token`); they hold no
    space. Shell values count as they are. Unquoted values hold a digit and a
    letter, or a sign that prose does not have, and are no expression,
    hyphenated name or kind of key.
    """
    value = value[:JUDGED_CHARS]
    if len(value) < MIN_CHARS or _is_prose_or_reference(value):
        return False
    if form is Form.SHELL:
        return not CALL().match(value)
    if form is Form.FLAG and value != value.lower() and not named_token:
        return True
    return (form is Form.QUOTED and not named_token) or _is_strong(value, form)


def _is_prose_or_reference(value: str) -> bool:
    return bool(
        NON_VALUE().search(value)
        or NOT_SECRET().match(value)
        or ALL_MASK().fullmatch(value)
        or value.rstrip("!.?,:;").lower() in WORDS
    )


def _is_strong(value: str, form: Form) -> bool:
    if _is_name(value) or KIND_OF_KEY().match(value):
        return False
    if form is not Form.QUOTED and (CALL().match(value) or CODE().match(value)):
        return False
    return _has_digit_and_letter(value) or (
        form is Form.BARE and bool(re.search(r"\w(?:[@#$]|!(?=\w))[\w!]", value))
    )


def _has_digit_and_letter(value: str) -> bool:
    return DIGIT().search(value) is not None and LETTER().search(value) is not None


def _is_name(value: str) -> bool:
    """Tell words and short numbers joined by hyphens or dots from a random string."""
    position = 0
    while part := NAME_PARTS().match(value, position):
        position = part.end()
        if position == len(value):
            return True
    return False

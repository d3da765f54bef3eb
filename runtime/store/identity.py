"""What makes two texts the same memory, on this machine and on any other."""

import unicodedata
from hashlib import sha256


def content_key(content: str) -> str:
    """
    Return the key of a memory that is known by its text alone: "content:" and a SHA-256 in hex.

    Of the text as it is kept, so cleaned and redacted already. Composed and
    decomposed forms are one text, and so are forms that differ in the blanks
    around it.
    """
    text = unicodedata.normalize("NFC", content).strip()
    return f"content:{sha256(text.encode()).hexdigest()}"

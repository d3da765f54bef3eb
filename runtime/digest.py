"""
SHA-256, without all that `hashlib` loads for the sake of other hashes.

A hook takes one digest or two; loading `hashlib`, and with it OpenSSL, takes it
longer than anything it does with them. Standard library only: the hook process
imports this.
"""

import sys

try:
    if sys.version_info >= (3, 12):
        from _sha2 import sha256  # type: ignore[import-not-found]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found]
except ImportError:  # a Python that has it under another name
    from hashlib import sha256


__all__ = ["sha256", "sha256_hex"]


def sha256_hex(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, 64 hex digits; lone surrogates are bytes."""
    digest: str = sha256(text.encode(errors="surrogateescape")).hexdigest()
    return digest

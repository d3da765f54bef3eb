"""Tell when a whole JSON object has arrived, without parsing it. Standard library only."""


def is_whole(data: bytes | bytearray) -> bool:
    """
    Tell whether the bytes hold at least one whole object and end outside of it.

    Works on bytes at C speed: with escapes and strings out of the way, the
    braces must balance. Whether it is valid JSON is for the decoder to say.
    """
    end = data.rstrip(b" \t\r\n")
    if not end.endswith(b"}"):
        return False
    plain = bytes(end).replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(plain.split(b'"')[::2])
    # An odd number of quotes: the last brace stands inside a string.
    if plain.count(b'"') % 2:
        return False
    return outside.count(b"{") == outside.count(b"}") and outside.count(b"[") == outside.count(b"]")

"""Models of the forms that people have in folders, small enough to be made by a test."""

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

WORDS: Final = ("[UNK]", "login", "ログイン", "cache", "query", "document")
TABLE: Final = ((9.0, 9.0), (1.0, 0.0), (0.8, 0.2), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0))
"""A vector for each word; that of the unknown one must never be seen."""


def static_model(folder: Path, **tensors: tuple[str, Sequence[int], bytes]) -> Path:
    """Write a folder as model2vec does; *tensors* instead of the table, by name."""
    table = struct.pack("<12f", *(number for row in TABLE for number in row))
    given = tensors or {"embeddings": ("F32", (len(TABLE), 2), table)}
    _tokenizer(folder)
    header, data = {}, b""
    for name, (kind, shape, raw) in given.items():
        at = len(data)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(raw)]}
        data += raw
    head = json.dumps({"__metadata__": {"format": "np"}, **header}).encode()
    (folder / "model.safetensors").write_bytes(len(head).to_bytes(8, "little") + head + data)
    return folder


def onnx_model(folder: Path, *, prompts: Mapping[str, str] | None = None) -> Path:
    """Write a transformer of no layers: each token's vector, looked up in a table."""
    _tokenizer(folder)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(_lookup())
    if prompts is not None:
        text = json.dumps({"prompts": prompts})
        (folder / "config_sentence_transformers.json").write_text(text, encoding="utf-8")
    return folder


def _tokenizer(folder: Path) -> None:
    folder.mkdir(parents=True)
    model = {
        "type": "WordLevel",
        "vocab": {word: number for number, word in enumerate(WORDS)},
        "unk_token": "[UNK]",
    }
    parts: dict[str, Any] = dict.fromkeys(
        ("truncation", "padding", "normalizer", "post_processor", "decoder")
    )
    text = json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            **parts,
            "model": model,
            "pre_tokenizer": {"type": "WhitespaceSplit"},
        }
    )
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")


def _lookup() -> bytes:
    """Return a model in ONNX's protocol buffers: Gather(table, input_ids) -> last_hidden_state."""
    table = [number for row in TABLE for number in row]
    initializer = (
        _varint(1, len(TABLE))
        + _varint(1, 2)
        + _varint(2, 1)
        + _bytes(8, b"table")
        + _bytes(9, struct.pack("<12f", *table))
    )
    node = b"".join(
        _bytes(field, text)
        for field, text in (
            (1, b"table"),
            (1, b"input_ids"),
            (2, b"last_hidden_state"),
            (4, b"Gather"),
        )
    )
    graph = (
        _bytes(1, node)
        + _bytes(2, b"lookup")
        + _bytes(5, initializer)
        + _bytes(11, _value(b"input_ids", 7, b"texts", b"tokens"))
        + _bytes(11, _value(b"attention_mask", 7, b"texts", b"tokens"))
        + _bytes(12, _value(b"last_hidden_state", 1, b"texts", b"tokens", b"dimensions"))
    )
    return _varint(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _varint(2, 13))


def _value(name: bytes, kind: int, *axes: bytes) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, axis)) for axis in axes)
    return _bytes(1, name) + _bytes(2, _bytes(1, _varint(1, kind) + _bytes(2, shape)))


def _varint(field: int, number: int) -> bytes:
    return bytes([field << 3]) + _number(number)


def _bytes(field: int, data: bytes) -> bytes:
    return bytes([field << 3 | 2]) + _number(len(data)) + data


def _number(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])

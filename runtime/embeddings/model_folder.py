"""A model that the person has put into a folder: its tokenizer, its name, its prompts."""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from runtime.errors import EncoderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS: Final = {
    "model2vec": ("model.safetensors",),
    "onnx": (
        "model.onnx",
        "onnx/model.onnx",
        "model_quantized.onnx",
        "onnx/model_quantized.onnx",
    ),
}
"""By encoder: where a folder may hold the weights."""
TOKENIZER: Final = "tokenizer.json"
CONFIG: Final = "config.json"
PROMPTS: Final = "config_sentence_transformers.json"
MOST_TOKENS: Final = 512
"""Of a text; what comes after is left out, as most of these models were trained."""
EDGE_BYTES: Final = 65_536
"""Of the weights, read from both ends to tell one model from another."""
KNOWN_PROMPTS: Final = {
    "ruri-v3": ("検索クエリ: ", "検索文書: "),
    "e5": ("query: ", "passage: "),
}
"""By a part of the folder's name: what stands before queries and before documents."""


class Prompts(NamedTuple):
    """What a model wants before each text."""

    query: str = ""
    document: str = ""


class ModelFolder:
    """A folder with a tokenizer and a file of weights."""

    def __init__(self, path: str, weights: tuple[str, ...]) -> None:
        """Find the first of *weights* that is there. Raises EncoderError."""
        folder = Path(os.path.realpath(path))
        found = next((folder / name for name in weights if (folder / name).is_file()), None)
        if not path or found is None or not (folder / TOKENIZER).is_file():
            wanted = f"{TOKENIZER} and {' or '.join(weights)}"
            reason = (
                f"{folder} does not hold {wanted}" if path else "semantic.model names no folder"
            )
            raise EncoderError(folder.name if path else "of a folder", reason)
        self.name = folder.name
        self.weights = found
        self.folder = folder

    def config(self, name: str = CONFIG) -> dict[str, Any]:
        """Return what a JSON file of it says, {} where there is none. Raises EncoderError."""
        try:
            with open(self.folder / name, encoding="utf-8") as file:
                found = json.load(file)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise EncoderError(
                self.name, f"{self.folder / name} cannot be read: {error}"
            ) from error
        return found if isinstance(found, dict) else {}

    def prompts(self) -> Prompts:
        """Return the model's own prompts, or those of its family."""
        own = self.config(PROMPTS).get("prompts")
        if isinstance(own, dict) and own.get("query"):
            return Prompts(str(own["query"]), str(own.get("document") or own.get("passage") or ""))
        known = (both for part, both in KNOWN_PROMPTS.items() if part in self.name.lower())
        return Prompts(*next(known, ("", "")))

    def version(self) -> str:
        """
        Return what changes with the model: a digest of its tokenizer and its weights.

        Of the weights their size and both ends, since they may be a gigabyte. Blocking.
        """
        digest = sha256((self.folder / TOKENIZER).read_bytes())
        with open(self.weights, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            digest.update(b"%d" % size + file.read(EDGE_BYTES))
            file.seek(max(0, size - EDGE_BYTES))
            digest.update(file.read(EDGE_BYTES))
        return digest.hexdigest()[:12]

    def tokenizer(self) -> "Tokenizer":
        """Return the tokenizer, which cuts off what is too long. Raises EncoderError."""
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise EncoderError(self.name, "the package tokenizers is not installed") from error
        try:
            tokenizer = Tokenizer.from_file(str(self.folder / TOKENIZER))
        except Exception as error:  # the package raises plain ones
            reason = f"{self.folder / TOKENIZER} cannot be read: {error}"
            raise EncoderError(self.name, reason) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(MOST_TOKENS)
        return tokenizer

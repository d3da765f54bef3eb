"""
Static models as model2vec writes them (potion and others): one vector for each token.

A text's vector is the mean of its tokens'. The weights are a safetensors file: a
length, a JSON header, and arrays as they lie in memory.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from runtime.embeddings.encoder import Identity, Vector
from runtime.embeddings.model_folder import WEIGHTS, ModelFolder
from runtime.errors import EncoderError

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

TENSORS: Final = ("embeddings", "embedding.weight")
"""The table of vectors, under the name that model2vec or sentence-transformers gives it."""
TYPES: Final = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "i1", "I32": "<i4", "I64": "<i8"}
"""Of safetensors, and numpy's words for them."""
LENGTH_BYTES: Final = 8
MAX_HEADER_BYTES: Final = 100_000_000


class StaticModel:
    """Thousands of documents in a second, and no context: "bank" is one vector everywhere."""

    def __init__(self, path: str) -> None:
        """Load the model of a folder. Raises EncoderError."""
        self._folder = ModelFolder(path, WEIGHTS["model2vec"])
        arrays = self._arrays()
        table = next((arrays[name] for name in TENSORS if name in arrays), None)
        if table is None or table.ndim != 2:  # noqa: PLR2004 - tokens by dimensions
            raise EncoderError(self._folder.name, f"its weights hold no table {TENSORS[0]}")
        self._table: Array | None = table
        self._weights, self._mapping = arrays.get("weights"), arrays.get("mapping")
        self._tokenizer = self._folder.tokenizer()
        self._prompts = self._folder.prompts()
        self._unknown = self._unknown_token()
        self.identity = Identity(self._folder.name, self._folder.version(), int(table.shape[1]))

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each of some texts that may be found."""
        return [self._mean(self._prompts.document + text) for text in texts]

    def query(self, text: str) -> Vector:
        """Return the vector of what is looked for."""
        return self._mean(self._prompts.query + text)

    def close(self) -> None:
        """Give its memory back."""
        self._table = None

    def _mean(self, text: str) -> Vector:
        if self._table is None:
            raise EncoderError(self._folder.name, "it is closed")
        plain = text.encode("utf-8", "replace").decode()
        encoding = self._tokenizer.encode(plain, add_special_tokens=False)
        tokens = [token for token in encoding.ids if token != self._unknown]
        if not tokens:
            return [0.0] * self.identity.dimensions
        rows = self._table[tokens if self._mapping is None else self._mapping[tokens]]
        rows = rows.astype("<f4")
        if self._weights is not None:
            rows *= self._weights[tokens, None]
        mean: Vector = rows.mean(axis=0).tolist()
        return mean

    def _unknown_token(self) -> int | None:
        """Return the number of the token that stands for any unknown one; it means nothing."""
        model = self._folder.config("tokenizer.json").get("model") or {}
        if "unk_id" in model:  # Unigram
            return None if model["unk_id"] is None else int(model["unk_id"])
        name = model.get("unk_token")  # WordPiece, WordLevel, BPE
        return self._tokenizer.token_to_id(name) if name else None

    def _arrays(self) -> "Mapping[str, Array]":
        path = self._folder.weights
        try:
            import numpy as np  # noqa: PLC0415 - an extra, and dear
        except ImportError as error:
            raise EncoderError(self._folder.name, "the package numpy is not installed") from error
        try:
            begin, header = _header(path)
            data = np.memmap(path, mode="r", offset=begin) if header else np.zeros(0, "u1")
            return {
                name: np.frombuffer(
                    data[slice(*each["data_offsets"])], TYPES[each["dtype"]]
                ).reshape(each["shape"])
                for name, each in header.items()
            }
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise EncoderError(self._folder.name, f"{path} cannot be read: {error!r}") from error


def _header(path: Path) -> tuple[int, dict[str, Any]]:
    """Return where the arrays of a safetensors file begin, and what is said of each."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(LENGTH_BYTES), "little")
        if length > MAX_HEADER_BYTES:
            msg = f"a header of {length} bytes"
            raise ValueError(msg)
        header: dict[str, Any] = json.loads(file.read(length))
    header.pop("__metadata__", None)
    return LENGTH_BYTES + length, header

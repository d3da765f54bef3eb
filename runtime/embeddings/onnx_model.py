"""Transformer models in the ONNX format, from a folder: ruri, e5 and others."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from runtime.embeddings.encoder import Identity, Vector
from runtime.embeddings.model_folder import WEIGHTS, ModelFolder
from runtime.errors import EncoderError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

TOKEN_OUTPUTS: Final = 3
"""Axes of an output with a vector for each token: texts, tokens, dimensions."""


class OnnxModel:
    """Whatever the model is: its tokens' vectors are averaged, unless it does that itself."""

    def __init__(self, path: str, threads: int | None = None) -> None:
        """Load the model of a folder. Raises EncoderError."""
        self._folder = ModelFolder(path, WEIGHTS["onnx"])
        self._tokenizer = self._folder.tokenizer()
        self._prompts = self._folder.prompts()
        self._session: InferenceSession | None = self._load(threads)
        self._inputs = [each.name for each in self._session.get_inputs()]
        self.identity = Identity(
            self._folder.name, self._folder.version(), len(self._encode("dimensions"))
        )

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each of some texts that may be found."""
        return [self._encode(self._prompts.document + text) for text in texts]

    def query(self, text: str) -> Vector:
        """Return the vector of what is looked for."""
        return self._encode(self._prompts.query + text)

    def close(self) -> None:
        """Give its memory back."""
        self._session = None

    def _encode(self, text: str) -> Vector:
        if self._session is None:
            raise EncoderError(self._folder.name, "it is closed")
        encoding = self._tokenizer.encode(text.encode("utf-8", "replace").decode())
        known = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        try:
            given = {name: _row(known[name]) for name in self._inputs}
            output: Any = self._session.run(None, given)[0]
        except Exception as error:  # the package has errors of its own for each way to fail
            raise EncoderError(self._folder.name, f"it cannot be asked: {error!r}") from error
        mean = output[0].mean(axis=0) if output.ndim == TOKEN_OUTPUTS else output[0]
        vector: Vector = mean.tolist()
        return vector

    def _load(self, threads: int | None) -> "InferenceSession":
        try:
            import onnxruntime  # noqa: PLC0415 - an extra, and dear
        except ImportError as error:
            reason = "the package onnxruntime is not installed"
            raise EncoderError(self._folder.name, reason) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or 0
        try:
            return onnxruntime.InferenceSession(
                str(self._folder.weights), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # as above
            reason = f"{self._folder.weights} cannot be loaded: {error}"
            raise EncoderError(self._folder.name, reason) from error


def _row(numbers: Sequence[int]) -> Any:
    import numpy as np  # noqa: PLC0415 - an extra, and dear

    return np.array([numbers], "<i8")

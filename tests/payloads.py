"""The hook payloads captured from the real client, one file per event and situation."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

FIXTURES: Final = Path(__file__).parent / "fixtures"


class Payloads(Mapping[str, dict[str, Any]]):
    """
    `payloads["PostToolUse-Edit"]`: one decoded payload, in the file names' order.

    Read anew on every access, so that a test may change what it got.
    """

    def __init__(self, folder: Path = FIXTURES / "payloads") -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> dict[str, Any]:
        try:
            payload: dict[str, Any] = json.loads(self.raw(name))
        except FileNotFoundError as exc:
            raise KeyError(name) from exc
        return payload

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(path.stem for path in self._folder.glob("*.json")))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def raw(self, name: str) -> bytes:
        """Give the bytes as the client sent them."""
        return (self._folder / f"{name}.json").read_bytes()

"""
Dumps in an object store, or wherever else fsspec leads: `s3://…`, `gs://…`, `sftp://…`.

An object appears when it is whole, and what is not is told by its last line. Keys
and endpoints are those that the store's own tools use: environment and profiles.
"""

import os
import tempfile
from importlib import import_module
from typing import Any, BinaryIO, Final

from runtime.longterm.dump_files import is_dump
from runtime.longterm.dump_folder import BLOCK_BYTES, Entry
from runtime.longterm.sync_errors import DumpFolderError, ObjectStoreError
from runtime.redact import redact

EXTRA: Final = "install it with `pip install './oboegaki[object-store]'`"
VERSIONS: Final = ("ETag", "etag", "md5Hash", "LastModified", "updated", "mtime", "created")
"""What stores say of an object that changes with it, the best first."""


def open_object_folder(address: str) -> "ObjectFolder":
    """Return the folder of an address. Raises ObjectStoreError."""
    shown = redact(address)
    try:
        fsspec = import_module("fsspec")
    except ImportError as error:
        raise ObjectStoreError(shown, "fsspec is not installed", EXTRA) from error
    try:
        system, path = fsspec.core.url_to_fs(address, use_listings_cache=False)
    except ImportError as error:  # the protocol's own package
        hint = f"{EXTRA}, or the package that it names"
        raise ObjectStoreError(shown, str(error), hint) from error
    except Exception as error:
        hint = "an address is like s3://bucket/folder"
        raise ObjectStoreError(shown, str(error) or type(error).__name__, hint) from error
    return ObjectFolder(shown, system, path)


class ObjectFolder:
    """A folder of a file system that fsspec knows."""

    def __init__(self, place: str, system: Any, path: str) -> None:
        self.place = place
        self._system = system
        self._path = path.rstrip("/")

    def entries(self) -> list[Entry]:
        """Return the dumps by name; none for a folder that is not there, which objects need not."""
        try:
            self._system.invalidate_cache()
            found = self._system.ls(self._path, detail=True)
        except FileNotFoundError:
            return []
        except Exception as error:
            raise DumpFolderError(self.place, f"it cannot be listed ({_said(error)})") from error
        entries = [_entry(item) for item in found if item.get("type") == "file"]
        return sorted(entry for entry in entries if is_dump(entry.name))

    def copy(self, name: str, target: BinaryIO) -> None:
        """Write a dump's bytes to an open file."""
        with _as_os_error(), self._system.open(self._of(name), "rb") as source:
            while block := source.read(BLOCK_BYTES):
                target.write(block)

    def tail(self, name: str, size: int, limit_bytes: int) -> bytes:
        """Return the last bytes of a dump."""
        with _as_os_error():
            data: bytes = self._system.cat_file(
                self._of(name), start=max(0, size - limit_bytes), end=size
            )
            return data

    def write(self, name: str, source: BinaryIO) -> Entry:
        """Put a dump there, from a file that lies here whole, so that no half of it appears."""
        with tempfile.NamedTemporaryFile() as whole:
            while block := source.read(BLOCK_BYTES):
                whole.write(block)
            whole.flush()
            try:
                self._system.put_file(whole.name, self._of(name))
                self._system.invalidate_cache()
                return _entry(self._system.info(self._of(name)))
            except Exception as error:
                reason = f"{name} cannot be written ({_said(error)})"
                raise DumpFolderError(self.place, reason) from error

    def remove(self, name: str) -> None:
        """Take a dump away."""
        try:
            with _as_os_error():
                self._system.rm_file(self._of(name))
        except FileNotFoundError:
            return

    def remove_leftovers(self, host: str, age_s: float) -> None:
        """Do nothing: what is not whole never appears there."""

    def _of(self, name: str) -> str:
        return f"{self._path}/{name}"


class _as_os_error:  # noqa: N801 - read as a statement
    """Turn what a store's library raises into an OSError: the caller goes on with the next file."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise OSError for any other exception."""
        if isinstance(error, Exception) and not isinstance(error, OSError):
            raise OSError(_said(error)) from error


def _said(error: Exception) -> str:
    """Return what an error says, on one line and without secrets."""
    return redact(" ".join(str(error).split())) or type(error).__name__


def _entry(item: dict[str, Any]) -> Entry:
    name = os.path.basename(str(item["name"]).rstrip("/"))
    size = int(item.get("size") or 0)
    version = next((str(item[key]) for key in VERSIONS if item.get(key)), "")
    return Entry(name, size, version, None if size else "empty")

"""The dumps of this machine among all that lie in a folder."""

import hashlib
import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from runtime.longterm.dump_files import host_part
from runtime.longterm.dump_folder import DumpFolder, Entry
from runtime.longterm.room import open_room
from runtime.longterm.whole import TAIL_BYTES, check, trailer_of
from schemas.dump import DumpTrailer

DIGEST_CHARS: Final = 32
"""Of a hash, as many as tell a memory's line from its next one."""


def line_digest(line: bytes) -> str:
    """Return the short hash of a line."""
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()[:DIGEST_CHARS]


class OwnDump(NamedTuple):
    """One dump that this store has written, as its last line says."""

    name: str
    size: int
    trailer: DumpTrailer


def own_dumps(
    folder: DumpFolder, entries: Sequence[Entry], host: str | None, machine: str
) -> list[OwnDump]:
    """
    Return this store's dumps, oldest first, copies that a conflict left included.

    Of all that lie there only those that bear the host's name are looked into, or, for
    None, every one: a host's name may change. Another machine of the same name has
    its own: the last line tells them apart.
    """
    found = []
    for entry in entries:
        is_other = host is not None and not entry.name.startswith(f"{host_part(host)}_")
        if entry.problem or is_other:
            continue
        try:
            last = trailer_of(folder.tail(entry.name, entry.size, TAIL_BYTES))
        except OSError:
            continue
        if last is not None and last[0].machine == machine:
            found.append(OwnDump(entry.name, entry.size, last[0]))
    return sorted(found, key=lambda dump: (dump.trailer.written_at, dump.name))


def beyond(own: Sequence[OwnDump], keep: int) -> tuple[OwnDump, ...]:
    """Return those that are older than the newest *keep* full ones, so said in them too."""
    fulls = [number for number, dump in enumerate(own) if dump.trailer.kind == "full"]
    if len(fulls) < keep:
        return ()
    return tuple(own[: fulls[-keep]] if keep else own)


def written_before(
    folder: DumpFolder, own: Sequence[OwnDump], beside: str
) -> dict[str, str] | None:
    """
    Return the digest of each memory's last line in these dumps, by key.

    None when one of them is not whole: what is missing would never be written again.
    *beside*: a path on the disk that has room.
    """
    known: dict[str, str] = {}
    for dump in own:
        with open_room(beside) as file:
            try:
                folder.copy(dump.name, file)
            except OSError:
                return None
            checked = check(file, file.tell())
            if checked.problem or checked.trailer is None:
                return None
            file.seek(0)
            for line in file:
                known[str(json.loads(line).get("uid"))] = line_digest(line)
    return known

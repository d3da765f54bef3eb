"""How far the store is encoded, and what can be done with it here."""

from importlib.util import find_spec
from sqlite3 import Connection
from typing import Final

from runtime.embeddings.choosing import Chosen, lacking, name_and_version
from runtime.errors import EncoderError
from runtime.store.nearest import load_extension
from runtime.store.ruri_table import NAME, is_ruri
from runtime.store.vectors import made, records
from schemas.vectors import EncoderVectors, VectorStatus

OURS: Final = "SELECT 1 FROM sqlite_master WHERE name = ?"


def status(connection: Connection, chosen: Chosen, *, enabled: bool) -> VectorStatus:
    """Return what there is; for a reader's thread. Loads no encoder."""
    problem, used = lacking(chosen), ("", "")
    if not problem:
        try:
            used = name_and_version(chosen)
        except EncoderError as error:
            problem = error.reason
    extension = load_extension(connection)
    found = [
        EncoderVectors(
            name=each.name,
            version=each.version,
            dimensions=each.dimensions,
            vectors=each.vectors,
            is_used=(each.name, each.version) == used,
        )
        for each in made(connection)
    ]
    return VectorStatus(
        enabled=enabled,
        encoder=chosen.encoder,
        problem=problem,
        records=records(connection),
        encoded=sum(each.vectors for each in found if each.is_used),
        encoders=tuple(found),
        ways=_ways(extension),
        extension_problem=extension,
        has_ruri_table=connection.execute(OURS, (NAME,)).fetchone() is not None,
        wants_ruri_table=any(
            is_ruri(each.name, each.dimensions) and each.vectors for each in found
        ),
    )


def _ways(extension_problem: str) -> tuple[str, ...]:
    ways = [] if extension_problem else ["sqlite-vec"]
    return (*ways, *(["numpy"] if find_spec("numpy") else []), "python")

"""`runtime embed`: vectors for the search by meaning."""

from typing import Final

import click
from anyio import to_thread

from runtime.cli.lazy import Group
from runtime.cli.output import counted, json_option, note, print_json, say
from runtime.cli.progress import progress_bar
from runtime.cli.session import with_app
from runtime.context import AppContext
from runtime.embeddings.choosing import chosen_by, load
from runtime.embeddings.coverage import status as status_of
from runtime.embeddings.filling import Filling
from runtime.notes.book import refresh
from runtime.store.ruri_table import KEPT, is_ruri, remove
from runtime.store.store import Store
from runtime.store.vector_writing import drop_vectors
from runtime.store.vectors import number_of
from schemas.vectors import EncoderVectors, VectorStatus

BATCH: Final = 16
"""Texts that are encoded and stored together; what Ctrl-C can lose."""
DROPPED_AT_ONCE: Final = 5000


@click.group(cls=Group)
def embed() -> None:
    """Vectors for the search by meaning, an extra that is off until you switch it on."""


@embed.command()
@json_option
def status(*, as_json: bool) -> None:
    """Say which encoder there is, and how many records it has encoded."""
    found = with_app(_status)
    if as_json:
        print_json(found)
    else:
        _print(found)


@embed.command()
@json_option
def backfill(*, as_json: bool) -> None:
    """
    Encode what has no vector yet, newest first.

    It can be interrupted at any time and goes on where it ended. With
    semantic.enabled the worker does the same in its idle time.
    """
    stored, table = with_app(_backfill)
    if as_json:
        print_json({"stored": stored, "memories_vec": table})
        return
    say(f"{counted(stored, 'record')} encoded")
    if table:
        say(f"memories_vec for chiebukuro-mcp: {table}")


@embed.command()
@click.option(
    "--others", is_flag=True, help="Only those of encoders that the settings do not name."
)
@json_option
def drop(*, others: bool, as_json: bool) -> None:
    """Delete vectors; records stay, and can be encoded again."""

    async def work(app: AppContext) -> int:
        return await _drop(app, is_others_only=others)

    dropped = with_app(work)
    if as_json:
        print_json({"dropped": dropped})
    else:
        say(f"{counted(dropped, 'vector')} deleted")


async def _status(app: AppContext) -> VectorStatus:
    chosen = chosen_by(app.settings)
    enabled = app.settings.semantic.enabled
    return await app.opened.reader.run(
        lambda connection: status_of(connection, chosen, enabled=enabled)
    )


async def _backfill(app: AppContext) -> tuple[int, str]:
    """Return how many were encoded, and what has become of memories_vec, "" for nothing."""
    store = app.opened
    await refresh(app.home, app.settings, store)
    encoder = await to_thread.run_sync(load, chosen_by(app.settings))
    filling = Filling(store, encoder)
    begun = await _status(app)
    done, is_over = 0, False
    try:
        with progress_bar("encoding") as progress:
            while not is_over:
                step = await filling.step(BATCH)
                done, is_over = done + step.stored, step.is_over
                progress(min(begun.encoded + done, begun.records), begun.records)
        return done, await filling.finish()
    finally:
        await to_thread.run_sync(encoder.close)


async def _drop(app: AppContext, *, is_others_only: bool) -> int:
    store = app.opened
    found = await _status(app)
    if is_others_only and found.problem:
        note(f"which vectors are used is not known: {found.problem}")
        return 0
    total = 0
    if found.has_ruri_table and not found.wants_ruri_table:
        await remove(store.transaction, store.connection)
    for each in found.encoders:
        if not (is_others_only and each.is_used):
            total += await _drop_all(store, each)
    return total


async def _drop_all(store: Store, each: EncoderVectors) -> int:
    """Delete one encoder's vectors, a bounded part in each transaction."""
    if is_ruri(each.name, each.dimensions):
        await remove(store.transaction, store.connection)
    number = await store.reader.run(number_of, each.name, each.version)
    total, dropped = 0, DROPPED_AT_ONCE
    while number is not None and dropped == DROPPED_AT_ONCE:
        async with store.transaction() as connection:
            dropped = await drop_vectors(connection, number, DROPPED_AT_ONCE)
        total += dropped
    return total


def _print(found: VectorStatus) -> None:
    if found.problem:
        say(f"encoder {found.encoder}: {found.problem}")
    else:
        behind = found.records - found.encoded
        say(f"encoder {found.encoder}: {found.encoded:,} of {counted(found.records, 'record')}")
        if behind:
            say(f"  {behind:,} to go: `runtime embed backfill`")
    for each in found.encoders:
        used = "" if each.is_used else ", used by nothing"
        say(
            f"  {each.name} {each.version}: {counted(each.vectors, 'vector')}"
            f" of {each.dimensions} dimensions{used}"
        )
    say(f"hits are ordered by meaning too: {'yes' if found.enabled else 'no'} (semantic.enabled)")
    say(f"search --semantic compares with {found.ways[0]}")
    if found.wants_ruri_table or found.has_ruri_table:
        kept = KEPT if found.has_ruri_table else "not there, `runtime embed backfill` says why"
        say(f"memories_vec for chiebukuro-mcp: {kept}")

"""Vectors for new records, in the time in which the worker has nothing else to do."""

from collections.abc import Callable
from typing import Final

import anyio
import structlog

from runtime.context import AppContext
from runtime.embeddings.choosing import chosen_by, lacking, load
from runtime.embeddings.encoder import Encoder
from runtime.embeddings.filling import Filling
from runtime.errors import EncoderError

log = structlog.get_logger(__name__)

BATCH: Final = 4
"""Texts that are stored together."""
THREADS: Final = 1
"""Of the encoder: the others are left to whoever works at this machine."""


async def encode_idle(context: AppContext, is_quiet: Callable[[], bool]) -> None:
    """
    Encode what has no vector, for as long as it stays quiet. Never raises.

    Between two texts it looks whether an event has come; one text takes half a second
    at most, in a thread of its own. The encoder is loaded for this and let go again.
    """
    chosen = chosen_by(context.settings)
    if context.store is None or lacking(chosen):
        return
    try:
        encoder = await anyio.to_thread.run_sync(load, chosen, THREADS)
        try:
            await _encode(Filling(context.store, encoder), encoder, is_quiet)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(encoder.close)
    except EncoderError as error:
        log.warning("encoding_failed", error=str(error))
    except Exception:
        log.exception("encoding_failed")


async def _encode(filling: Filling, encoder: Encoder, is_quiet: Callable[[], bool]) -> None:
    stored, is_over = 0, False
    while not is_over and is_quiet():
        step = await filling.step(BATCH, is_quiet)
        stored, is_over = stored + step.stored, step.is_over
    if is_over:
        await filling.finish()
    if stored:
        log.info("records_encoded", records=stored, encoder=encoder.identity.name)

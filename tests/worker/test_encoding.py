"""Records are encoded when nothing else is to be done, and never in an event's way."""

import sqlite3
from collections import deque
from contextlib import closing
from pathlib import Path

import pytest

from runtime.context import AppContext
from runtime.settings import Settings
from runtime.worker.encoding import encode_idle
from tests.embeddings.models import static_model
from tests.leftovers import until
from tests.store.vectors import remember
from tests.worker.hooks import Hooks, written


def _with(app: AppContext, model: Path) -> AppContext:
    semantic = {"encoder": "model2vec", "model": str(model)}
    settings = Settings.model_validate({"semantic": semantic})
    return AppContext(app.home, settings, app.store, app.host, app.services)


async def _vectors(app: AppContext) -> int:
    rows = await app.opened.connection.execute_fetchall("SELECT count(*) FROM vectors")
    return int(next(iter(rows))[0])


async def test_everything_is_encoded_while_it_is_quiet(app: AppContext, tmp_path: Path) -> None:
    await remember(app.opened, *(f"login {number}" for number in range(9)))

    await encode_idle(_with(app, static_model(tmp_path / "m")), lambda: True)

    assert await _vectors(app) == 9


async def test_an_event_ends_it_between_two_texts_and_what_is_done_stays(
    app: AppContext, tmp_path: Path
) -> None:
    await remember(app.opened, *(f"login {number}" for number in range(9)))
    quiet = deque([True, True, True, False])

    await encode_idle(
        _with(app, static_model(tmp_path / "m")), lambda: bool(quiet and quiet.popleft())
    )

    assert await _vectors(app) == 2


@pytest.mark.parametrize("damage", ["model.safetensors", "tokenizer.json"])
async def test_a_model_that_cannot_be_loaded_is_logged_and_nothing_else(
    app: AppContext, tmp_path: Path, damage: str, logged: list[dict[str, object]]
) -> None:
    await remember(app.opened, "login")
    model = static_model(tmp_path / "m")
    (model / damage).write_bytes(b"")

    await encode_idle(_with(app, model), lambda: True)

    assert await _vectors(app) == 0
    assert [line["event"] for line in logged if line["log_level"] != "debug"] == ["encoding_failed"]


async def test_without_a_store_or_an_encoder_nothing_is_done(app: AppContext) -> None:
    await encode_idle(AppContext(app.home, app.settings, None, "", app.services), lambda: True)
    onnx = Settings.model_validate({"semantic": {"encoder": "onnx"}})
    await encode_idle(AppContext(app.home, onnx, app.store, "", app.services), lambda: True)

    assert await _vectors(app) == 0


@pytest.mark.process
def test_the_worker_encodes_what_events_bring(tmp_path: Path, hooks: Hooks) -> None:
    model = static_model(tmp_path / "m")
    hooks.configure(f'[semantic]\nenabled = true\nencoder = "model2vec"\nmodel = "{model}"\n')

    hooks.run(written("first"))
    until(lambda: len(hooks.logged("records_encoded")) == 1)
    hooks.run(written("second"))
    until(lambda: len(hooks.logged("records_encoded")) == 2)

    assert _encoded(hooks) == 2
    assert hooks.logged("encoding_failed") == []


def _encoded(hooks: Hooks) -> int:
    uri = Path(hooks.home.database).as_uri() + "?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=30)) as connection:
        return int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])

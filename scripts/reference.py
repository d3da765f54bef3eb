"""
Markdown for the reference pages: every command's help, and the table of settings.

Used from cog blocks in `docs/reference/`; `scripts/fmt` writes the result into
the page and `scripts/lint` fails when it is out of date:

    <!-- [[[cog
    import cog, reference
    from runtime.cli.main import cli
    cog.out(reference.commands(cli, "runtime"))
    ]]] -->
    <!-- [[[end]]] -->
"""

from collections.abc import Iterator
from typing import Any, Final

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import to_json

WIDTH: Final = 80
"""Characters per help line, whatever terminal this runs in."""


def walk(group: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """
    Yield each visible command's full name and its help, parents first.

    Sub-commands come in the order in which their group lists them.
    """
    yield from _walk(group, name, None)


def _walk(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[tuple[str, str]]:
    context = click.Context(command, parent, name, terminal_width=WIDTH)
    yield context.command_path, command.get_help(context)
    if not isinstance(command, click.Group):
        return
    for child_name in command.list_commands(context):
        child = command.get_command(context, child_name)
        if child is not None and not child.hidden:
            yield from _walk(child, child_name, context)


def commands(group: click.Command, name: str) -> str:
    """Give one section per command, its help as the terminal shows it."""
    sections = (f"## `{path}`\n\n```text\n{text}\n```\n" for path, text in walk(group, name))
    return "\n" + "\n".join(sections) + "\n"


def settings(model: type[BaseModel]) -> str:
    """
    Give a table of the model's settings: dotted key, type, default, description.

    Fields that are models themselves become sections (`store.busy_timeout_s`).
    """
    head = "| key | type | default | what it does |\n|---|---|---|---|\n"
    rows = (" | ".join(map(_cell, row)) for row in _rows(model, ""))
    return "\n" + head + "".join(f"| {row} |\n" for row in rows) + "\n"


def _rows(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str, str, str]]:
    for name, field in model.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            yield from _rows(section, f"{key}.")
        else:
            yield f"`{key}`", f"`{_type_name(section)}`", _default(field), field.description or ""


def _type_name(annotation: Any) -> str:
    return (
        annotation.__name__
        if isinstance(annotation, type)
        else str(annotation).replace("typing.", "")
    )


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return "" if value is None else f"`{to_json(value).decode()}`"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())

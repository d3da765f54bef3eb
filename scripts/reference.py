"""
Markdown for the reference pages, made from the code that it describes.

Used from cog blocks in `docs/reference/`; `scripts/fmt` writes the result into
the page and `scripts/lint` fails when it is out of date:

    <!-- [[[cog
    import cog, reference
    from runtime.cli.main import group
    cog.out(reference.commands(group, "runtime"))
    ]]] -->
    <!-- [[[end]]] -->
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click
from pydantic_core import to_json

ROOT: Final = Path(__file__).resolve().parent.parent
SCHEMA: Final = ROOT / "runtime" / "store" / "sql"
CLEANUP: Final = ROOT / "benchmarks" / "results" / "longterm_cleanup.json"
INDEXING: Final = ROOT / "benchmarks" / "results" / "notes_index.json"
LATENCY: Final = ROOT / "benchmarks" / "results" / "hook_latency.json"
INVENTORY: Final = ROOT / "benchmarks" / "results" / "inventory.json"
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
    # Those of the group at the top (`-h`) hold for all below it.
    options = command.context_settings
    context = click.Context(command, parent, name, terminal_width=WIDTH, **options)
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


def settings(names: Mapping[str, tuple[str, str, Any]], old_names: Mapping[str, str]) -> str:
    """
    Give a table of settings: name, default, what it does, variable, older variable.

    *names* maps each dotted name to its variable, description and default.
    """
    rows = (
        (f"`{name}`", f"`{to_json(default).decode()}`", text, f"`{variable}`", old)
        for name, (variable, text, default) in names.items()
        for old in [f"`{old_names[name]}`" if name in old_names else ""]
    )
    return _table(("name", "default", "what it does", "variable", "older variable"), rows)


def routes(table: Mapping[str, Iterable[tuple[str, frozenset[str] | None]]]) -> str:
    """Give one row per event and handler, with what the handler's docstring says it does."""
    rows = (
        (
            f"`{event}`",
            ", ".join(f"`{tool}`" for tool in sorted(tools)) if tools else "",
            f"`{handler}`",
            (import_module(handler).__doc__ or "").strip().partition(": ")[2],
        )
        for event, handlers in table.items()
        for handler, tools in handlers
    )
    return _table(("event", "tools", "handler", "what it does"), rows)


def limits(constants: Iterable[tuple[str, str]]) -> str:
    """Give a table of constants, each as `module:NAME` with what it bounds."""
    rows = []
    for place, text in constants:
        module, _, name = place.partition(":")
        rows.append((text, f"{getattr(import_module(module), name):,}", f"`{module}.{name}`"))
    return _table(("what", "value", "where"), rows)


def columns(table: str, texts: Mapping[str, str]) -> str:
    """
    Give the columns of one table of the store with their texts.

    Raises ValueError when the schema has other columns than *texts* names.
    """
    with sqlite3.connect(":memory:") as connection:
        connection.create_function("index_tokens", 1, str)
        for script in sorted(SCHEMA.glob("*.sql")):
            connection.executescript(script.read_text(encoding="utf-8"))
        found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    names = [row[1] for row in found]
    if names != list(texts):
        raise ValueError(f"{table} has {', '.join(names)}")
    rows = (
        (f"`{name}`", kind, "" if needed or key else "yes", texts[name])
        for _number, name, kind, needed, _default, key in found
    )
    return _table(("column", "type", "may be empty", "what it holds"), rows)


def latency(path: Path = LATENCY) -> str:
    """
    Give what was measured: machine, one row per hook, bursts, lost and doubled events.

    Ratios are to `python -c pass` of the same environment: median, and in brackets the
    middle half. A goal that was missed is named as such.
    """
    found = json.loads(path.read_text(encoding="utf-8"))
    machine, count = found["machine"], found["events"]
    rows = (
        (hook["name"], _ratio(hook["wall_ratio"]), _ratio(hook["cpu_ratio"]), _goal(hook))
        for hook in found["hooks"]
    )
    bursts = (
        (
            f"{burst['at_once']} at once",
            f"{burst['p50_ratio']:g}x",
            f"{burst['p99_ratio']:g}x",
            _goal(burst),
        )
        for burst in found["bursts"]
    )
    compared = [
        (
            hook["name"],
            hook["beside"],
            _difference(hook["added_ratio"]),
            _difference(hook["added_cpu_ratio"]),
            f"{hook['may_add']:+g}x" if "may_add" in hook else "",
        )
        for hook in found["hooks"]
        if "beside" in hook
    ]
    head = ("hook", "beside", "takes longer by", "CPU time", "at most")
    return (
        f"\n{machine['date']}, {machine['system']} {machine['kernel']}, {machine['processor']},"
        f" {machine['cores']} cores with a load of {machine['load_before']:g} from elsewhere,"
        f" Python {machine['python']}; {found['rounds']} rounds.\n"
        + _table(("hook", "time", "CPU time", "goal"), rows)
        + (_table(head, compared)[1:] if compared else "")
        + _table(("hooks", "median", "99 of 100", "goal"), bursts)[1:]
        + f"{count['events']:,} events: {count['lost']} lost, {count['doubled']} doubled,"
        f" {count['locked']} times `database is locked`.\n\n"
    )


def indexing(path: Path = INDEXING) -> str:
    """
    Give what indexing took: machine, each step beside memory_system's way, ours alone by size.

    A goal that was missed is named as such.
    """
    found = json.loads(path.read_text(encoding="utf-8"))
    machine = found["machine"]
    steps = (
        (
            step["name"],
            f"{step['ours_s'] * 1000:,.0f} ms",
            f"{step['ours_cpu_s'] * 1000:,.0f} ms",
            f"{step['theirs_s'] * 1000:,.0f} ms",
            f"{step['ratio']:.1f}x ({step['cpu_ratio']:.1f}x)",
            _indexing_goal(step),
        )
        for step in found["steps"]
    )
    scales = (
        (
            f"{scale['sections']:,}",
            f"{scale['files']:,}",
            f"{scale['size_bytes'] / 1e6:.1f}",
            f"{scale['first_s']:.1f} s",
            f"{scale['first_cpu_s_per_mb']:.2f} s",
            f"{scale['unchanged_s'] * 1000:,.0f} ms",
            f"{scale['unchanged_cpu_us_per_file']:.0f} µs",
        )
        for scale in found["scales"]
    )
    return (
        f"\n{machine['date']}, {machine['system']} {machine['kernel']}, {machine['processor']},"
        f" {machine['cores']} cores with a load of {machine['load_before']:g} from elsewhere,"
        f" Python {machine['python']}, SQLite {machine['sqlite']}; {found['rounds']} rounds.\n"
        + _table(
            ("3,000 sections", "time", "CPU time", "theirs", "ratio (by CPU time)", "goal"), steps
        )
        + _table(
            ("sections", "files", "MB", "first", "CPU per MB", "unchanged", "CPU per file"), scales
        )[1:]
    )


def _indexing_goal(step: Mapping[str, Any]) -> str:
    met = "met" if step["is_met"] else "**missed**"
    by_cpu = "met" if step["is_met_by_cpu"] else "**missed**"
    goal = f"{step['goal_s'] * 1000:,.0f} ms, {met}"
    return goal if met == by_cpu else f"{goal}; by CPU time {by_cpu}"


def inventory(path: Path = INVENTORY) -> str:
    """Give what the search for duplicates took: one row per collection of blocks."""
    found = json.loads(path.read_text(encoding="utf-8"))
    machine = found["machine"]
    rows = (
        (
            f"{row['blocks']:,} {row['language']}",
            f"{row['duplicates']}",
            f"{row['found']}",
            f"{row['uncompared']:,}",
            f"{row['cpu_s']:.1f} s",
            f"{row['ratio']:.1%}",
        )
        for row in found["collections"]
    )
    head = ("blocks", "duplicates put in", "pairs found", "pairs left", "CPU time", "ratio")
    return (
        f"\n{machine['date']}, {machine['system']}, {machine['cores']} cores,"
        f" Python {machine['python']}.\n" + _table(head, rows)
    )


def cleanup(path: Path = CLEANUP) -> str:
    """Give what looking for what could go took: one row per store."""
    found = json.loads(path.read_text(encoding="utf-8"))
    machine = found["machine"]
    rows = (
        (
            f"{row['memories']:,}",
            f"{row['megabytes']:,.0f}",
            f"{row['put_in']:,}",
            f"{row['found']:,}",
            f"{row['cpu_s']:.1f} s",
            f"{row['cpu_us_per_memory']:,.0f} µs",
            f"{row['peak_mb']:,.0f} MB",
        )
        for row in found["stores"]
    )
    head = ("memories", "MB", "duplicates put in", "found", "CPU time", "of each", "peak memory")
    return (
        f"\n{machine['date']}, {machine['system']} {machine['kernel']}, {machine['processor']},"
        f" {machine['cores']} cores, Python {machine['python']}.\n" + _table(head, rows)
    )


def _ratio(spread: tuple[float, float, float]) -> str:
    median, low, high = spread
    return f"{median:g}x ({low:g}–{high:g})"


def _difference(spread: tuple[float, float, float]) -> str:
    median, low, high = spread
    return f"{median:+g}x ({low:+g} to {high:+g})"


def _goal(measured: Mapping[str, Any]) -> str:
    if "goal" not in measured:
        return ""
    return f"{measured['goal']:g}x, {'met' if measured['is_met'] else '**missed**'}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())

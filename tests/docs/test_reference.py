import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from inline_snapshot import snapshot

from scripts import reference

SCRIPTS = Path(reference.__file__).parent


@click.group()
def toy() -> None:
    """Keep toys."""


@toy.command()
@click.argument("name")
@click.option("--colour", default="red", show_default=True, help="What it looks like.")
def add(name: str, colour: str) -> None:
    """Add the toy NAME."""


@toy.command(hidden=True)
def secret() -> None:
    """Not for the docs."""


@toy.group()
def box() -> None:
    """Put toys away."""


@box.command("list")
def list_boxes() -> None:
    """List the boxes."""


class LazyGroup(click.Group):
    """Makes its command only when asked for it by name."""

    def list_commands(self, ctx):
        return ["late"]

    def get_command(self, ctx, cmd_name):
        return click.Command(cmd_name, help="Made on demand.")


def test_every_visible_command_is_listed_under_its_full_name():
    names = [name for name, _ in reference.walk(toy, "toy")]

    assert names == ["toy", "toy add", "toy box", "toy box list"]


def test_a_command_made_on_demand_is_listed_too():
    names = [name for name, _ in reference.walk(LazyGroup("lazy"), "lazy")]

    assert names == ["lazy", "lazy late"]


def test_the_help_is_what_the_terminal_shows(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")

    assert reference.commands(add, "toy add") == snapshot("""\

## `toy add`

```text
Usage: toy add [OPTIONS] NAME

  Add the toy NAME.

Options:
  --colour TEXT  What it looks like.  [default: red]
  --help         Show this message and exit.
```

""")


def test_the_settings_are_one_table_with_their_variables():
    names = {
        "store.path": ("OBOEGAKI_STORE_PATH", "Where a | b\nlies.", ""),
        "notes.dirs": ("OBOEGAKI_NOTES_DIRS", "Folders.", ("覚書",)),
    }

    assert reference.settings(names, {"notes.dirs": "MEMORY_DIRS"}) == snapshot("""\

| name | default | what it does | variable | older variable |
| --- | --- | --- | --- | --- |
| `store.path` | `""` | Where a \\| b lies. | `OBOEGAKI_STORE_PATH` |  |
| `notes.dirs` | `["覚書"]` | Folders. | `OBOEGAKI_NOTES_DIRS` | `MEMORY_DIRS` |

""")


def test_a_column_that_the_page_does_not_know_is_an_error():
    with pytest.raises(ValueError, match="meta has name, value"):
        reference.columns("meta", {"name": "What it is called."})


def test_what_was_measured_is_told_with_the_goals_that_were_missed(tmp_path):
    measured = {
        "machine": {
            "system": "Linux", "kernel": "6.1", "processor": "Z80", "cores": 2,
            "load_before": 6.8, "date": "2026-11-30", "python": "3.11.7",
        },
        "rounds": 40,
        "hooks": [
            {
                "name": "Stop", "wall_ratio": [0.94, 0.8, 1.1], "cpu_ratio": [0.9, 0.8, 1],
                "goal": 1.0, "is_met": True,
            },
            {"name": "naive", "wall_ratio": [21, 18, 24], "cpu_ratio": [21, 20, 23]},
            {
                "name": "plugin", "wall_ratio": [1, 0.9, 1.1], "cpu_ratio": [1, 0.9, 1.1],
                "beside": "Stop", "added_ratio": [0.1, -0.1, 0.3],
                "added_cpu_ratio": [0.05, 0.02, 0.1], "may_add": 0.15,
            },
        ],
        "bursts": [
            {"at_once": 64, "p50_ratio": 34, "p99_ratio": 76.5, "goal": 75.0, "is_met": False}
        ],
        "events": {"events": 2497, "lost": 0, "doubled": 0, "locked": 1},
    }  # fmt: skip
    path = tmp_path / "hook_latency.json"
    path.write_text(json.dumps(measured), encoding="utf-8")

    assert reference.latency(path) == snapshot("""\

2026-11-30, Linux 6.1, Z80, 2 cores with a load of 6.8 from elsewhere, Python 3.11.7; 40 rounds.

| hook | time | CPU time | goal |
| --- | --- | --- | --- |
| Stop | 0.94x (0.8–1.1) | 0.9x (0.8–1) | 1x, met |
| naive | 21x (18–24) | 21x (20–23) |  |
| plugin | 1x (0.9–1.1) | 1x (0.9–1.1) |  |

| hook | beside | takes longer by | CPU time | at most |
| --- | --- | --- | --- | --- |
| plugin | Stop | +0.1x (-0.1 to +0.3) | +0.05x (+0.02 to +0.1) | +0.15x |

| hooks | median | 99 of 100 | goal |
| --- | --- | --- | --- |
| 64 at once | 34x | 76.5x | 75x, **missed** |

2,497 events: 0 lost, 0 doubled, 1 times `database is locked`.

""")


def test_what_indexing_took_is_told_with_the_goals_that_were_missed(tmp_path):
    measured = {
        "machine": {
            "system": "Linux", "kernel": "6.1", "processor": "Z80", "cores": 2,
            "load_before": 6.8, "date": "2026-11-30", "python": "3.11.7", "sqlite": "3.40.1",
        },
        "rounds": 3,
        "steps": [
            {
                "name": "first", "ours_s": 1.6, "ours_cpu_s": 0.9, "theirs_s": 6.4, "ratio": 4.02,
                "cpu_ratio": 0.9,
                "goal_s": 1.5, "is_met": False, "is_met_by_cpu": True,
            },
            {
                "name": "unchanged", "ours_s": 0.0043, "ours_cpu_s": 0.003, "theirs_s": 0.12,
                "ratio": 28, "cpu_ratio": 30, "goal_s": 0.03, "is_met": True, "is_met_by_cpu": True,
            },
        ],
        "scales": [
            {
                "sections": 100000, "files": 10000, "size_bytes": 54300000, "first_s": 40.25,
                "first_cpu_s_per_mb": 0.7, "unchanged_s": 0.0912, "unchanged_cpu_us_per_file": 8.8,
            }
        ],
    }  # fmt: skip
    path = tmp_path / "notes_index.json"
    path.write_text(json.dumps(measured), encoding="utf-8")

    assert reference.indexing(path) == snapshot("""\

2026-11-30, Linux 6.1, Z80, 2 cores with a load of 6.8 from elsewhere, Python 3.11.7, SQLite 3.40.1; 3 rounds.

| 3,000 sections | time | CPU time | theirs | ratio (by CPU time) | goal |
| --- | --- | --- | --- | --- | --- |
| first | 1,600 ms | 900 ms | 6,400 ms | 4.0x (0.9x) | 1,500 ms, **missed**; by CPU time met |
| unchanged | 4 ms | 3 ms | 120 ms | 28.0x (30.0x) | 30 ms, met |

| sections | files | MB | first | CPU per MB | unchanged | CPU per file |
| --- | --- | --- | --- | --- | --- | --- |
| 100,000 | 10,000 | 54.3 | 40.2 s | 0.70 s | 91 ms | 9 µs |

""")  # noqa: E501 - as it stands in the page


def test_what_an_inventory_took_is_told(tmp_path):
    measured = {
        "machine": {"system": "Linux", "cores": 2, "date": "2026-11-30", "python": "3.11.7"},
        "collections": [
            {
                "language": "English", "blocks": 2000, "duplicates": 100, "found": 101,
                "uncompared": 1939048, "cpu_s": 11.38, "ratio": 0.043,
            },
        ],
    }  # fmt: skip
    path = tmp_path / "inventory.json"
    path.write_text(json.dumps(measured), encoding="utf-8")

    assert reference.inventory(path) == snapshot("""\

2026-11-30, Linux, 2 cores, Python 3.11.7.

| blocks | duplicates put in | pairs found | pairs left | CPU time | ratio |
| --- | --- | --- | --- | --- | --- |
| 2,000 English | 100 | 101 | 1,939,048 | 11.4 s | 4.3% |

""")


@pytest.mark.process
def test_a_page_with_a_stale_part_fails_the_check(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- [[[cog\nimport click, cog, reference\n"
        "cog.out(reference.commands(click.Command('toy', help='Play.'), 'toy'))\n]]] -->\n"
        "old\n<!-- [[[end]]] -->\n",
        encoding="utf-8",
    )
    cog = [sys.executable, "-m", "cogapp", "-I", SCRIPTS]

    stale = subprocess.run([*cog, "--check", page], capture_output=True, check=False)
    subprocess.run([*cog, "-r", page], capture_output=True, check=True)
    fresh = subprocess.run([*cog, "--check", page], capture_output=True, check=False)

    assert (stale.returncode, fresh.returncode) == (5, 0)
    assert "Usage: toy" in page.read_text(encoding="utf-8")

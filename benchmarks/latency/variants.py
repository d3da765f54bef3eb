"""The hooks that are measured: for each, how an event is made, and what is done around it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from benchmarks.latency.homes import Bench
from benchmarks.latency.install import ROOT, Installed
from benchmarks.latency.plugin import plugin
from benchmarks.latency.spawn import Job
from benchmarks.latency.world import (
    NEW_SKILL,
    SKILL,
    Prose,
    Transcript,
    beginnings,
    build_store,
    make_home,
    payload,
    write_json,
    wrote,
)

EVENTS: Final = ("PostToolUse", "Stop", "PreToolUse", "SessionStart")
WRITE_CHARS: Final = 5_000
TRANSCRIPT_BYTES: Final = 2_000_000
NEW_TURNS: Final = 10
NOTES_CONFIG: Final = "[inject]\nsession_max_chars = 9000\nblocks = 1\n"
OFF_CONFIG: Final = "[worker]\nenabled = false\n"
LAUNCHER_ADDS: Final = 0.15
"""Most that the plugin's shell may add to the installed command."""
NAIVE: Final = (
    "import sys; sys.path.append({root!r}); from benchmarks.naive_hook import main; main()"
)


class Variant(NamedTuple):
    """One kind of hook to measure."""

    name: str
    command: Sequence[str]
    bench: Bench
    make: Callable[[str], dict[str, Any]]
    """From a session id to a payload; called before each measured process."""
    goal: float | None = None
    """Most that it may take, as a multiple of `python -c pass`."""
    answers: bool = False
    """Whether something must be printed."""
    worker: str = "up"
    """`up`, `away` (killed before each process), `cold` (no home yet) or `none`."""
    environ: Mapping[str, str] = MappingProxyType({})
    """Variables on top of those that all have."""
    beside: str = ""
    """The variant that it is compared with, round by round."""
    may_add: float | None = None
    """Most that it may take more than that one, in the same unit as the goal."""


class Stage:
    """A temporary person with a project, a transcript, and several homes."""

    def __init__(self, installed: Installed, folder: Path) -> None:
        self.folder = folder
        # The store is kept from run to run, and its memories belong to this path.
        self.project = installed.folder / "project"
        (self.project / ".git").mkdir(parents=True, exist_ok=True)
        self.commands = installed.commands(EVENTS)
        self.plugin = plugin(folder, installed)
        self.python = installed.python
        self.count = 0
        self.transcript = Transcript(folder / "session.jsonl", TRANSCRIPT_BYTES)
        store = installed.folder / "store.db"
        build_store(store, self.project)
        self._asked = cycle(beginnings(store))
        self.benches: dict[str, Bench] = {}
        for name in ("warm", "away", "inline", "naive"):
            self._add(name, store)
        self._add("warm-notes", store, NOTES_CONFIG)
        self._add("away-notes", store, NOTES_CONFIG)
        self._add("off", store, OFF_CONFIG)
        self.benches["cold"] = Bench(folder / "cold")

    def _add(self, name: str, store: Path, config: str = "") -> None:
        make_home(self.folder / name, store, config)
        self.benches[name] = Bench(self.folder / name)

    def job(self, variant: Variant) -> Job:
        """Make the next event of a variant and return its process; the event counts as sent."""
        self.count += 1
        session = f"s{self.count}"
        path = self.folder / "stdin"
        write_json(path, variant.make(session))
        variant.bench.sent.append(session)
        environ = {**self.environ(variant.bench), **variant.environ}
        return Job(variant.command, environ, path, self.folder / "stdout")

    def baseline(self) -> Job:
        """Return the process that all are compared with."""
        environ = self.environ(self.benches["warm"])
        return Job((self.python, "-c", "pass"), environ, Path("/dev/null"), Path("/dev/null"))

    def environ(self, bench: Bench) -> dict[str, str]:
        """Return the variables of a hook process, and nothing of this one's."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "CLAUDE_PROJECT_DIR": str(self.project),
            "CLAUDE_CODE_ENTRYPOINT": "cli",
            "OBOEGAKI_HOME": bench.home.root,
        }

    def write(self, session: str) -> dict[str, Any]:
        """Return a PostToolUse of a 5 KB file."""
        return wrote(session, self.project, WRITE_CHARS)

    def short(self, session: str) -> dict[str, Any]:
        """Return a PostToolUse whose result is noise."""
        return wrote(session, self.project, 100)

    def not_logged(self, session: str) -> dict[str, Any]:
        """Return a PostToolUse of a tool that no handler takes."""
        shell = {"command": "ls"}
        response = {"stdout": "a\nb\n", "stderr": "", "interrupted": False}
        own = {"tool_name": "Bash", "tool_input": shell, "tool_response": response}
        return payload("PostToolUse", session, self.project, **own)

    def stop(self, session: str) -> dict[str, Any]:
        """Return a Stop after ten more turns."""
        self.transcript.grow(NEW_TURNS)
        event = payload("Stop", session, self.project, stop_hook_active=False)
        return event | {"transcript_path": str(self.transcript.path)}

    def skill(self, session: str) -> dict[str, Any]:
        """Return a PreToolUse of a skill that has run before."""
        words = Prose(session).text(60)
        own = {"tool_name": "Skill", "tool_input": {"skill": SKILL, "args": words}}
        return payload("PreToolUse", session, self.project, **own)

    def new_skill(self, session: str) -> dict[str, Any]:
        """Return a PreToolUse of a skill that nothing names, with words that something holds."""
        own = {"tool_name": "Skill", "tool_input": {"skill": NEW_SKILL, "args": next(self._asked)}}
        return payload("PreToolUse", session, self.project, **own)

    def start(self, session: str) -> dict[str, Any]:
        """Return a SessionStart."""
        return payload("SessionStart", session, self.project, source="startup")


def variants(stage: Stage) -> Iterator[Variant]:
    """Give every hook that is measured one by one."""
    post, stop, skill, start = (stage.commands[event] for event in EVENTS)
    at = stage.benches
    warm, away, notes = at["warm"], at["away"], at["warm-notes"]
    yield Variant("PostToolUse, 5 KB written", post, warm, stage.write, 1.0)
    yield Variant("PostToolUse, short result", post, warm, stage.short, 1.0)
    yield Variant("PostToolUse, tool not logged", post, warm, stage.not_logged, 1.0)
    yield Variant("Stop, 10 new turns in 2 MB", stop, warm, stage.stop, 1.0)
    yield Variant("PreToolUse Skill, 10,000 memories", skill, warm, stage.skill, 1.15, True)
    yield Variant("PreToolUse Skill, by its words", skill, warm, stage.new_skill, 1.15, True)
    yield Variant("SessionStart, 8 KB", start, notes, stage.start, 1.35, True)
    yield Variant("PostToolUse, worker away", post, away, stage.write, None, False, "away")
    yield Variant("PreToolUse Skill, worker away", skill, away, stage.skill, 2.0, True, "away")
    yield Variant("PreToolUse Skill, words, away", skill, away, stage.new_skill, 2.0, True, "away")
    yield Variant(
        "SessionStart, worker away", start, at["away-notes"], stage.start, 2.3, True, "away"
    )
    yield Variant("PostToolUse, first ever", post, at["cold"], stage.write, None, False, "cold")
    inline = at["inline"]
    yield Variant(
        "PostToolUse --inline", [*post, "--inline"], inline, stage.write, 16, False, "none"
    )
    yield Variant(
        "PreToolUse Skill --inline", [*skill, "--inline"], inline, stage.skill, 16, True, "none"
    )
    yield Variant("PostToolUse, worker off", post, at["off"], stage.write, 16, False, "none")


def compared(stage: Stage) -> Iterator[Variant]:
    """Give what is measured for the difference that it makes to a variant above."""
    commands, environ = stage.plugin.commands(EVENTS), stage.plugin.environ()
    names = {
        "PostToolUse": "PostToolUse, 5 KB written",
        "PreToolUse": "PreToolUse Skill, 10,000 memories",
        "SessionStart": "SessionStart, 8 KB",
    }
    for one in variants(stage):
        for event, name in names.items():
            if one.name == name:
                yield one._replace(
                    name=f"{event}, as a plugin",
                    command=commands[event],
                    goal=None,
                    environ=environ,
                    beside=name,
                    may_add=LAUNCHER_ADDS,
                )
        if one.name == names["PostToolUse"]:
            yield one._replace(
                name="PostToolUse, on the disk (durable)",
                goal=1.6,
                environ={"OBOEGAKI_HOOK_DURABLE": "1"},
                beside=one.name,
            )


def naive(stage: Stage) -> Variant:
    """Return the straightforward hook."""
    bench = stage.benches["naive"]
    code = NAIVE.format(root=str(ROOT))
    command = [stage.python, "-c", code, f"{stage.folder}/naive.db"]
    return Variant("naive hook (context)", command, bench, stage.write, None, False, "none")
